import { checkSetup, type CheckOptions } from './check';
import { setupReport, type SetupFacts } from './report';
import type { SetupProgress } from './steps';

export interface SetupRunOptions extends Omit<CheckOptions, 'onStep' | 'settings'> {
  facts: SetupFacts;
  onProgress: (progress: SetupProgress) => void;
}

/** The whole of Check Setup: the steps, with the report about them at every moment. Never rejects. */
export async function runSetupCheck({
  facts,
  onProgress,
  ...options
}: SetupRunOptions): Promise<SetupProgress> {
  const progress = (steps: SetupProgress['steps'], isDone: boolean): SetupProgress => ({
    steps,
    report: setupReport(steps, facts),
    isDone,
  });
  const steps = await checkSetup({
    ...options,
    settings: facts.preferences,
    onStep: (changed) => {
      onProgress(progress(changed, false));
    },
  });
  const whole = progress(steps, true);
  onProgress(whole);
  return whole;
}
