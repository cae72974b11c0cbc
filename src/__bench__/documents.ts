import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import * as z from 'zod/mini';

import { createDocumentIndex, type DocumentIndex } from '../host/documents/document-index';
import { createDocuments } from '../host/documents/documents';
import { createExtractor } from '../host/documents/extract';
import type { ReadFile, Walk } from '../host/documents/indexing';
import { readPath } from '../host/documents/read-path';
import { walk } from '../host/documents/walk';
import { pdfFile } from '../__tests__/support/pdf-files';
import { createWords, type Words } from './document-words';

const FILES = 2_000;
const FILE_BYTES = 25_000;
const QUERIES = 200;
const WORDS_PER_QUERY = 6;

/** Milliseconds between two looks at the memory. */
const SAMPLE_MS = 10;

/** What reading a folder of 2,000 files costs; times in milliseconds, sizes in bytes. */
export interface IndexingCost {
  files: number;
  bytes: number;
  blocks: number;
  /** All files for the first time. */
  first: number;
  /** The same folder again, in a new launch: nothing has changed. */
  again: number;
  /** The same, with one file changed. */
  oneChanged: number;
  /** Memory of the whole process at most, above what it was before. */
  peak: number;
  /** What is kept on the disk. */
  kept: number;
}

/** What questions cost in an index of so many blocks. */
export interface QueryCost {
  blocks: number;
  /** From nothing to the first answer, the index being read from the disk. */
  load: number;
  p50: number;
  p95: number;
  /** A word that is nowhere: other spellings are looked for among all words. */
  misspelt: number;
  /** Memory that the index holds on to. */
  memory: number;
}

const GcSchema = z.custom<() => void>((value) => typeof value === 'function');

const never = (): AbortSignal => new AbortController().signal;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'lam-bench-documents-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const pdfPage = (words: Words) => ({ lines: Array.from({ length: 40 }, () => words(10)) });

/** The kinds of files by share: mostly notes, then text and code, some pages, few PDF files. */
function contentOf(number: number, words: Words): { ending: string; content: string | Uint8Array } {
  const paragraphs = (units: number): string => {
    let text = `# ${words(4)}\n`;
    while (text.length < units)
      text += `\n${text.length % 5 === 0 ? `## ${words(3)}\n\n` : ''}${words(70)}.\n`;
    return text;
  };
  if (number % 100 === 0)
    return { ending: 'pdf', content: pdfFile({ pages: [pdfPage(words), pdfPage(words)] }) };
  if (number % 20 === 1) {
    const body = paragraphs(FILE_BYTES).replaceAll('\n\n', '</p>\n<p>');
    return {
      ending: 'html',
      content: `<!doctype html><title>${words(4)}</title><article><p>${body}</p></article>`,
    };
  }
  if (number % 5 === 2) {
    let code = '';
    while (code.length < FILE_BYTES)
      code += `function ${words(1)}(${words(2).replace(' ', ', ')}) {\n  // ${words(9)}\n  return ${words(1)};\n}\n\n`;
    return { ending: 'ts', content: code };
  }
  return { ending: number % 2 === 0 ? 'md' : 'txt', content: paragraphs(FILE_BYTES) };
}

function writeCorpus(folder: string): number {
  let bytes = 0;
  for (let number = 0; number < FILES; number += 1) {
    const { ending, content } = contentOf(number, createWords(number + 1));
    const below = join(folder, `part-${number % 40}`);
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `${number}.${ending}`), content);
    bytes += content.length;
  }
  return bytes;
}

/** The most memory the process had while it worked, above what it had before. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, SAMPLE_MS);
  await work();
  clearInterval(timer);
  return most - before;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Reading, reading again, and one change. @param assetsPath folder of the generated files */
