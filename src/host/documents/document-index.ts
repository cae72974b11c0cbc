import { lstatSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { blocksOf } from '../../lib/blocks';
import type { DocumentOutcome, DocumentSearchOutcome } from '../../lib/types';
import { failed, outcomeOf, STOPPED } from './answers';
import { rankStretches } from './block-ranking';
import { cleanName } from './document-name';
import type { FileRow } from './file-row';
import { holds, type Folder } from './folders';
import { createEmbeddingSchedule } from './embedding-schedule';
import { fused } from './hybrid';
import {
  createIndexing,
  type ReadFile,
  type Progress,
  type RunOutcome,
  type ScanResult,
  type Walk,
} from './indexing';
import { createListing } from './listing';
import {
  byDocument,
  createTextCache,
  MAX_DOCUMENTS,
  passagesOf,
  refOf,
  type FoundDocument,
} from './passages';
import { queryTerms } from './query';
import type { Semantic } from './semantic';
import { createShelves } from './shelves';
import type { Changes, DocumentsStatus } from './status';
import { createTextStore } from './text-store';

/** Milliseconds within which the folders are not looked through again: several questions of one turn. */
const FRESH_MS = 2_000;

/** Milliseconds an answer waits for the index to become whole. Then it is given from what there is, and says so. */
const PATIENCE_MS = 3_000;

/** Milliseconds between two looks at what another launch reads, at least; of a large folder a tenth of the time is enough. */
const FOLLOW_MS = 1_000;
const FOLLOW_SHARE = 10;

/** Stretches that are ranked: enough for the passages of all documents of an answer. */
const MAX_FOUND = 200;

type ChosenFolder = Pick<Folder, 'path' | 'name'>;

/** Turns the name of a document into its real path, or says why it may not be read. */
type ReadPath = (
  folders: readonly ChosenFolder[],
  name: string,
) => Promise<
  | { ok: true; path: string; name: string }
  | { ok: false; status: 'refused' | 'not-found'; reason: string }
>;

export interface DocumentIndexOptions {
  /** Where the index is kept; made with the first document. */
  folder: string;
  /** Tells this writer from all others. */
  token: string;
  walk: Walk;
  extract: ReadFile;
  readPath: ReadPath;
  /** Finds by meaning as well as by words. */
  semantic?: Semantic | undefined;
  /** Told when the status is another one. */
  onChange?: (() => void) | undefined;
  /** Milliseconds, for tests: see `FRESH_MS`, `PATIENCE_MS`, and `STORE_AFTER_MS` in indexing.ts. */
  freshMs?: number;
  patienceMs?: number;
  storeAfterMs?: number;
}

/** The index of the person's documents, on the thread of its caller. Nothing of it rejects. */
export interface DocumentIndex {
  /** What was found in folders that are not among these any more leaves the index with the next look. */
  setFolders(folders: readonly ChosenFolder[]): void;
  search(query: string, signal: AbortSignal): Promise<DocumentSearchOutcome>;
  read(name: string, signal: AbortSignal): Promise<DocumentOutcome>;
  status(): DocumentsStatus;
  /**
   * Looks through the folders, unless it has just been done, and reads what is new.
   *
   * @param again look in any case, after a look that is under way too, and read again what is not in the index
   */
  update(again?: boolean): Promise<void>;
  /** What the last look has found; undefined when it could not be finished. */
  changes(): Changes | undefined;
  /** True while another launch reads: what it has done is looked at now and then without being asked. */
  isFollowing(): boolean;
  /** When the vectors that are being made are made, or could not be. */
  embedded(): Promise<void>;
  /** Ends what is under way; what was read by then is kept. */
  close(): Promise<void>;
}

interface Running {
  controller: AbortController;
  done: Promise<void>;
}

export function createDocumentIndex(options: DocumentIndexOptions): DocumentIndex {
  const { folder, token, walk, extract, readPath, semantic } = options;
  const { freshMs = FRESH_MS, patienceMs = PATIENCE_MS, storeAfterMs, onChange } = options;
  const shelves = createShelves(join(folder, 'index'));
  const texts = createTextStore(join(folder, 'texts'));
  const lockPath = join(folder, 'writer.lock');
  const indexing = createIndexing({ shelves, texts, walk, extract, lockPath, token, storeAfterMs });
  const embeddings = createEmbeddingSchedule({ semantic, shelves, texts });
  const keptTexts = createTextCache(({ path, version }) => texts.get(path, version));
  let folders: readonly ChosenFolder[] = [];
  let running: Running | undefined;
  let isClosed = false;
  let found: ScanResult | undefined;
  let progress: Progress | undefined;
  let last: (RunOutcome & { at: number }) | undefined;
  let isElsewhere = false;
  let following: NodeJS.Timeout | undefined;
  let isRetryDue = false;
  /** What this run has read and not stored yet. */
  const justRead = new Map<string, FileRow>();

  const changed = (): void => {
    onChange?.();
  };

  function followLater(cost: number): void {
    following = setTimeout(
      () => {
        following = undefined;
        if (running === undefined && !isClosed) void start(false);
      },
      Math.max(FOLLOW_MS, FOLLOW_SHARE * cost),
    );
    following.unref();
  }

  function start(retry: boolean): Promise<void> {
    clearTimeout(following);
    following = undefined;
    justRead.clear();
    const began = performance.now();
    const controller = new AbortController();
    const { signal } = controller;
    const run = indexing.run({
      folders,
      retry,
      signal,
      onScanned(scan) {
        const isNews = found === undefined || scan.wanted.size > 0;
        found = scan;
        if (isNews) changed();
      },
      onProgress(now) {
        progress = now;
        changed();
      },
      onRead(row) {
        justRead.set(row.path, row);
      },
    });
    const done = run.then((outcome) => {
      const before = last;
      if (running?.controller === controller) {
        running = undefined;
        progress = undefined;
        justRead.clear();
      }
      if (signal.aborted) return undefined;
      last = { ...outcome, at: performance.now() };
      const wasElsewhere = isElsewhere;
      isElsewhere = outcome.isBusy === true;
      if (isElsewhere && !isClosed) followLater(last.at - began);
      if (outcome.isWhole) embeddings.start();
      if (
        before === undefined ||
        outcome.problem !== before.problem ||
        isElsewhere !== wasElsewhere ||
        (found?.wanted.size ?? 0) > 0
      )
        changed();
      if (!isRetryDue || isClosed) return undefined;
      isRetryDue = false;
      return start(true);
    });
    running = { controller, done };
    return done;
  }

  function update(again = false): Promise<void> {
    if (isClosed) return Promise.resolve();
    if (running !== undefined) {
      isRetryDue ||= again;
      return running.done;
    }
    // Whatever came of it: a window that asks at each change would have the folders looked through without end.
    const isFresh = last !== undefined && performance.now() - last.at < freshMs;
    return isFresh && !again ? Promise.resolve() : start(again);
  }

  function rowOf(path: string): FileRow | undefined {
    const shelved = shelves.find(path);
    return shelved?.shelf.rows[shelved.place];
  }

  /** Undefined for what is in none of the folders any more. */
  function nameOf(path: string): string | undefined {
    const chosen = folders.find((each) => holds(each.path, path));
    if (chosen === undefined) return undefined;
    return [chosen.name, ...relative(chosen.path, path).split(sep).map(cleanName)].join('/');
  }

  const listing = createListing({
    shelves,
    semantic,
    nameOf,
    now: () => ({
      folders,
      found,
      progress,
      last,
      isElsewhere,
      isRunning: running !== undefined,
      justRead,
      broken: indexing.broken(),
    }),
  });

  /** Documents with their texts; one whose text is missing is read again, and left out until then. */
  function withTexts(
    documents: readonly FoundDocument[],
  ): (DocumentSearchOutcome & { ok: true })['hits'] {
    const hits: (DocumentSearchOutcome & { ok: true })['hits'] = [];
    for (const document of documents) {
      if (hits.length >= MAX_DOCUMENTS) break;
      const name = nameOf(document.row.path);
      if (name === undefined) continue;
      const text = keptTexts(document.row);
      if (text === undefined) {
        indexing.repair(document.row.path);
        last = undefined;
        continue;
      }
      const passages = passagesOf(document, text);
      if (passages.length > 0) hits.push({ document: refOf(document.row, name), passages });
    }
    return hits;
  }

  async function search(query: string, signal: AbortSignal): Promise<DocumentSearchOutcome> {
    const terms = queryTerms(query);
    if (terms.length === 0) return { ok: false, message: 'There is no word to look for.' };
    await Promise.race([update(), delay(patienceMs, undefined, { ref: false })]);
    if (signal.aborted) return STOPPED;
    const all = [...shelves.all()];
    const searched = all.map(({ segment, live }) => ({
      segment,
      isLive: (file: number) => live[file] === 1,
    }));
    const words = rankStretches(searched, terms, MAX_FOUND);
    const near = (await semantic?.nearest(query, signal)) ?? [];
    if (isAborted(signal)) return STOPPED;
    if (semantic?.isStale() === true && running === undefined) embeddings.start();
    const best = near.length === 0 ? words : fused(words, near, all, MAX_FOUND);
    const hits = withTexts(byDocument(best, all));
    const waiting = listing.pending().length;
    let indexed = 0;
    for (const { state } of shelves.rows()) indexed += state === 'indexed' ? 1 : 0;
    // Before the first look is over nobody knows how many there are.
    const isUnknown = found === undefined && running !== undefined;
    return {
      ok: true,
      hits,
      files: { indexed, pending: isUnknown ? Math.max(1, waiting) : waiting },
    };
  }

  async function read(name: string, signal: AbortSignal): Promise<DocumentOutcome> {
    const meant = await readPath(folders, name);
    if (!meant.ok) return { ok: false, status: meant.status, message: meant.reason };
    const { path } = meant;
    const kept = keptText(path);
    if (kept !== undefined) {
      const { row, text } = kept;
      return outcomeOf(refOf(row, meant.name), text, text.blocks);
    }
    const fresh = await extract(path, signal);
    if (!fresh.ok) return { ok: false, status: fresh.status, message: fresh.reason };
    const { title, version } = fresh;
    const blocks = blocksOf({
      text: fresh.text,
      ...(fresh.pages === undefined ? {} : { pages: fresh.pages }),
    });
    return outcomeOf({ name: meant.name, path, title, version }, fresh, blocks);
  }

  /** Undefined when the file has changed since it was read, or was not read. */
  function keptText(path: string) {
    const row = rowOf(path);
    const now = lstatSync(path, { throwIfNoEntry: false });
    if (row?.state !== 'indexed' || now?.size !== row.size || now.mtimeMs !== row.mtimeMs)
      return undefined;
    const text = keptTexts(row);
    return text === undefined ? undefined : { row, text };
  }

  return {
    setFolders(chosen) {
      if (JSON.stringify(chosen) === JSON.stringify(folders)) return;
      folders = chosen.map(({ path, name }) => ({ path, name }));
      found = undefined;
      last = undefined;
      // What runs looks through the old ones: it ends with what it has, and a new look begins.
      const old = running;
      if (old === undefined) return;
      old.controller.abort();
      const controller = new AbortController();
      const done = old.done.then(() => {
        if (running?.controller !== controller) return undefined;
        running = undefined;
        return update();
      });
      running = { controller, done };
    },
    search: (query, signal) => search(query, signal).catch(failed),
    read: (name, signal) =>
      read(name, signal).catch((error: unknown): DocumentOutcome => {
        const { message } = failed(error);
        return { ok: false, status: 'unreadable', message };
      }),
    status: listing.status,
    update,
    changes() {
      // Of a folder that could not be looked at nobody knows.
      const isKnown = last?.isWhole === true && !(found?.skipped ?? []).some(listing.isChosen);
      return isKnown ? last?.changes : undefined;
    },
    isFollowing: () => following !== undefined,
    embedded: () => embeddings.done(),
    async close() {
      isClosed = true;
      clearTimeout(following);
      running?.controller.abort();
      await Promise.all([running?.done, embeddings.close()]);
    },
  };
}

/** A signal may fire at any await, which the compiler does not know. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}
