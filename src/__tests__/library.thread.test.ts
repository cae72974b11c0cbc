import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { createLibrary, type Library, type LibraryOutcome } from '../host/library/library';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';
import { putConversation } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const ASSETS = join(import.meta.dirname, '../../assets');

const tempFolder = tempFolders();

const opened: Library[] = [];
afterEach(() => {
  for (const library of opened.splice(0)) library.close();
});

function open(supportPath: string, assetsPath = ASSETS): Library {
  const library = createLibrary({ supportPath, assetsPath });
  opened.push(library);
  return library;
}

/** A folder with this as `library.js`. */
function assetsWith(code: string): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'library.js'), code);
  return folder;
}

function store(): string {
  const supportPath = tempFolder();
  for (const word of ['harbour', 'lights']) {
    const turns = [makeTurn({ question: `Which ${word}?` })];
    putConversation(supportPath, makeConversation({ id: word, title: 'T', turns }), BUILDER_TIME);
  }
  return supportPath;
}

/** The answer of the whole index. */
async function whole(library: Library, query: string): Promise<LibraryOutcome> {
  for (let tries = 0; tries < 200; tries += 1) {
    const outcome = await library.search(query);
    if (!outcome.ok || outcome.complete) return outcome;
  }
  throw new Error('The index did not become whole.');
}

/** Answers each question with its own words, the last one first. */
const ECHO = `exports.serveLibrary = (port) => {
  const asked = [];
  port.on('message', ({ id, query }) => {
    asked.unshift({ id, reply: { ok: true, complete: true, hits: [{ id: query, score: 1 }] } });
    if (asked.length === 3) for (const answer of asked) port.postMessage(answer);
  });
};`;
const SILENT = 'exports.serveLibrary = (port) => port.on("message", () => undefined);';

describe('the built file', () => {
  it('finds in a thread of its own', async () => {
    const outcome = await whole(open(store()), 'harb');
    expect(outcome).toEqual({
      ok: true,
      complete: true,
      hits: [
        {
          id: 'harbour',
          score: expect.any(Number) as number,
          snippet: { turnId: 'turn-1', part: 'question', text: 'Which harbour?' },
        },
      ],
    });
  });

  it('goes on answering', async () => {
    const library = open(store());
    for (const [query, id] of [
      ['harbour', 'harbour'],
      ['lights', 'lights'],
      ['which', 'harbour'],
    ] as const) {
      const outcome = await whole(library, query);
      expect(outcome.ok && outcome.hits.map((hit) => hit.id)).toContain(id);
    }
  });
});

describe('answers', () => {
  it('belong to their questions, in whatever order they come', async () => {
    const library = open(tempFolder(), assetsWith(ECHO));
    const outcomes = await Promise.all(['a', 'b', 'c'].map((query) => library.search(query)));
    expect(outcomes.map((outcome) => outcome.ok && outcome.hits[0]?.id)).toEqual(['a', 'b', 'c']);
  });

  it.each<[string, string, string]>([
    [
      'that throws',
      'throw new Error("no\\nsecond line")',
      'The conversations could not be searched: no.',
    ],
    ['that is cut', 'exports.serveLibrary = (', 'The conversations could not be searched: '],
    ['without the search', 'exports.other = 1', 'The conversations could not be searched: '],
    [
      'that ends',
      'exports.serveLibrary = () => process.exit(0)',
      'The conversations could not be searched: the search ended early.',
    ],
    [
      'that dies of a question',
      'exports.serveLibrary = (port) => port.on("message", () => { throw new Error("hm"); })',
      'The conversations could not be searched: hm.',
    ],
    [
      'of another version',
      'exports.serveLibrary = (port) => port.on("message", ({ id }) => port.postMessage({ id, rows: [] }))',
      'The conversations could not be searched: assets/library.js does not belong to this version; reinstall Lam.',
    ],
    [
      'that needs too much memory',
      'exports.serveLibrary = () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); }',
      'The conversations could not be searched: ',
    ],
  ])('of a file %s are failures, and the next search tries again', async (_what, code, message) => {
    const library = open(tempFolder(), assetsWith(code));
    for (let time = 0; time < 2; time += 1) {
      const outcome = await library.search('harbour');
      expect(outcome).toEqual({ ok: false, message: expect.stringContaining(message) as string });
      expect(outcome.ok || outcome.message).toMatch(/^[^\n]*[^.\n]\.$/);
    }
  });

  it('say what to do when the file is missing, and come once it is there', async () => {
    const assets = tempFolder();
    const library = open(store(), assets);
    expect(await library.search('harbour')).toEqual({
      ok: false,
      message: 'The search is missing (assets/library.js); reinstall Lam, or run npm run prepare.',
    });
    writeFileSync(
      join(assets, 'library.js'),
      `module.exports = require(${JSON.stringify(join(ASSETS, 'library.js'))});`,
    );
    expect(await whole(library, 'harbour')).toMatchObject({ ok: true, hits: [{ id: 'harbour' }] });
  });
});

describe('a search', () => {
  const stopped = { ok: false, message: 'The search was stopped.' };

  it('ends when it is aborted, and leaves the others alone', async () => {
    const library = open(store(), assetsWith(SILENT));
    const controller = new AbortController();
    const search = library.search('harbour', controller.signal);
    const other = library.search('lights');
    controller.abort();
    expect(await search).toEqual(stopped);
    expect(await library.search('harbour', controller.signal)).toEqual(stopped);
    library.close();
    expect(await other).toEqual(stopped);
  });

  it('is not begun after the end', async () => {
    const library = open(store());
    library.close();
    library.close();
    expect(await library.search('harbour')).toEqual(stopped);
  });
});
