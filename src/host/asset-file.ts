import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as z from 'zod/mini';

import type { Failure } from '../lib/types';

/** UTF-16 units of what Node says about a file it cannot load: what to do comes after it and must be seen. */
const MAX_REASON = 100;

export type Loaded<T> = { ok: true; value: T } | { ok: false; failure: Failure };

/** The generated files that are loaded on the thread that draws, and what stands in each, as in "… is missing". */
const CONTENTS = {
  'agent.js': 'The part of Lam that answers',
  'evidence.js': 'The part of Lam that shows evidence',
  'providers.js': 'The part of Lam that talks to model servers',
} as const;

/**
 * Loads a generated file that a launch needs only after its first frame, and takes something from it. The file is looked for
 * at each call; Node keeps it once it was there.
 *
 * Never throws: a file that is missing, broken or of another version is a failure that says what to do.
 *
 * @param schema what is needed of the file
 * @param take what is taken; undefined = the file gives something else than this version expects
 */
export function fromAsset<File, T>(
  assetsPath: string,
  file: keyof typeof CONTENTS,
  schema: z.ZodMiniType<File>,
  take: (file: File) => T | undefined,
): Loaded<T> {
  if (!existsSync(join(assetsPath, file))) return unusable(file, 'is missing', '');
  try {
    // The path is made at run time, so that the bundler leaves the file where it is.
    const found: unknown = createRequire(`${assetsPath}/`)(`./${file}`);
    const module = schema.safeParse(found);
    const value = module.success ? take(module.data) : undefined;
    return value === undefined
      ? unusable(file, 'does not belong to this version', '')
      : { ok: true, value };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return unusable(file, 'cannot be loaded', said.split('\n', 1)[0]?.slice(0, MAX_REASON) ?? '');
  }
}

function unusable(
  file: keyof typeof CONTENTS,
  what: string,
  reason: string,
): { ok: false; failure: Failure } {
  const named = reason === '' ? `assets/${file}` : `assets/${file}: ${reason}`;
  const message = `${CONTENTS[file]} ${what} (${named}). Reinstall Lam, or run npm run prepare.`;
  return { ok: false, failure: { kind: 'server-error', title: 'Lam is incomplete', message } };
}
