import type { IncomingMessage, ServerResponse } from 'node:http';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import type { DocumentIndex } from '../host/documents/document-index';
import { createEmbedder } from '../host/documents/embedding';
import { createSemantic } from '../host/documents/semantic';
import { foundNames, openIndex, putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';
import { startWebServer } from './support/web-server';

const tempFolder = tempFolders();

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const BodySchema = z.object({ model: z.string(), input: z.array(z.string()) });
type Body = z.infer<typeof BodySchema>;

/** What a server answers; text = not as JSON. */
type Answer = (body: Body) => unknown;

/** A model server whose answers can be changed, and what it was asked. */
async function modelServer(first: Answer) {
  const server = { answer: first, asked: [] as Body[] };
  const reply = (request: IncomingMessage, response: ServerResponse): void => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = z.parse(BodySchema, JSON.parse(text));
      server.asked.push(body);
      const answer = server.answer(body);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(typeof answer === 'string' ? answer : JSON.stringify({ embeddings: answer }));
    });
  };
  const web = await startWebServer(reply);
  closers.push(() => web.close());
  const texts = (): string[] => server.asked.flatMap(({ input }) => input).toSorted();
  return Object.assign(server, { origin: web.origin, texts });
}

/** Knows that a car is an automobile, in so many numbers. */
const vector = (text: string, length: number): number[] => {
  const at = /car|automobile/.test(text) ? 0 : 1;
  return Array.from({ length }, (_, place) => (place === at ? 1 : 0));
};
const inNumbers =
  (length: number): Answer =>
  ({ input }) =>
    input.map((text) => vector(text, length));

const FILES = {
  'drive.md': 'The automobile needs winter tyres in November.',
  'leaf.md': 'Oolong is picked in May.',
};
const TEXTS = Object.values(FILES).toSorted();

/** A folder of documents, and launches of an index of it. */
function documents(origin: string, files: Record<string, string> = FILES) {
  const notes = tempFolder();
  const kept = tempFolder();
  putFiles(notes, files);
  const launch = (model = 'small'): DocumentIndex => {
    const semantic = createSemantic({
      folder: kept,
      token: 'test',
      model,
      embed: createEmbedder({ kind: 'ollama', address: origin, apiKey: '', model }),
      onChange: () => undefined,
    });
    const index = openIndex(kept, [{ path: notes, name: 'notes' }], { semantic });
    closers.push(() => index.close());
    return index;
  };
  const ready = async (model?: string): Promise<DocumentIndex> => {
    const index = launch(model);
    await made(index);
    return index;
  };
  return { notes, kept, launch, ready };
}

/** Brings the index and its vectors up to date. */
async function made(index: DocumentIndex): Promise<void> {
  await index.update();
  await index.embedded();
}

const files = (kept: string): string[] => readdirSync(join(kept, 'vectors'));

describe('another embedding model', () => {
  it('has all vectors made anew, and nothing of the old ones stays', async () => {
    const server = await modelServer(inNumbers(4));
    const { kept, ready } = documents(server.origin);
    const first = await ready('small');
    expect((await foundNames(first, 'car'))[0]).toBe('notes/drive.md');
    await first.close();
    server.asked.length = 0;
    const second = await ready('large');
    expect(server.texts()).toEqual(TEXTS);
    expect(new Set(server.asked.map(({ model }) => model))).toEqual(new Set(['large']));
    expect(files(kept)).toEqual(['1.vec']);
    expect((await foundNames(second, 'car'))[0]).toBe('notes/drive.md');
    const { state, embeddingProblem } = second.status();
    expect([state, embeddingProblem]).toEqual(['idle', undefined]);
  });

  it('that does not answer leaves the words, no vector of the old one, and says so', async () => {
    const server = await modelServer(inNumbers(4));
    const { kept, ready } = documents(server.origin);
    await (await ready('small')).close();
    server.answer = () => 'no JSON';
    const second = await ready('large');
    expect(await foundNames(second, 'car')).toEqual([]);
    expect(await foundNames(second, 'oolong')).toEqual(['notes/leaf.md']);
    expect(files(kept)).toEqual([]);
    expect(second.status().embeddingProblem).toContain('found by words only');
    server.answer = inNumbers(4);
    await made(second);
    expect((await foundNames(second, 'car'))[0]).toBe('notes/drive.md');
    expect(second.status().embeddingProblem).toBeUndefined();
  });

  it('is the same when blanks are typed around its name', async () => {
    const server = await modelServer(inNumbers(4));
    const { ready } = documents(server.origin);
    await (await ready('small')).close();
    server.asked.length = 0;
    await ready(' small ');
    expect(server.asked).toEqual([]);
  });
});

