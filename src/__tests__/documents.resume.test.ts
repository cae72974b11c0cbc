import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { releaseLock, takeLock } from '../host/documents/writer-lock';
import { foundNames, openIndex, plainExtractor, putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

let bundleFolder = '';
const writerPath = (): string => join(bundleFolder, 'document-writer.cjs');

beforeAll(async () => {
  bundleFolder = mkdtempSync(join(tmpdir(), 'lam-document-writer-'));
  await build({
    entryPoints: [join(import.meta.dirname, 'support', 'document-writer.ts')],
    outfile: writerPath(),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
});

afterAll(() => {
  rmSync(bundleFolder, { recursive: true, force: true });
});

/** Runs a writer until it ends, or kills it when it begins its n-th file. Gives the lines it printed. */
async function runWriter(
  kept: string,
  folder: string,
  { pause = 0, killAt = Infinity }: { pause?: number; killAt?: number } = {},
): Promise<string[]> {
  const child = spawn(process.execPath, [writerPath(), kept, folder, String(pause)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length >= killAt) child.kill('SIGKILL');
  }
  await ended;
  return lines;
}

const FILES = 60;

/** A folder with files of a few blocks, each with a word of its own. */
function library(): { notes: string; kept: string } {
  const notes = tempFolder();
  const files: Record<string, string> = {};
  for (let number = 0; number < FILES; number += 1) {
    const paragraph = `Paragraph of file number${number}. `.repeat(40);
    files[`${number}.md`] = `# Title ${number}\n\n${paragraph}\n\n${paragraph}\n`;
  }
  putFiles(notes, files);
  return { notes, kept: tempFolder() };
}

describe('indexing that is killed', () => {
  it('goes on where it was, and nothing is torn, ten times over', async () => {
    const { notes, kept } = library();
    let begun = 0;
    for (let time = 1; time <= 10; time += 1) {
      // From the second file of a run on, at other moments each time; a batch is stored every tenth of a second.
      const lines = await runWriter(kept, notes, { pause: 20, killAt: 2 + ((time * 7) % 23) });
      expect(lines.filter((line) => line.startsWith('error'))).toEqual([]);
      begun += lines.length;
      if (lines.includes('end')) break;
    }
    expect(begun).toBeGreaterThan(FILES / 2); // or the kills came before anything
    const last = await runWriter(kept, notes);
    expect(last.at(-1)).toBe('end');
    expect(last.length - 1).toBeLessThan(FILES); // or no batch was kept
    const { extract, read } = plainExtractor();
    const index = openIndex(kept, [{ path: notes, name: 'notes' }], { extract });
    for (let number = 0; number < FILES; number += 1)
      expect(await foundNames(index, `number${number}`)).toEqual([`notes/${number}.md`]);
    expect(read).toEqual([]);
    expect(index.status()).toMatchObject({ counts: { indexed: FILES, failed: 0, pending: 0 } });
    expect(index.status().problem).toBeUndefined();
  }, 120_000);

  it('while it writes leaves what was stored before', async () => {
    const { notes, kept } = library();
    await runWriter(kept, notes);
    for (let time = 1; time <= 5; time += 1) {
      putFiles(notes, { [`${time}.md`]: `Changed words of round${time}.\n` });
      await runWriter(kept, notes, { killAt: 1 });
      const { extract } = plainExtractor();
      const index = openIndex(kept, [{ path: notes, name: 'notes' }], { extract });
      expect(await foundNames(index, `round${time}`)).toEqual([`notes/${time}.md`]);
      expect(await foundNames(index, 'number50')).toEqual(['notes/50.md']);
    }
  }, 60_000);
});

describe('two writers', () => {
  it('read every file once between them, and lose nothing', async () => {
    const { notes, kept } = library();
    const [one, other] = await Promise.all([
      runWriter(kept, notes, { pause: 10 }),
      runWriter(kept, notes, { pause: 10 }),
    ]);
    const read = [...one, ...other].filter((line) => line !== 'end');
    expect([one.at(-1), other.at(-1)]).toEqual(['end', 'end']);
    expect(read.toSorted()).toEqual(
      Array.from({ length: FILES }, (_, number) => `${number}.md`).toSorted(),
    );
    const index = openIndex(kept, [{ path: notes, name: 'notes' }]);
    await index.update();
    expect(index.status().counts).toMatchObject({ indexed: FILES, pending: 0 });
  }, 60_000);

  it('tell how far the other one has come, until it is done', async () => {
    const { notes, kept } = library();
    await runWriter(kept, notes);
    putFiles(notes, { 'new.md': 'Darjeeling of the first flush.\n' });
    const taken = takeLock(join(kept, 'writer.lock'), 'another');
    if (taken.kind !== 'held') throw new Error(taken.kind);
    let changes = 0;
    let tell: () => void = () => undefined;
    const onChange = (): void => {
      changes += 1;
      tell();
    };
    const index = openIndex(kept, [{ path: notes, name: 'notes' }], { onChange });
    await index.update();
    expect(index.isFollowing()).toBe(true);
    expect(index.status()).toMatchObject({
      state: 'indexing',
      progress: { what: 'reading', done: FILES, total: FILES + 1 },
    });
    expect(index.changes()).toBeUndefined();
    // Nobody asks it to look again.
    const before = changes;
    taken.lock.release();
    await new Promise<void>((resolve) => {
      tell = () => {
        if (index.status().state === 'idle') resolve();
      };
    });
    expect(changes).toBeGreaterThan(before);
    expect(index.isFollowing()).toBe(false);
    expect(index.status().counts).toMatchObject({ indexed: FILES + 1, pending: 0 });
  });

  it('take turns: one that finds another at work finds what that one has stored', async () => {
    const { notes, kept } = library();
    await runWriter(kept, notes);
    putFiles(notes, { 'new.md': 'Darjeeling of the first flush.\n' });
    const taken = takeLock(join(kept, 'writer.lock'), 'another');
    if (taken.kind !== 'held') throw new Error(taken.kind);
    const { extract, read } = plainExtractor();
    const index = openIndex(kept, [{ path: notes, name: 'notes' }], { extract });
    expect(await foundNames(index, 'darjeeling')).toEqual([]);
    expect(await foundNames(index, 'number7')).toEqual(['notes/7.md']);
    expect(index.status().counts.pending).toBe(1);
    taken.lock.release();
    expect(await foundNames(index, 'darjeeling')).toEqual(['notes/new.md']);
    expect(read).toEqual(['new.md']);
  });
});

describe('a writer', () => {
  it('that has to wait removes the texts of a folder that is chosen no more afterwards', async () => {
    const [notes, more, kept] = [tempFolder(), tempFolder(), tempFolder()];
    putFiles(notes, { 'a.md': 'Oolong.' });
    putFiles(more, { 'b.md': 'Gyokuro.' });
    const index = openIndex(kept, [
      { path: notes, name: 'notes' },
      { path: more, name: 'more' },
    ]);
    await index.update();
    expect(readdirSync(join(kept, 'texts'))).toHaveLength(2);
    const taken = takeLock(join(kept, 'writer.lock'), 'another');
    if (taken.kind !== 'held') throw new Error(taken.kind);
    index.setFolders([{ path: notes, name: 'notes' }]);
    await index.update();
    taken.lock.release();
    await index.update();
    expect(readdirSync(join(kept, 'texts'))).toHaveLength(1);
  });

  it('that loses the lock leaves the rest, and a later launch finds all', async () => {
    const [notes, kept] = [tempFolder(), tempFolder()];
    const numbers = [0, 1, 2, 3, 4];
    putFiles(notes, Object.fromEntries(numbers.map((n) => [`${n}.md`, `Oolong of number${n}.`])));
    const folders = [{ path: notes, name: 'notes' }];
    const lockPath = join(kept, 'writer.lock');
    const { extract, read } = plainExtractor();
    const index = openIndex(kept, folders, {
      extract: (path) => {
        if (read.length === 2) writeFileSync(lockPath, `${process.pid}\nanother`);
        return extract(path);
      },
    });
    await index.update();
    expect(read).toHaveLength(3);
    expect(index.isFollowing()).toBe(true);
    expect(index.status().counts).toMatchObject({ indexed: 2, pending: 3 });
    unlinkSync(lockPath);
    await index.update();
    expect(index.status().counts).toMatchObject({ indexed: 5, pending: 0 });
    const later = openIndex(kept, folders);
    for (const n of numbers)
      expect(await foundNames(later, `number${n}`)).toEqual([`notes/${n}.md`]);
  });
});

describe('the lock of the writer', () => {
  /** Milliseconds after which a holder is silent. */
  const STALE_MS = 8_000;
  const lockPath = (): string => join(tempFolder(), 'documents', 'writer.lock');

  /** As a holder would leave it that was killed. */
  function abandoned(path: string, pid: number, ageMs: number): void {
    const then = new Date(Date.now() - ageMs);
    writeFileSync(path, `${pid}\nanother`);
    utimesSync(path, then, then);
  }

  it('is held by one, until it is released', () => {
    const path = lockPath();
    const first = takeLock(path, 'one');
    if (first.kind !== 'held') throw new Error(first.kind);
    expect(takeLock(path, 'two').kind).toBe('busy');
    expect(first.lock.isHeld()).toBe(true);
    first.lock.release();
    expect(existsSync(path)).toBe(false);
    const second = takeLock(path, 'two');
    first.lock.release();
    expect(second.kind === 'held' && second.lock.isHeld()).toBe(true);
    if (second.kind === 'held') second.lock.release();
  });

  it('is another one’s once it was broken', () => {
    const path = lockPath();
    const first = takeLock(path, 'one');
    if (first.kind !== 'held') throw new Error(first.kind);
    abandoned(path, process.pid, STALE_MS + 1_000);
    expect(first.lock.isHeld()).toBe(false);
    const second = takeLock(path, 'two');
    expect(second.kind).toBe('held');
    first.lock.release();
    expect(readFileSync(path, 'utf8')).toContain('two');
    if (second.kind === 'held') second.lock.release();
  });

  it.each<[string, number, number, 'held' | 'busy']>([
    ['of this process, fresh', process.pid, 0, 'busy'],
    ['of this process, silent', process.pid, STALE_MS + 1_000, 'held'],
    ['of this process, from the future', process.pid, -STALE_MS - 1_000, 'held'],
    ['of a process that is gone', 2 ** 22 + 1, 0, 'held'],
    ['of nobody', 0, 0, 'busy'],
  ])('%s', (_what, pid, age, kind) => {
    const path = lockPath();
    releaseLock(path, 'none');
    const made = takeLock(path, 'maker');
    if (made.kind === 'held') made.lock.release();
    abandoned(path, pid, age);
    const taken = takeLock(path, 'one');
    expect(taken.kind).toBe(kind);
    if (taken.kind === 'held') taken.lock.release();
  });
});
