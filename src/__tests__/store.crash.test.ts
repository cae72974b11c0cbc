import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createConversationStore } from '../host/store/conversations';
import { killWriters } from './kill-lane/kills';
import { createLedger } from './kill-lane/ledger';
import { buildWriter, runWriter } from './kill-lane/writer-process';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

let bundleFolder = '';
let writerPath = '';

beforeAll(async () => {
  bundleFolder = mkdtempSync(join(tmpdir(), 'lam-store-writer-'));
  writerPath = await buildWriter(bundleFolder);
});

afterAll(() => {
  rmSync(bundleFolder, { recursive: true, force: true });
});

describe('a writer that is killed', () => {
  it('loses nothing that was saved, twenty times over', async () => {
    const supportPath = tempFolder();
    const finished: string[] = [];
    let cut = 0;
    for (let number = 1; number <= 20; number += 1) {
      const launchId = `launch-${number}`;
      const facts = await runWriter(
        writerPath,
        ['stream', supportPath, launchId],
        (number * 7) % 41,
      );
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

describe('writers that are killed among turns, renames and the trash', () => {
  it('lose nothing and leave nothing torn, at 25 moments', async () => {
    const report = await killWriters(writerPath, tempFolder(), 25);
    expect(report).toMatchObject({ kills: 25, lost: [], corrupt: [] });
    expect(report.turns).toBeGreaterThan(25); // or the writers never came to write
  }, 180_000);

  it('would be found out', async () => {
    const supportPath = tempFolder();
    const ledger = createLedger();
    ledger.enter(await runWriter(writerPath, ['mixed', supportPath, 'launch-1'], 50));
    const now = BUILDER_TIME + 90_000;
    expect(await ledger.check(supportPath, now)).toMatchObject({ lost: [], corrupt: [] });
    const folder = join(supportPath, 'conversations');
    const [name = ''] = readdirSync(folder).filter((entry) => entry.endsWith('.json'));
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.slice(0, -20));
    const torn = await ledger.check(supportPath, now);
    expect(torn.corrupt).toContain(`${name.slice(0, -5)}: it is not JSON`);
    unlinkSync(join(folder, name));
    const gone = await ledger.check(supportPath, now);
    expect(gone.lost).toContain(`${name.slice(0, -5)} is not where it belongs`);
    expect(gone.corrupt).toEqual([]);
  });
});

describe('writers of several processes', () => {
  it('lose none of each other’s turns', async () => {
    const supportPath = tempFolder();
    const launches = ['left', 'middle', 'right'];
    const facts = await Promise.all(
      launches.map((launchId) => runWriter(writerPath, ['append', supportPath, launchId, '12'])),
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
