import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openPane } from '../__tests__/support/pane';

import type { Built } from './cold-import';

/** A port that nothing listens on: the first frame must not wait for a model server. */
const NOWHERE = 'http://127.0.0.1:9';

/** Milliseconds from the launch of each command to its first frame, in a fresh worker each: `runs` times, taking turns. */
export async function firstFrames(commands: readonly Built[], runs: number): Promise<number[][]> {
  const times = commands.map((): number[] => []);
  for (let run = -1; run < runs; run++) {
    for (const [i, command] of commands.entries()) {
      const took = await openOnce(command);
      if (run >= 0) times[i]?.push(took); // the first of all builds the host's worker
    }
  }
  return times;
}

async function openOnce({ dir, command }: Built): Promise<number> {
  const supportPath = mkdtempSync(join(tmpdir(), 'lam-bench-'));
  try {
    const before = performance.now();
    const pane = await openPane({
      bundleDir: dir,
      command,
      supportPath,
      preferences: { address: NOWHERE },
      timeoutMs: 30_000,
    });
    const took = performance.now() - before;
    await pane.kill();
    return took;
  } finally {
    rmSync(supportPath, { recursive: true, force: true });
  }
}
