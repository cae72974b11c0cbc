import { mkdirSync, readdirSync, realpathSync, unlinkSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import { createDocuments, type Documents } from '../host/documents/documents';
import type { DocumentsStatus } from '../host/documents/status';
import type { DocumentSearchOutcome } from '../lib/types';
import { putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';
import { startWebServer, type WebServer } from './support/web-server';

const ASSETS = join(import.meta.dirname, '../../assets');

const tempFolder = tempFolders();

const opened: Documents[] = [];
const servers: WebServer[] = [];
afterEach(async () => {
  for (const documents of opened.splice(0)) documents.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const never = (): AbortSignal => new AbortController().signal;

function open(options: Partial<Parameters<typeof createDocuments>[0]> = {}): Documents {
  const documents = createDocuments({ supportPath: tempFolder(), assetsPath: ASSETS, ...options });
  opened.push(documents);
  return documents;
}

/** A folder of this name with these files. */
function folderOf(files: Record<string, string>, name = 'notes'): string {
  const folder = join(realpathSync(tempFolder()), name);
  mkdirSync(folder);
  putFiles(folder, files);
  return folder;
}

/** The first status of which this is true. */
async function statusWhen(
  documents: Documents,
  isSo: (status: DocumentsStatus) => boolean,
): Promise<DocumentsStatus> {
  for (;;) {
    const status = await documents.status();
    if (isSo(status)) return status;
    await delay(20);
  }
}

const namesOf = (outcome: DocumentSearchOutcome): string[] =>
  outcome.ok ? outcome.hits.map(({ document }) => document.name) : [outcome.message];

/** What a request for vectors is answered with: vectors, a failure, or nothing. */
type Mood = 'gives' | 'fails' | 'hangs';

/** A model server that knows that a car is an automobile. `asked` are the texts of the requests, one list each. */
async function modelServer(mood: (texts: readonly string[], count: number) => Mood) {
  const asked: string[][] = [];
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { input } = JSON.parse(body) as { input: string[] };
      asked.push(input);
      const now = mood(input, asked.length);
      if (now === 'hangs') return;
      const embeddings = input.map((text) => (/\bcar\b|automobile/.test(text) ? [1, 0] : [0, 1]));
      response.writeHead(now === 'gives' ? 200 : 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(now === 'gives' ? { embeddings } : { error: 'out of memory' }));
    });
  };
  const server = await startWebServer(listener);
  servers.push(server);
  const embedding = { kind: 'ollama' as const, address: server.origin, apiKey: '', model: 'small' };
  return { embedding, asked };
}

const CARS = {
  'drive.md': 'The automobile needs winter tyres in November.',
  'wash.md': 'Rain cleans an automobile as well.',
  'leaf.md': 'Oolong is picked in May.',
};

/** So many files of one passage each. */
const manyFiles = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.md`, `Oolong of number${n}.`]));

/** Nothing is under way, and so many texts have been asked for. */
const hasAsked =
  (asked: readonly (readonly string[])[], texts: number) =>
  ({ state }: DocumentsStatus): boolean =>
    state === 'idle' && asked.flat().length >= texts;

/** Waits until something is found by meaning. */
async function meaningful(documents: Documents): Promise<void> {
  for (;;) {
    const found = namesOf(await documents.search('car', never()));
    if (found.length > 0) return;
    await delay(20);
  }
}

describe('a model server', () => {
  it('finds by meaning while it answers; when it does not, words do, and that is told', async () => {
    let isThere = true;
    const { embedding } = await modelServer(() => (isThere ? 'gives' : 'fails'));
    const documents = open({ folder: folderOf(CARS), embedding });
    await meaningful(documents);
    const found = async (query: string) => namesOf(await documents.search(query, never()));
    expect((await found('car')).slice(0, 2).toSorted()).toEqual([
      'notes/drive.md',
      'notes/wash.md',
    ]);
    expect((await documents.status()).embeddingProblem).toBeUndefined();
    isThere = false;
    expect(await found('car')).toEqual([]);
    expect(await found('oolong')).toEqual(['notes/leaf.md']);
    expect((await documents.status()).embeddingProblem).toMatch(
      /^No embeddings: documents are found by words only\. .*\(500\)/,
    );
    isThere = true;
    expect(await found('car')).toContain('notes/drive.md');
    expect((await documents.status()).embeddingProblem).toBeUndefined();
  });

  it('hides nothing that has the words, however much is near', async () => {
    const files: Record<string, string> = { ...CARS };
    for (let n = 0; n < 60; n += 1) files[`${n}.md`] = `The automobile number${n}.`;
    const { embedding } = await modelServer(() => 'gives');
    const documents = open({ folder: folderOf(files), embedding });
    await meaningful(documents);
    const found = namesOf(await documents.search('oolong car', never()));
    expect(found[0]).toBe('notes/leaf.md');
    expect(found).toHaveLength(8);
  });

  it('leaves nothing of a file that is gone', async () => {
    const supportPath = tempFolder();
    const folder = folderOf({ 'drive.md': CARS['drive.md'] });
    const { embedding } = await modelServer(() => 'gives');
    const documents = open({ supportPath, folder, embedding });
    await meaningful(documents);
    const vectors = (): string[] => readdirSync(join(supportPath, 'documents/vectors'));
    await statusWhen(documents, () => vectors().length > 0);
    unlinkSync(join(folder, 'drive.md'));
    await documents.refresh();
    await statusWhen(documents, () => vectors().length === 0);
    expect((await documents.status()).counts.indexed).toBe(0);
  });

  it('is told what is a passage and what a question, as its model wants', async () => {
    const { embedding, asked } = await modelServer(() => 'gives');
    const folder = folderOf({ 'drive.md': CARS['drive.md'] });
    const documents = open({ folder, embedding: { ...embedding, model: 'nomic-embed-text' } });
    await meaningful(documents);
    expect(new Set(asked.flat())).toEqual(
      new Set([`search_document: ${CARS['drive.md']}`, 'search_query: car']),
    );
  });

  it('is left alone after three failures one after the other, and asked again later', async () => {
    let isThere = false;
    const { embedding, asked } = await modelServer(() => (isThere ? 'gives' : 'fails'));
    const documents = open({ folder: folderOf(manyFiles(100)), embedding });
    const told = ({ embeddingProblem, counts, state }: DocumentsStatus): boolean =>
      embeddingProblem !== undefined && counts.indexed === 100 && state === 'idle';
    await statusWhen(documents, (status) => told(status) && asked.length >= 3);
    await documents.refresh();
    await statusWhen(documents, (status) => told(status) && asked.length >= 6);
    // However often it is looked: the same three requests.
    expect(new Set(asked.flat()).size).toBe(48);
    isThere = true;
    asked.length = 0;
    await documents.refresh();
    await statusWhen(documents, hasAsked(asked, 100));
    expect(asked.flat().toSorted()).toEqual(Object.values(manyFiles(100)).toSorted());
    expect((await documents.status()).embeddingProblem).toBeUndefined();
  });

  it('is not left alone for failures between which it answers, and the rest is asked for later', async () => {
    const { embedding, asked } = await modelServer((_texts, count) =>
      count < 7 && count % 2 === 0 ? 'fails' : 'gives',
    );
    const documents = open({ folder: folderOf(manyFiles(112)), embedding });
    await statusWhen(documents, hasAsked(asked, 112));
    expect(asked).toHaveLength(7);
    const missing = [1, 3, 5].flatMap((place) => asked[place] ?? []);
    asked.length = 0;
    await documents.refresh();
    await statusWhen(documents, hasAsked(asked, 48));
    expect(asked.flat().toSorted()).toEqual(missing.toSorted());
  });

  it('that does not answer a question is not waited for beyond four seconds', async () => {
    const { embedding } = await modelServer((texts) =>
      texts.includes('car oolong') ? 'hangs' : 'gives',
    );
    const documents = open({ folder: folderOf(CARS), embedding });
    await meaningful(documents);
    expect(namesOf(await documents.search('car oolong', never()))).toEqual(['notes/leaf.md']);
    expect((await documents.status()).embeddingProblem).toContain(
      'The embedding model gave no answer within 4 s.',
    );
  });

  it('is asked for the last requests only after an end in the middle', async () => {
    const supportPath = tempFolder();
    const folder = folderOf(manyFiles(20 * 16));
    let reached: () => void = () => undefined;
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const first = await modelServer((_texts, count) => {
      if (count < 20) return 'gives';
      reached();
      return 'hangs';
    });
    const documents = open({ supportPath, folder, embedding: first.embedding });
    await documents.status();
    await isReached;
    documents.close();
    const second = await modelServer(() => 'gives');
    const later = open({ supportPath, folder, embedding: second.embedding });
    // What was asked for since the last writing, and what never was.
    await statusWhen(later, hasAsked(second.asked, 4 * 16));
    expect(second.asked.flat()).toHaveLength(4 * 16);
  });
});
