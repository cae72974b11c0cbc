import { checkSetup, type CheckOptions } from './check';
import { setupReport, type SetupFacts } from './report';
import type { SetupProgress } from './steps';

export interface SetupRunOptions extends Omit<CheckOptions, 'onStep' | 'settings'> {
  facts: SetupFacts;
  /** The model that is asked at the moment; absent = as the preferences say. */
  model?: string | undefined;
  onProgress: (progress: SetupProgress) => void;
}

/** The whole of Check Setup: the steps, with the report about them at every moment. Never rejects. */
export async function runSetupCheck({
  facts,
  model,
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
    settings: { ...facts.preferences, model: model ?? facts.preferences.model },
    isChosen: model !== undefined && model !== facts.preferences.model,
    onStep: (changed) => {
      onProgress(progress(changed, false));
    },
  });
  const whole = progress(steps, true);
  onProgress(whole);
  return whole;
}
