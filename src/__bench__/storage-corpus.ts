import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  BUILDER_TIME,
  makeConversation,
  makeToolCall,
  makeTurn,
} from '../__tests__/support/builders';
import { encodeConversation } from '../host/store/decode';
import type { Conversation, Turn } from '../lib/types';

/** Different words of the corpus. A person's own language, some English and code come to about as many. */
const VOCABULARY = 150_000;
const WORDS_PER_QUESTION = 12;
const WORDS_PER_ANSWER = 250;
const TURNS = 3;
/** UTF-16 units of what a tool returned in each turn: it makes a conversation 20 KB, of which a quarter is searched. */
const RESULT_UNITS = 4_000;

const SYLLABLES = 'ka to mi re san del or pra vi tu len chi ba gro ne sti ul fa ex con'.split(' ');

/** The id of the conversation of `LONG_TURNS` turns. */
export const LONG_ID = 'long';
const LONG_TURNS = 1_000;

/** The same words at every run: the multiplicative generator of Park and Miller. */
function createWords(seed: number): (count: number) => string {
  let state = seed;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  // Zipf's law: the n-th word is about n times rarer than the first.
  const word = (): string => wordOf(Math.floor(VOCABULARY ** random()));
  return (count) => Array.from({ length: count }, word).join(' ');
}

function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / 20))
    word += SYLLABLES[rest % 20] ?? '';
  return word;
}

function turnOf(number: number, words: (count: number) => string, result: string): Turn {
  return makeTurn({
    id: `turn-${number}`,
    question: `${words(WORDS_PER_QUESTION)}?`,
    response: `${words(WORDS_PER_ANSWER)} [1].`,
    reasoning: 'It says so. '.repeat(40),
    toolCalls: [makeToolCall({ result })],
    startedAt: BUILDER_TIME + number * 60_000,
  });
}

/** The n-th conversation; `turns` turns of some 6 KB. */
export function benchConversation(number: number, turns = TURNS): Conversation {
  const words = createWords(number + 1);
  const result = words(50).repeat(20).slice(0, RESULT_UNITS);
  return makeConversation({
    id: `c-${number}`,
    title: words(4),
    updatedAt: BUILDER_TIME + number * 60_000,
    turns: Array.from({ length: turns }, (_, turn) => turnOf(turn, words, result)),
  });
}

/** Fills a support folder with that many conversations, one of them of `LONG_TURNS` turns; gives the bytes. */
export function writeStore(supportPath: string, count: number): number {
  const folder = join(supportPath, 'conversations');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let bytes = 0;
  const write = (conversation: Conversation): void => {
    const text = encodeConversation(conversation);
    bytes += text.length;
    writeFileSync(join(folder, `${conversation.id}.json`), text, { mode: 0o600 });
  };
  for (let number = 0; number < count - 1; number += 1) write(benchConversation(number));
  write({ ...benchConversation(count, LONG_TURNS), id: LONG_ID });
  return bytes;
}
