import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { createDocuments, type Documents } from '../host/documents/documents';
import type { DocumentsStatus } from '../host/documents/status';
import type { DocumentSearchOutcome } from '../lib/types';
import { putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';

const ASSETS = join(import.meta.dirname, '../../assets');

const tempFolder = tempFolders();

const opened: Documents[] = [];
afterEach(() => {
  for (const documents of opened.splice(0)) documents.close();
});

function open(supportPath: string, { assetsPath = ASSETS, folder = '' } = {}): Documents {
  const documents = createDocuments({ supportPath, assetsPath, folder });
  opened.push(documents);
  return documents;
}

/** A folder with this as `documents.js`. */
function assetsWith(code: string): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'documents.js'), code);
  return folder;
}

const never = (): AbortSignal => new AbortController().signal;

/** Documents in three kinds of file. */
function notes(): string {
  const folder = join(tempFolder(), 'notes');
  putFiles(folder, {
    'wuyi.md': '# Wuyi\n\nRock oolong from the cliffs of Fujian.\n',
    'page.html':
      '<!doctype html><title>Sencha</title><body><article><p>Steamed green leaves from Shizuoka, dried and rolled.</p></article>',
    'sub/data.csv': 'tea,degrees\nsencha,80\nassam,95\n',
    '.hidden.md': 'A secret.',
    'blob.bin': '\u0000\u0001\u0002\u0000',
  });
  return folder;
}

/** The answer of the whole index. */
async function whole(documents: Documents, query: string): Promise<DocumentSearchOutcome> {
  for (let tries = 0; tries < 100; tries += 1) {
    const outcome = await documents.search(query, never());
    if (!outcome.ok || outcome.files.pending === 0) return outcome;
  }
  throw new Error('The index did not become whole.');
}

/** The status once nothing is under way. */
async function settled(documents: Documents): Promise<DocumentsStatus> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = documents.onChange(() => {
        stop();
        resolve();
      });
    });
    const status = await documents.status();
    if (status.state === 'idle') return status;
    await changed;
  }
}

const namesOf = (outcome: DocumentSearchOutcome): string[] =>
  outcome.ok ? outcome.hits.map(({ document }) => document.name) : [outcome.message];

describe('without a folder', () => {
  it('nothing is started, and nothing is written', async () => {
    const supportPath = tempFolder();
    // Loading it would leave a mark.
    const mark = join(tempFolder(), 'mark');
    const assetsPath = assetsWith(`require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`);
    const documents = open(supportPath, { assetsPath });
    expect(documents.hasFolders()).toBe(false);
    expect(documents.folders()).toEqual([]);
    const sentence = 'No folder of documents is chosen; that is done in Lam Documents.';
    expect(await documents.search('tea', never())).toEqual({ ok: false, message: sentence });
    expect(await documents.read('notes/a.md', never())).toEqual({
      ok: false,
      status: 'unreadable',
      message: sentence,
    });
    expect(await documents.status()).toMatchObject({ state: 'idle', files: [] });
    expect(await documents.refresh()).toEqual({ isDone: false });
    expect(documents.isThere(supportPath)).toBe(true);
    expect(existsSync(mark)).toBe(false);
    expect(readdirSync(supportPath)).toEqual([]);
  });
});