describe('a model that gives another length under its old name', () => {
  it('is noticed with a question: words count, it is said, and all is made anew, once', async () => {
    const server = await modelServer(inNumbers(4));
    const { launch, ready } = documents(server.origin);
    await (await ready()).close();
    const index = launch();
    await made(index);
    server.answer = inNumbers(8);
    server.asked.length = 0;
    const statuses: unknown[] = [];
    const answer = server.answer;
    server.answer = (body) => {
      statuses.push(index.status());
      return answer(body);
    };
    // None of its words is there, and the old vectors are compared with nothing.
    expect(await foundNames(index, 'car')).toEqual([]);
    expect(await foundNames(index, 'oolong')).toContain('notes/leaf.md');
    await index.embedded();
    expect(JSON.stringify(statuses)).toContain(
      'gives 8 numbers now and gave 4 before: all documents are compared anew',
    );
    expect(statuses).toContainEqual(
      expect.objectContaining({
        state: 'indexing',
        progress: { what: 'comparing', done: 0, total: 2 },
      }),
    );
    expect((await foundNames(index, 'car'))[0]).toBe('notes/drive.md');
    const { state, embeddingProblem } = index.status();
    expect([state, embeddingProblem]).toEqual(['idle', undefined]);
    const times = (text: string) => server.texts().filter((one) => one === text).length;
    server.asked.length = 0;
    await made(index);
    expect(TEXTS.map(times)).toEqual([0, 0]);
    await index.close();
    await ready();
    expect(TEXTS.map(times)).toEqual([0, 0]);
  });

  it('is noticed with a new text, before any question', async () => {
    const server = await modelServer(inNumbers(4));
    const { notes, ready } = documents(server.origin);
    const index = await ready();
    putFiles(notes, { 'new.md': 'A car of another make.' });
    server.answer = inNumbers(8);
    server.asked.length = 0;
    await made(index);
    expect(server.texts()).toEqual([...TEXTS, 'A car of another make.'].toSorted());
    expect((await foundNames(index, 'automobile')).toSorted()).toContain('notes/new.md');
    expect(index.status().embeddingProblem).toBeUndefined();
  });

  it('has been remade by another launch: its vectors are taken, and nothing is asked for', async () => {
    const server = await modelServer(inNumbers(4));
    const { launch, ready } = documents(server.origin);
    const early = await ready();
    server.answer = inNumbers(8);
    const late = launch();
    await foundNames(late, 'car');
    await late.embedded();
    await late.close();
    server.asked.length = 0;
    expect((await foundNames(early, 'car'))[0]).toBe('notes/drive.md');
    await early.embedded();
    expect(server.texts()).toEqual(['car']);
  });

  it('for questions only is said, and no text is asked for again and again', async () => {
    const isQuestion = ({ input }: Body) => input.length === 1 && input[0] === 'car';
    const server = await modelServer((body) => inNumbers(isQuestion(body) ? 8 : 4)(body));
    const { ready } = documents(server.origin);
    const index = await ready();
    for (let time = 0; time < 4; time += 1) {
      expect(await foundNames(index, 'car')).toEqual([]);
      await made(index);
    }
    // Once each, and one of them once more to see which of the two has changed.
    expect(server.texts().filter((text) => text !== 'car')).toHaveLength(3);
    expect(index.status().embeddingProblem).toContain(
      'gives 8 numbers for a question and 4 for a text, which cannot be compared',
    );
    expect((await foundNames(index, 'oolong'))[0]).toBe('notes/leaf.md');
  });

  it('and fails when all is to be made anew keeps the old vectors until it answers', async () => {
    const server = await modelServer(inNumbers(4));
    const { kept, ready } = documents(server.origin);
    const index = await ready();
    const isQuestion = ({ input }: Body) => input.length === 1 && input[0] === 'car';
    server.answer = (body) => (isQuestion(body) ? inNumbers(8)(body) : 'no JSON');
    expect(await foundNames(index, 'car')).toEqual([]);
    await index.embedded();
    expect(index.status().embeddingProblem).toContain('the answer is no JSON');
    expect(files(kept)).toEqual(['1.vec']);
    server.answer = inNumbers(8);
    await made(index);
    expect((await foundNames(index, 'car'))[0]).toBe('notes/drive.md');
    expect(index.status().embeddingProblem).toBeUndefined();
  });
});

