import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createChangeCheck } from '../host/evidence/changed';
import { seeEvidence } from '../host/evidence/see';
import type { Evidence } from '../lib/types';
import { makeSource, makeToolCall, makeTurn } from './support/builders';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lam-changed-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function row(
  path: string,
  version: string | undefined,
  kind: Evidence['kind'] = 'document',
): Evidence {
  return {
    index: 1,
    id: path,
    title: 'Tea',
    url: path,
    kind,
    ...(version === undefined ? {} : { version }),
    blocks: [],
    quote: 'Tea',
    score: 1,
    markers: [0],
  };
}

/** What the check says of one file that was read with these words in it. */
async function check(path: string, version: string | undefined): Promise<string | undefined> {
  const states = await createChangeCheck({ maxBytes: 100_000 })([row(path, version)]);
  expect(states.size).toBe(1);
  return states.get(path);
}

describe('what became of a document', () => {
  it('is the same as long as its bytes are', async () => {
    const path = join(folder, 'wuyi ☕.md');
    writeFileSync(path, 'Two minutes.');
    expect(await check(path, hashOf('Two minutes.'))).toBe('same');
    expect(await check(path, hashOf('Two minutes.').toUpperCase())).toBe('same');
  });

  it('has changed when one byte has', async () => {
    const path = join(folder, 'wuyi.md');
    writeFileSync(path, 'Two minutes!');
    expect(await check(path, hashOf('Two minutes.'))).toBe('changed');
    writeFileSync(path, '');
    expect(await check(path, hashOf('Two minutes.'))).toBe('changed');
  });

  it('reads files of more than one piece whole', async () => {
    const path = join(folder, 'long.md');
    const text = 'Two minutes. '.repeat(200_000);
    writeFileSync(path, text);
    const states = await createChangeCheck()([row(path, hashOf(text))]);
    expect(states.get(path)).toBe('same');
  });

  it('is gone when its name is, or its folder, or when it is a folder now', async () => {
    expect(await check(join(folder, 'wuyi.md'), hashOf(''))).toBe('gone');
    expect(await check(join(folder, 'none/wuyi.md'), hashOf(''))).toBe('gone');
    writeFileSync(join(folder, 'none'), '');
    expect(await check(join(folder, 'none/wuyi.md'), hashOf(''))).toBe('gone');
    mkdirSync(join(folder, 'paper.pdf'));
    expect(await check(join(folder, 'paper.pdf'), hashOf(''))).toBe('gone');
  });

  it('is not known of a file without a hash, but that it is gone is', async () => {
    const path = join(folder, 'wuyi.md');
    expect(await check(path, undefined)).toBe('gone');
    writeFileSync(path, 'Two minutes.');
    expect(await check(path, undefined)).toBe('unknown');
  });

  it('is not known of a file that is too large, or of a path that leads nowhere', async () => {
    const path = join(folder, 'large.md');
    writeFileSync(path, 'x'.repeat(100_001));
    expect(await check(path, hashOf('x'))).toBe('unknown');
    expect(await check('wuyi.md', hashOf('x'))).toBe('unknown');
    expect(await check('/a\u0000b', hashOf('x'))).toBe('unknown');
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    expect(await check(join(folder, 'loop'), hashOf('x'))).toBe('unknown');
  });

  it('has changed when it did while it was asked about', async () => {
    const path = join(folder, 'wuyi.md');
    writeFileSync(path, 'new');
    const states = await createChangeCheck()([row(path, hashOf('old')), row(path, hashOf('new'))]);
    expect([...states]).toEqual([[path, 'changed']]);
  });

  it('is asked of documents only, each once', async () => {
    const path = join(folder, 'wuyi.md');
    writeFileSync(path, 'Tea');
    const states = await createChangeCheck()([
      row(path, hashOf('Tea')),
      row('https://tea.example/', hashOf('Tea'), 'web'),
      row(path, hashOf('Tea')),
      row(join(folder, 'gone.md'), hashOf('Tea')),
    ]);
    expect([...states]).toEqual([
      [path, 'same'],
      [join(folder, 'gone.md'), 'gone'],
    ]);
  });

  it('is not known when the time is over', async () => {
    const path = join(folder, 'wuyi.md');
    writeFileSync(path, 'x'.repeat(30_000_000));
    const states = await createChangeCheck({ limitMs: 0 })([row(path, hashOf('Tea'))]);
    expect(states.get(path)).toBe('unknown');
  });
});

describe('the documents of an answer', () => {
  it('are asked about where they are cited, with a passage or without one', async () => {
    const paths = ['a.md', 'b.md', 'c.md'].map((name) => join(folder, name));
    const turn = makeTurn({
      response: 'Two minutes [1]. Three minutes [2].',
      toolCalls: [
        makeToolCall({
          sources: paths.map((url, n) => makeSource({ index: n + 1, url, kind: 'document' })),
        }),
      ],
      evidence: [{ ...row(paths[0] ?? '', hashOf('Tea')), markers: [12] }],
      quotes: [],
    });
    expect((await seeEvidence(turn)).summary).toContain('2 files gone');
    for (const path of paths) writeFileSync(path, 'Tea');
    expect((await seeEvidence(turn)).summary).not.toContain('file');
    writeFileSync(paths[0] ?? '', 'Coffee');
    expect((await seeEvidence(turn)).summary).toContain('1 file changed since the answer');
  });
});
