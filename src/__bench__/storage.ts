import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import * as z from 'zod/mini';

import { makeTurn } from '../__tests__/support/builders';
import { createSearch } from '../host/library/search';
import { createConversationStore } from '../host/store/conversations';
import { createLists } from '../host/store/listing';
import { storePaths } from '../host/store/record-file';
import { benchConversation, LONG_ID, writeStore } from './storage-corpus';
import { median } from './statistics';

const GcSchema = z.custom<() => void>((value) => typeof value === 'function');

const RUNS = 5;
const SEARCH_RUNS = 3;

/** What a store of that many conversations costs; times in milliseconds, sizes in bytes. */
export interface StorageCost {
  count: number;
  bytes: number;
  /** The rows of the first frame. */
  recent: number;
  /** The whole list, and the first of all, which reads every record. */
  list: number;
  firstList: number;
  /** What the whole list holds on to. */
  listHeap: number;
  open: number;
  /** Storing one more piece of a running answer in the conversation of 1,000 turns, and in one of three. */
  appendLong: number;
  appendShort: number;
  /** The full-text index: made for the first time, read again, and what it holds on to. */
  searchCold: number;
  searchWarm: number;
  /** From the start of a warm search to its first answer, whole or not. */
  searchFirst: number;
  /** A further key: half of them take less, and the slowest. */
  key: number;
  slowestKey: number;
  searchHeap: number;
}

async function timed(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

async function medianOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await timed(work));
  return median(times);
}

/** What `make` gives, and the bytes of heap and buffers that it holds on to. */
async function held<T>(make: () => Promise<T>): Promise<{ made: T; bytes: number }> {
  setFlagsFromString('--expose-gc');
  const gc = GcSchema.parse(runInNewContext('gc'));
  const used = (): number => {
    gc();
    gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const made = await make();
  return { made, bytes: used() - before };
}

/** Asks until the answer is whole. */
async function wholeAnswer(
  search: ReturnType<typeof createSearch>,
  query: string,
): Promise<ReturnType<typeof createSearch>> {
  for (;;) {
    const reply = await search(query);
    if (!reply.ok) throw new Error(reply.message);
    if (reply.complete) return search;
  }
}

type SearchCosts = Pick<
  StorageCost,
  'searchCold' | 'searchWarm' | 'searchFirst' | 'key' | 'slowestKey' | 'searchHeap'
>;

/** @param query of two words, one of which at least is somewhere */
async function searchCosts(supportPath: string, query: string): Promise<SearchCosts> {
  const searchCold = await timed(() => wholeAnswer(createSearch(supportPath), query));
  const first: number[] = [];
  const warm: number[] = [];
  for (let run = 0; run < SEARCH_RUNS; run += 1) {
    const search = createSearch(supportPath);
    const before = performance.now();
    await search(query);
    first.push(performance.now() - before);
    await wholeAnswer(search, query);
    warm.push(performance.now() - before);
  }
  const { made: search, bytes } = await held(() => wholeAnswer(createSearch(supportPath), query));
  const keys: number[] = [];
  for (let end = 1; end <= query.length; end += 1)
    keys.push(await timed(() => search(query.slice(0, end))));
  return {
    searchCold,
    searchWarm: median(warm),
    searchFirst: median(first),
    key: median(keys),
    slowestKey: Math.max(...keys),
    searchHeap: bytes,
  };
}

/** Storing one more piece of a running answer. */
async function appendCost(supportPath: string, id: string): Promise<number> {
  const store = createConversationStore({ supportPath, launchId: 'bench', now: () => Date.now() });
  const loaded = await store.load(id);
  if (!loaded.ok) throw new Error(loaded.message);
  const { conversation } = loaded;
  let response = '';
  return medianOf(async () => {
    response += 'one more piece of the answer ';
    const turn = makeTurn({ id: 'running', state: 'running', response });
    const outcome = await store.save({ ...conversation, turns: [...conversation.turns, turn] });
    if (outcome.kind !== 'saved') throw new Error(`The save of the bench was ${outcome.kind}.`);
  });
}

async function costOf(count: number): Promise<StorageCost> {
  const supportPath = mkdtempSync(join(tmpdir(), 'lam-bench-store-'));
  try {
    const bytes = writeStore(supportPath, count);
    const launch = () =>
      createLists({
        paths: storePaths(supportPath),
        supportPath,
        isClosed: () => false,
        now: () => Date.now(),
      });
    const store = createConversationStore({ supportPath, launchId: 'x', now: () => Date.now() });
    const firstList = await timed(() => launch().list());
    const list = await medianOf(() => launch().list());
    const recent = await medianOf(() => launch().recent());
    const { bytes: listHeap } = await held(() => launch().list());
    const open = await medianOf(() => store.load(LONG_ID));
    const words = benchConversation(7).turns[0]?.response.split(' ').slice(1, 3) ?? [];
    const searched = await searchCosts(supportPath, words.join(' '));
    const appendLong = await appendCost(supportPath, LONG_ID);
    const appendShort = await appendCost(supportPath, 'c-1');
    const listed = { recent, list, firstList, listHeap };
    return { count, bytes, ...listed, open, appendLong, appendShort, ...searched };
  } finally {
    rmSync(supportPath, { recursive: true, force: true });
  }
}

/** The costs of stores of these sizes, one after the other. */
export async function storageCosts(counts: readonly number[]): Promise<StorageCost[]> {
  const costs: StorageCost[] = [];
  for (const count of counts) costs.push(await costOf(count));
  return costs;
}
