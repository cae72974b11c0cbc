import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { build } from 'esbuild';
import * as z from 'zod/mini';

import type { WriterFact } from '../support/store-writer';

const ChangeSchema = z.optional(z.enum(['rename', 'delete', 'restore', 'purge']));

const FactSchema: z.ZodMiniType<WriterFact> = z.object({
  outcome: z.string(),
  id: z.optional(z.string()),
  running: z.optional(z.string()),
  length: z.optional(z.number()),
  done: z.optional(z.string()),
  intent: ChangeSchema,
  change: ChangeSchema,
  title: z.optional(z.string()),
});

/** Bundles `support/store-writer.ts` into a folder; gives the path of the program. */
export async function buildWriter(folder: string): Promise<string> {
  const outfile = join(folder, 'store-writer.cjs');
  await build({
    entryPoints: [join(__dirname, '..', 'support', 'store-writer.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  return outfile;
}

/** Runs a writer until it ends, or until it is killed that many milliseconds after its first fact. */
export async function runWriter(
  writerPath: string,
  args: readonly string[],
  killAfterMs?: number,
): Promise<WriterFact[]> {
  const child = spawn(process.execPath, [writerPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const facts: WriterFact[] = [];
  let timer: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.endsWith('}')) continue; // cut by the kill
    facts.push(z.parse(FactSchema, JSON.parse(line)));
    if (killAfterMs !== undefined) timer ??= setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  }
  await ended;
  return facts;
}
