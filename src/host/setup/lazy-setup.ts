import * as z from 'zod/mini';

import type { Failure } from '../../lib/types';
import { fromAsset } from '../asset-file';
import type { SetupRunOptions } from './run';
import { STEP_IDS, type SetupProgress } from './steps';

const FileSchema = z.object({
  runSetupCheck: z.custom<(options: SetupRunOptions) => Promise<SetupProgress>>(
    (value) => typeof value === 'function',
  ),
});

/** Launchers before 0.20 say nothing of their version, and tests may not either. */
const LauncherSchema = z.object({ tag: z.string() });

/**
 * Check Setup: runs everything once, and tells each change. Never rejects; ends at once when `signal` fires.
 *
 * @param model the one that is asked at the moment; absent = as the preferences say
 */
export type SetupCheck = (
  onProgress: (progress: SetupProgress) => void,
  signal: AbortSignal,
  model?: string,
) => Promise<SetupProgress>;

interface LazySetupOptions extends Omit<SetupRunOptions, 'facts' | 'onProgress' | 'signal'> {
  assetsPath: string;
  facts: Omit<SetupRunOptions['facts'], 'vicinae'> & {
    /** `environment.vicinaeVersion`, whatever the launcher gives. */
    vicinae: unknown;
  };
}

/**
 * Check Setup from `assets/providers.js`, loaded when it is asked for. Without a usable file the check is its first step, which
 * says what to do.
 */
export function lazySetup({ assetsPath, facts, ...options }: LazySetupOptions): SetupCheck {
  const launcher = LauncherSchema.safeParse(facts.vicinae);
  const vicinae = launcher.success ? launcher.data.tag : '';
  return async (onProgress, signal, model) => {
    const loaded = fromAsset(
      assetsPath,
      'providers.js',
      FileSchema,
      ({ runSetupCheck }) => runSetupCheck,
    );
    if (loaded.ok) {
      return await loaded.value({
        ...options,
        facts: { ...facts, vicinae },
        model,
        onProgress,
        signal,
      });
    }
    const progress = unusable(loaded.failure);
    onProgress(progress);
    return progress;
  };
}

function unusable({ message }: Failure): SetupProgress {
  const steps = STEP_IDS.map((id): SetupProgress['steps'][number] =>
    id === 'server'
      ? { id, state: 'failed', said: message }
      : { id, state: 'skipped', said: 'Needs the missing part of Lam.' },
  );
  return { steps, report: `## Lam: Check Setup\n\n${message}\n`, isDone: true };
}
