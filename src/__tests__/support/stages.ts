import { afterEach, inject } from 'vitest';

import { startStage, type Stage, type StageOptions } from './stage';

/**
 * A function that starts stages, on the built bundle unless another folder is named; they are closed after each test of the
 * file that calls this.
 */
export function stages(): (options?: Partial<StageOptions>) => Promise<Stage> {
  const started: Stage[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((stage) => stage.close()));
  });
  return async (options = {}) => {
    const stage = await startStage({ bundleDir: inject('bundleDir'), ...options });
    started.push(stage);
    return stage;
  };
}