describe('the built file', () => {
  it('finds and reads in a thread of its own', async () => {
    const documents = open(tempFolder(), { folder: notes() });
    expect(namesOf(await whole(documents, 'Which oolong comes from cliffs?'))).toEqual([
      'notes/wuyi.md',
    ]);
    expect(namesOf(await whole(documents, 'steamed leaves'))).toEqual(['notes/page.html']);
    expect(namesOf(await whole(documents, 'assam degrees'))).toEqual(['notes/sub/data.csv']);
    expect(namesOf(await whole(documents, 'secret'))).toEqual([]);
    const outcome = await documents.read('notes/page.html', never());
    expect(outcome).toMatchObject({
      ok: true,
      document: { name: 'notes/page.html', title: 'Sencha' },
      text: expect.stringContaining('Steamed green leaves') as string,
      blocks: [{ number: 1, kind: 'paragraph' }],
    });
    expect(await documents.read('notes/none.md', never())).toMatchObject({
      ok: false,
      status: 'not-found',
    });
  });

  it('tells its status, and when it is another one', async () => {
    const documents = open(tempFolder());
    expect(documents.addFolder(notes())).toEqual({ ok: true });
    expect(documents.hasFolders()).toBe(true);
    const { counts, files, problem } = await settled(documents);
    expect(counts).toMatchObject({ indexed: 3, pending: 0, failed: 0 });
    expect(problem).toBeUndefined();
    expect(files.find(({ name }) => name === 'notes/blob.bin')).toMatchObject({ state: 'skipped' });
  });

  it('tells what a look for changes has found', async () => {
    const folder = notes();
    const documents = open(tempFolder(), { folder });
    await settled(documents);
    putFiles(folder, { 'new.md': 'Darjeeling.\n', 'wuyi.md': 'Something else than before.\n' });
    expect(await documents.refresh()).toEqual({
      isDone: true,
      changes: { added: 1, changed: 1, gone: 0 },
    });
    documents.close();
    expect(await documents.refresh()).toEqual({ isDone: false });
  });

  it('keeps vectors only as long as there is a model for them', () => {
    const supportPath = tempFolder();
    const vectors = join(supportPath, 'documents/vectors');
    putFiles(vectors, { 'some.bin': 'what the words mean' });
    const embedding = {
      kind: 'ollama' as const,
      address: 'http://127.0.0.1:9',
      apiKey: '',
      model: 'small',
    };
    const withModel = createDocuments({
      supportPath,
      assetsPath: ASSETS,
      folder: notes(),
      embedding,
    });
    opened.push(withModel);
    withModel.hasFolders();
    expect(existsSync(vectors)).toBe(true);
    open(supportPath, { folder: notes() }).hasFolders();
    expect(existsSync(vectors)).toBe(false);
  });

  it('goes on from what an earlier launch has read', async () => {
    const supportPath = tempFolder();
    const folder = notes();
    const first = open(supportPath, { folder });
    await settled(first);
    first.close();
    putFiles(folder, { 'new.md': 'Darjeeling of the first flush.\n' });
    unlinkSync(join(folder, 'wuyi.md'));
    const second = open(supportPath, { folder });
    expect(namesOf(await whole(second, 'darjeeling'))).toEqual(['notes/new.md']);
    expect(namesOf(await whole(second, 'oolong'))).toEqual([]);
  });

  it('keeps nothing when the last folder is taken out', async () => {
    const supportPath = tempFolder();
    const folder = notes();
    const documents = open(supportPath);
    documents.addFolder(folder);
    await settled(documents);
    expect(readdirSync(join(supportPath, 'documents')).toSorted()).toEqual([
      'folders.json',
      'index',
      'texts',
    ]);
    const told = new Promise<void>((resolve) => {
      documents.onChange(resolve);
    });
    expect(documents.removeFolder(folder)).toEqual({ ok: true });
    await told;
    expect(readdirSync(join(supportPath, 'documents'))).toEqual(['folders.json']);
    expect(existsSync(join(folder, 'wuyi.md'))).toBe(true);
  });
});

const SILENT = 'exports.serveDocuments = (port) => port.on("message", () => undefined);';