export async function indexingCost(assetsPath: string): Promise<IndexingCost> {
  return await withFolder(async (home) => {
    const notes = join(home, 'notes');
    const kept = join(home, 'documents');
    const bytes = writeCorpus(notes);
    const open = (): DocumentIndex => {
      const extract = createExtractor({ assetsPath });
      const index = createDocumentIndex({ folder: kept, token: 'bench', walk, extract, readPath });
      index.setFolders([{ path: notes, name: 'notes' }]);
      return index;
    };
    const index = open();
    let first = 0;
    const peak = await peakOf(async () => {
      first = await timed(() => index.update());
    });
    const { counts, problem } = index.status();
    if (problem !== undefined) throw new Error(problem);
    if (counts.indexed !== FILES) throw new Error(`${counts.indexed} files were indexed.`);
    const again = await timed(() => open().update());
    writeFileSync(join(notes, 'part-1', '1.html'), '<p>Other words than before.</p>');
    const oneChanged = await timed(() => open().update());
    const { blocks } = counts;
    return { files: FILES, bytes, blocks, first, again, oneChanged, peak, kept: sizeOf(kept) };
  });
}

/** Files that are nowhere but in memory, with so many blocks of some 600 letters in all. */
function inMemory(blocks: number): { walk: Walk; extract: ReadFile } {
  const perFile = Math.min(blocks, 100);
  const count = Math.ceil(blocks / perFile);
  return {
    async *walk(folders) {
      const [folder] = folders;
      for (let number = 0; number < count; number += 1) {
        if (number % 100 === 0) await Promise.resolve();
        const path = `${folder?.path ?? ''}/${number}.md`;
        yield { kind: 'file', path, name: `notes/${number}.md`, size: 1, mtimeMs: 1 };
      }
    },
    extract(path) {
      const number = Number(/(\d+)\.md$/.exec(path)?.[1]);
      const words = createWords(number + 1);
      const text = Array.from({ length: perFile }, () => `${words(95)}.`).join('\n\n');
      const version = createHash('sha256').update(text).digest('hex');
      const read: Awaited<ReturnType<ReadFile>> = {
        ok: true,
        title: words(3),
        text,
        version,
        size: 1,
        mtimeMs: 1,
      };
      return Promise.resolve(read);
    },
  };
}

function memoryNow(): number {
  setFlagsFromString('--expose-gc');
  const gc = GcSchema.parse(runInNewContext('gc'));
  gc();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function queryCost(blocks: number): Promise<QueryCost> {
  return await withFolder(async (home) => {
    const files = inMemory(blocks);
    const open = (): DocumentIndex => {
      const index = createDocumentIndex({
        folder: join(home, 'documents'),
        token: 'bench',
        readPath,
        patienceMs: 600_000,
        ...files,
      });
      index.setFolders([{ path: home, name: 'notes' }]);
      return index;
    };
    const writer = open();
    await writer.update();
    const made = writer.status().counts.blocks;
    const before = memoryNow();
    const index = open();
    const load = await timed(() => index.search('first of all', never()));
    const memory = memoryNow() - before;
    const words = createWords(4_711);
    const times: number[] = [];
    for (let query = 0; query < QUERIES; query += 1) {
      const asked = `what is the ${words(WORDS_PER_QUERY)}`;
      times.push(await timed(() => index.search(asked, never())));
    }
    times.sort((one, other) => one - other);
    const misspelt = await timed(() => index.search('karemizan', never()));
    const at = (share: number): number => times[Math.floor(share * times.length)] ?? NaN;
    return { blocks: made, load, p50: at(0.5), p95: at(0.95), misspelt, memory };
  });
}

/** The costs of questions in indexes of these sizes, one after the other. */
export async function queryCosts(sizes: readonly number[]): Promise<QueryCost[]> {
  const costs: QueryCost[] = [];
  for (const size of sizes) costs.push(await queryCost(size));
  return costs;
}

/**
 * What a launch pays when no folder is chosen, in milliseconds.
 *
 * @throws when a file was made for it, or a thread was started
 */
export async function idleCost(assetsPath: string): Promise<number> {
  return await withFolder(async (supportPath) => {
    const before = performance.now();
    const documents = createDocuments({ supportPath, assetsPath });
    const hasFolders = documents.hasFolders();
    const cost = performance.now() - before;
    await documents.search('tea', never());
    const threads = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort');
    if (hasFolders || threads.length > 0) throw new Error('A thread was started for no folder.');
    if (existsSync(join(supportPath, 'documents')))
      throw new Error('A file was made for no folder.');
    return cost;
  });
}