describe('answers of no use', () => {
  /** Many small stretches of one file, more than one request. */
  const LONG = {
    'long.md': Array.from(
      { length: 40 },
      (_, n) => `# Part ${n}\n\n${`word${n} `.repeat(120)}`,
    ).join('\n\n'),
  };

  it.each<[string, Answer]>([
    ['NaN', ({ input }) => `{"embeddings":[${input.map(() => '[NaN,1,0,0]').join()}]}`],
    ['null', ({ input }) => input.map(() => [null, 1, 0, 0])],
    ['endless', ({ input }) => `{"embeddings":[${input.map(() => '[1e999,1,0,0]').join()}]}`],
    ['empty', ({ input }) => input.map(() => [])],
    [
      'mixed',
      ({ input }) => [...input, ''].map((_, n) => vector('', 4 + n)).slice(0, input.length),
    ],
    ['one too few', ({ input }) => input.slice(1).map(() => [1, 0, 0, 0])],
  ])('take no good vector away: %s', async (_what, bad) => {
    const server = await modelServer(inNumbers(4));
    const { notes, kept, ready } = documents(server.origin);
    const index = await ready();
    const before = files(kept);
    putFiles(notes, LONG);
    server.answer = bad;
    await made(index);
    expect(files(kept)).toEqual(before);
    expect(index.status()).toMatchObject({
      state: 'idle',
      embeddingProblem: expect.stringMatching(/found by words only/) as string,
    });
    expect((await foundNames(index, 'oolong'))[0]).toBe('notes/leaf.md');
    server.answer = inNumbers(4);
    server.asked.length = 0;
    await made(index);
    expect(server.texts()).not.toContain(TEXTS[0]);
    expect((await foundNames(index, 'car'))[0]).toBe('notes/drive.md');
    expect(index.status().embeddingProblem).toBeUndefined();
  });

  it('of several lengths in one file are given up after one new beginning', async () => {
    let count = 0;
    const server = await modelServer((body) => inNumbers(4 + (count++ % 2))(body));
    const { ready } = documents(server.origin, LONG);
    const index = await ready();
    expect(server.asked).toHaveLength(3);
    expect(index.status()).toMatchObject({
      state: 'idle',
      embeddingProblem: expect.stringContaining('gave now 5 and now 4 numbers') as string,
    });
    expect(await foundNames(index, 'word7')).toEqual(['notes/long.md']);
  });

  it('for a question leave the words, and are said', async () => {
    const server = await modelServer(inNumbers(4));
    const { ready } = documents(server.origin);
    const index = await ready();
    server.answer = () => [[0, 0, 0, 0]];
    expect(await foundNames(index, 'oolong')).toEqual(['notes/leaf.md']);
    expect(index.status().embeddingProblem).toContain('"small" gave a vector of no use');
    server.answer = inNumbers(4);
    expect((await foundNames(index, 'car'))[0]).toBe('notes/drive.md');
    expect(index.status().embeddingProblem).toBeUndefined();
  });
});
