// Saves conversations until it is killed, for the tests of store.crash.test.ts. Bundled and run as a process of its own:
//   node store-writer.cjs stream <supportPath> <launchId>            one growing turn after another
//   node store-writer.cjs append <supportPath> <launchId> <count>    `count` finished turns, then ends
// Each line it prints is a fact that must survive a kill: it is printed after the save was answered.

import { writeSync } from 'node:fs';

import { createConversationStore } from '../../host/store/conversations';
import { BUILDER_TIME, makeConversation, makeTurn } from './builders';
import type { Turn } from '../../lib/types';

/** One line of output. `outcome` is the answer to a save, `running` or `done` the id of the turn it was about. */
export interface WriterFact {
  outcome: string;
  running?: string;
  /** UTF-16 units of the running turn's answer. */
  length?: number;
  done?: string;
}

const [mode, supportPath = '', launchId = '', count = '0'] = process.argv.slice(2);
// Every launch claims long after the heartbeat of the one before it.
const now = () => BUILDER_TIME + Number(/\d+$/.exec(launchId)?.[0] ?? 0) * 60_000;
const store = createConversationStore({ supportPath, launchId, now });
const say = (fact: WriterFact) => writeSync(1, `${JSON.stringify(fact)}\n`);

/** Long enough that a write takes several system calls' worth of time. */
const SENTENCE = 'The tea steeps for two minutes and is then poured, as the page says [1]. '.repeat(
  40,
);

async function stream(): Promise<never> {
  const claimed = await store.claim('tea');
  let turns: Turn[] = claimed.kind === 'claimed' ? claimed.conversation.turns : [];
  for (let number = 1; ; number += 1) {
    let turn = makeTurn({ id: `${launchId}-${number}`, state: 'running', response: '' });
    for (let piece = 0; piece < 4; piece += 1) {
      turn = { ...turn, response: turn.response + SENTENCE };
      const outcome = await store.save(makeConversation({ turns: [...turns, turn] }));
      say({ outcome: outcome.kind, running: turn.id, length: turn.response.length });
    }
    turns = [...turns, { ...turn, state: 'done', endedAt: now() }];
    const outcome = await store.save(makeConversation({ turns }));
    say({ outcome: outcome.kind, done: turn.id });
  }
}

async function append(): Promise<void> {
  const loaded = await store.load('tea');
  let turns = loaded.ok ? loaded.conversation.turns : [];
  for (let number = 1; number <= Number(count); number += 1) {
    turns = [...turns, makeTurn({ id: `${launchId}-${number}` })];
    const outcome = await store.save(makeConversation({ turns }));
    say({ outcome: outcome.kind, done: `${launchId}-${number}` });
  }
}

(mode === 'stream' ? stream() : append()).catch((error: unknown) => {
  say({ outcome: String(error) });
  process.exitCode = 1;
});
