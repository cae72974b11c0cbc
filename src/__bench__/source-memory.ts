import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import * as z from 'zod/mini';

import {
  makeConversation,
  makeSource,
  makeToolCall,
  makeTurn,
} from '../__tests__/support/builders';
import { decodeConversation, encodeConversation } from '../host/store/decode';

const GcSchema = z.custom<() => void>((value) => typeof value === 'function');

/** What the sources of a long conversation take while it is open. */
export interface SourceMemory {
  turns: number;
  /** Bytes of heap for each turn's sources. */
  heapPerTurn: number;
  /** Bytes of the same sources as JSON. */
  jsonPerTurn: number;
}

const SOURCES_PER_TURN = 10;

/** A stored conversation in which each turn found `count` pages of its own. */
function recordOf(turns: number, count: number): string {
  const sourcesOf = (turn: number) =>
    Array.from({ length: count }, (_, i) =>
      makeSource({
        index: i + 1,
        title: `What page ${i + 1} of turn ${turn} says about green tea and its steeping`,
        url: `https://page-${turn}-${i + 1}.example/articles/green-tea?part=${i}`,
      }),
    );
  return encodeConversation(
    makeConversation({
      turns: Array.from({ length: turns }, (_, turn) =>
        makeTurn({
          id: `turn-${turn}`,
          toolCalls: [makeToolCall({ statuses: [], sources: sourcesOf(turn) })],
        }),
      ),
    }),
  );
}

/** Bytes of heap that a decoded record holds on to. */
function heapOf(record: string, gc: () => void): number {
  gc();
  const before = process.memoryUsage().heapUsed;
  const decoded = decodeConversation(JSON.parse(record), 'tea', 0);
  gc();
  const after = process.memoryUsage().heapUsed;
  if (!decoded.ok) throw new Error(`The record of the bench cannot be read: ${decoded.reason}.`);
  return after - before;
}

/** Heap of the sources of a conversation of that many turns: a record with them against the same record without. */
export function sourceMemory(turns: number): SourceMemory {
  setFlagsFromString('--expose-gc');
  const gc = GcSchema.parse(runInNewContext('gc'));
  const bare = recordOf(turns, 0);
  const full = recordOf(turns, SOURCES_PER_TURN);
  heapOf(full, gc); // compiles what decoding needs
  return {
    turns,
    heapPerTurn: (heapOf(full, gc) - heapOf(bare, gc)) / turns,
    jsonPerTurn: (full.length - bare.length) / turns,
  };
}
