import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { createConversationStore } from '../host/store/conversations';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';
import type { WriterFact } from './support/store-writer';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const FactSchema: z.ZodMiniType<WriterFact> = z.object({
  outcome: z.string(),
  running: z.optional(z.string()),
  length: z.optional(z.number()),
  done: z.optional(z.string()),
});

let bundleFolder = '';
let writerPath = '';

beforeAll(async () => {
  bundleFolder = mkdtempSync(join(tmpdir(), 'lam-store-writer-'));
  writerPath = join(bundleFolder, 'store-writer.cjs');
  const entry = join(import.meta.dirname, 'support', 'store-writer.ts');
  await build({
    entryPoints: [entry],
    outfile: writerPath,
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
});

afterAll(() => {
  rmSync(bundleFolder, { recursive: true, force: true });
});

/** Runs a writer until it ends, or until it is killed some time after its first save. */
async function runWriter(args: string[], killAfterMs?: number): Promise<WriterFact[]> {
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

describe('a writer that is killed', () => {
  it('loses nothing that was saved, twenty times over', async () => {
    const supportPath = tempFolder();
    const finished: string[] = [];
    let cut = 0;
    for (let number = 1; number <= 20; number += 1) {
      const launchId = `launch-${number}`;
      const facts = await runWriter(['stream', supportPath, launchId], (number * 7) % 41);
      expect(new Set(facts.map(({ outcome }) => outcome))).toEqual(new Set(['saved']));
      finished.push(...facts.flatMap(({ done }) => done ?? []));

      const heartbeat = BUILDER_TIME + number * 60_000;
      const reader = createConversationStore({
        supportPath,
        launchId: 'reader',
        now: () => heartbeat + 6_000,
      });
      const loaded = await reader.load('tea');
      if (!loaded.ok) throw new Error(loaded.message);
      expect(loaded.problems).toEqual([]);
      const turns = new Map(loaded.conversation.turns.map((turn) => [turn.id, turn]));
      for (const id of finished) expect(turns.get(id)?.state, id).toBe('done');
      for (const { running, length = 0 } of facts) {
        if (running !== undefined) {
          expect(turns.get(running)?.response.length).toBeGreaterThanOrEqual(length);
        }
      }
      const running = loaded.conversation.turns.filter(({ state }) => state === 'running');
      expect(running.length).toBeLessThanOrEqual(1);
      cut += running.length;
      if (running.length > 0) {
        expect(loaded.conversation.owner).toEqual({ launchId, heartbeatAt: heartbeat });
      }
      // Every second launch finds the turn still running and has to take it over itself.
      if (number % 2 === 0) continue;
      expect(await reader.claim('tea')).toMatchObject({
        kind: 'claimed',
        interrupted: running.map(({ id }) => id),
      });
      const after = await reader.load('tea');
      expect(after.ok && after.conversation.turns.map(({ state }) => state)).not.toContain(
        'running',
      );
    }
    expect(cut).toBeGreaterThan(0); // or the kills never met a running turn
  }, 180_000);
});

describe('writers of several processes', () => {
  it('lose none of each other’s turns', async () => {
    const supportPath = tempFolder();
    const launches = ['left', 'middle', 'right'];
    const facts = await Promise.all(
      launches.map((launchId) => runWriter(['append', supportPath, launchId, '12'])),
    );
    expect(new Set(facts.flat().map(({ outcome }) => outcome))).toEqual(new Set(['saved']));
    const store = createConversationStore({
      supportPath,
      launchId: 'reader',
      now: () => BUILDER_TIME,
    });
    const loaded = await store.load('tea');
    const ids = loaded.ok ? loaded.conversation.turns.map(({ id }) => id) : [];
    const expected = launches.flatMap((launchId) =>
      Array.from({ length: 12 }, (_, index) => `${launchId}-${index + 1}`),
    );
    expect([...ids].sort()).toEqual(expected.sort());
    for (const launchId of launches) {
      const own = ids.filter((id) => id.startsWith(launchId));
      expect(own).toEqual(
        own.toSorted((a, b) => Number(a.split('-')[1]) - Number(b.split('-')[1])),
      );
    }
  }, 60_000);
});

describe('a disk that fills up in the middle of a write', () => {
  it('costs nothing that was stored', async () => {
    const supportPath = tempFolder();
    const store = createConversationStore({
      supportPath,
      launchId: 'one',
      now: () => BUILDER_TIME,
    });
    const small = makeConversation();
    await store.save(small);
    const script = join(bundleFolder, 'full-disk.cjs');
    const big = makeConversation({
      turns: [makeTurn(), makeTurn({ id: 'big', response: 'x'.repeat(300_000) })],
    });
    await build({
      stdin: {
        contents: `
          import { createConversationStore } from './conversations';
          const store = createConversationStore({ supportPath: ${JSON.stringify(supportPath)}, launchId: 'two', now: () => 1 });
          const big = ${JSON.stringify(big)};
          console.log(JSON.stringify(store.saveSync(big)));`,
        resolveDir: join(import.meta.dirname, '..', 'host', 'store'),
      },
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'cjs',
    });
    // A file size limit cuts write(2) short as a full disk does.
    const limited = 'ulimit -f 100; exec "$0" "$1"';
    const child = spawn('bash', ['-c', limited, process.execPath, script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(child, 'close');
    expect(JSON.parse(output)).toEqual({
      kind: 'failed',
      message: expect.stringContaining('disk is full') as string,
    });
    expect(await store.load('tea')).toMatchObject({ ok: true, conversation: small });
    expect(readdirSync(join(supportPath, 'conversations'))).toEqual(['tea.json']);
    expect(readFileSync(join(supportPath, 'conversations', 'tea.json'), 'utf8')).toMatch(/\}\n$/);
  });
});
