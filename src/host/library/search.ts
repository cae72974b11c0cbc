import { setImmediate as nextTick, setTimeout as delay } from 'node:timers/promises';

import { readRecordFile, stampOf, storePaths } from '../store/record-file';
import { createIndex } from './text-index';
import type { LibraryHit, LibraryOutcome } from './library';
import { rank } from './ranking';
import { createFinder, newestTexts, snippetOf, type SearchedTurn } from './snippet';
import { queryWords } from '../../lib/words';

/** Milliseconds an answer waits for the index to become whole. Then it is given from what there is, and says so. */
const PATIENCE_MS = 100;

/** Conversations of an answer: more than anybody looks through. */
const MAX_HITS = 100;

/** Hits that get a snippet, for which their file is read: two windows full. */
const MAX_SNIPPETS = 20;

/** Conversations whose texts are kept for the next key, at most 300,000 characters of each. */
const MAX_KEPT = 40;

/** Milliseconds after which the remaining hits get none: the next key must not wait for it. */
const SNIPPETS_MS = 100;

/** Reads the texts of conversations; those of the last answers are kept, since the next key mostly finds the same ones. */
function createReader(supportPath: string): (id: string) => readonly SearchedTurn[] | undefined {
  const paths = storePaths(supportPath);
  const kept = new Map<string, { stamp: string; turns: SearchedTurn[] }>();
  return (id) => {
    const known = kept.get(id);
    kept.delete(id);
    const fresh =
      known !== undefined && known.stamp === stampOf(paths.record(id)) ? known : read(id);
    if (fresh === undefined) return undefined;
    kept.set(id, fresh);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return fresh.turns;
  };

  function read(id: string): { stamp: string; turns: SearchedTurn[] } | undefined {
    const disk = readRecordFile(paths.record(id), id);
    if (disk.kind !== 'record') return undefined;
    const { turns } = disk.record.conversation;
    return { stamp: disk.stamp, turns: newestTexts(turns) };
  }
}

/** The search itself, on the thread of its caller. Never rejects. */
export function createSearch(supportPath: string): (query: string) => Promise<LibraryOutcome> {
  const index = createIndex(supportPath);
  const turnsOf = createReader(supportPath);
  let updating: Promise<string | undefined> | undefined;

  /** Undefined = the index is not whole yet. */
  async function whole(): Promise<{ problem: string | undefined } | undefined> {
    if (updating === undefined && index.isCurrent()) return { problem: undefined };
    updating ??= index.update().finally(() => {
      updating = undefined;
    });
    const done = updating.then((problem) => ({ problem }));
    return await Promise.race([done, delay(PATIENCE_MS, undefined)]);
  }

  async function hitsOf(query: string): Promise<LibraryHit[]> {
    const words = queryWords(query);
    const find = createFinder(words, index.vocabulary);
    const started = performance.now();
    const hits: LibraryHit[] = [];
    for (const { doc, score } of rank(index.shards(), index.vocabulary, words, MAX_HITS)) {
      const { id } = doc;
      if (hits.length >= MAX_SNIPPETS || performance.now() - started > SNIPPETS_MS) {
        hits.push({ id, score });
        continue;
      }
      await nextTick(); // an update that is under way goes on
      const turns = turnsOf(id);
      if (turns === undefined) continue; // deleted a moment ago
      const snippet = snippetOf(turns, find);
      hits.push(snippet === undefined ? { id, score } : { id, score, snippet });
    }
    return hits;
  }

  return async (query) => {
    const state = await whole();
    if (state?.problem !== undefined) return { ok: false, message: state.problem };
    return { ok: true, hits: await hitsOf(query), complete: state !== undefined };
  };
}