describe('answers', () => {
  it.each<[string, string, string]>([
    [
      'that throws',
      'throw new Error("no /home/someone/x.js")',
      'their search broke; if it comes back, reinstall Lam.',
    ],
    [
      'that asks for one that is not there',
      'require("/home/someone/x.js")',
      'the system reported MODULE_NOT_FOUND.',
    ],
    ['without the search', 'exports.other = 1', ''],
    ['that ends', 'exports.serveDocuments = () => process.exit(0)', 'their thread ended early.'],
    [
      'that dies of a question',
      'exports.serveDocuments = (port) => port.on("message", () => { throw new Error("hm"); })',
      'their search broke; if it comes back, reinstall Lam.',
    ],
    [
      'of another version',
      'exports.serveDocuments = (port) => port.on("message", ({ id }) => port.postMessage({ id, reply: { rows: [] } }))',
      'assets/documents.js does not belong to this version; reinstall Lam.',
    ],
    [
      'that says something else',
      'exports.serveDocuments = (port) => port.on("message", () => port.postMessage(7))',
      'assets/documents.js does not belong to this version; reinstall Lam.',
    ],
  ])('of a file %s are failures, and the next one tries again', async (_what, code, message) => {
    const documents = open(tempFolder(), { assetsPath: assetsWith(code), folder: notes() });
    for (let time = 0; time < 2; time += 1) {
      const outcome = await documents.search('tea', never());
      expect(outcome).toEqual({ ok: false, message: expect.stringContaining(message) as string });
      const said = outcome.ok || outcome.message;
      expect(said).toMatch(/^The documents could not be searched: .*\.$/);
      expect(said).not.toContain('someone');
    }
    expect(await documents.status()).toMatchObject({
      state: 'idle',
      problem: expect.stringContaining(message) as string,
    });
  });

  it('say what to do when the file is missing, and come once it is there', async () => {
    const assetsPath = tempFolder();
    const documents = open(tempFolder(), { assetsPath, folder: notes() });
    const message =
      'The search of documents is missing (assets/documents.js); reinstall Lam, or run npm run prepare.';
    expect(await documents.search('tea', never())).toEqual({ ok: false, message });
    expect(await documents.status()).toMatchObject({ problem: message });
    writeFileSync(
      join(assetsPath, 'documents.js'),
      `module.exports = require(${JSON.stringify(join(ASSETS, 'documents.js'))});`,
    );
    expect(namesOf(await whole(documents, 'oolong'))).toEqual(['notes/wuyi.md']);
  });

  it('end with their signal, and leave the others alone', async () => {
    const options = { assetsPath: assetsWith(SILENT), folder: notes() };
    const documents = open(tempFolder(), options);
    const stopped = { ok: false, message: 'The search was stopped.' };
    const controller = new AbortController();
    const search = documents.search('tea', controller.signal);
    const read = documents.read('notes/wuyi.md', controller.signal);
    const other = documents.search('leaves', never());
    controller.abort();
    expect(await search).toEqual(stopped);
    expect(await read).toMatchObject(stopped);
    expect(await documents.search('tea', controller.signal)).toEqual(stopped);
    documents.close();
    documents.close();
    expect(await other).toEqual(stopped);
    expect(await documents.search('tea', never())).toEqual(stopped);
  });
});

it('a folder that became a link is told, and nothing behind it is found or read', async () => {
  const home = realpathSync(tempFolder());
  const repo = join(home, 'repo/notes');
  putFiles(home, { 'repo/notes/a.md': 'Oolong.', 'bank.md': 'The number of my account.' });
  const documents = open(tempFolder());
  documents.addFolder(repo);
  await settled(documents);
  rmSync(repo, { recursive: true });
  symlinkSync(home, repo);
  const message = 'No chosen folder of documents can be used now; Lam Documents says why.';
  expect(documents.folders()).toMatchObject([
    { problem: expect.stringContaining('It is a link to another place now') as string },
  ]);
  expect(await documents.search('account', never())).toEqual({ ok: false, message });
  expect(await documents.read('notes/bank.md', never())).toMatchObject({ ok: false, message });
  putFiles(home, { 'other/b.md': 'Sencha.' });
  expect(documents.addFolder(join(home, 'other'))).toEqual({ ok: true });
  expect(namesOf(await whole(documents, 'account'))).toEqual([]);
  expect(namesOf(await whole(documents, 'sencha'))).toEqual(['other/b.md']);
  expect((await documents.read('notes/bank.md', never())).ok).toBe(false);
});

it.each(['index', 'texts', 'vectors'])(
  'without a folder, what a kill left of the documents beside the index goes: %s',
  async (left) => {
    const supportPath = tempFolder();
    const home = join(supportPath, 'documents');
    putFiles(home, { 'index/a.bin': 'x', [`${left}/b.bin`]: 'words' });
    await open(supportPath).status();
    expect(readdirSync(home)).toEqual([]);
  },
);

it('a folder that is gone is told, and no failure', async () => {
  const folder = notes();
  const documents = open(tempFolder(), { folder });
  await settled(documents);
  rmSync(folder, { recursive: true });
  expect(documents.folders()).toMatchObject([
    { path: folder, problem: expect.any(String) as string },
  ]);
  expect((await documents.read('notes/wuyi.md', never())).ok).toBe(false);
  mkdirSync(folder);
  expect((await documents.search('oolong', never())).ok).toBe(true);
});
