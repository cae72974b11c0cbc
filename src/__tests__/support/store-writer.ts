// Writes conversations until it is killed, for store.crash.test.ts and the kill lane. Bundled and run as a process of its own:
//   node store-writer.cjs stream <supportPath> <launchId>            one growing turn after another
//   node store-writer.cjs append <supportPath> <launchId> <count>    `count` finished turns, then ends
//   node store-writer.cjs mixed <supportPath> <launchId>             turns in several conversations, renames, the trash
// Each line it prints is a fact that must survive a kill: it is printed after the store has answered. Lines with `intent`
// are printed before: from then on the old and the new state are both right.

import { writeSync } from 'node:fs';

import { createConversationStore } from '../../host/store/conversations';
import { BUILDER_TIME, makeConversation, makeTurn } from './builders';
import type { Conversation, Turn } from '../../lib/types';

/** What can be done to a whole conversation. */
export type Change = 'rename' | 'delete' | 'restore' | 'purge';

/** One line of output. `outcome` is the answer of the store, `running` or `done` the id of the turn it was about. */
export interface WriterFact {
  outcome: string;
  /** Of the conversation; absent = there is only one. */
  id?: string;
  running?: string;
  /** UTF-16 units of the running turn's answer. */
  length?: number;
  done?: string;
  /** What is about to be done. */
  intent?: Change;
  /** What has been done. */
  change?: Change;
  title?: string;
}

const [mode, supportPath = '', launchId = '', count = '0'] = process.argv.slice(2);
const launchNumber = Number(/\d+$/.exec(launchId)?.[0] ?? 0);
// Every launch claims long after the heartbeat of the one before it.
const now = () => BUILDER_TIME + launchNumber * 60_000;
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

/** Conversations at a time, and in the trash. */
const CONVERSATIONS = 4;
const IN_TRASH = 6;

/** Turns after which a conversation is deleted, so that a long run stays as fast as it began. */
const MAX_TURNS = 12;

/** The same choices at every run of a launch: the multiplicative generator of Park and Miller. */
function createChance(seed: number): (below: number) => number {
  let state = seed * 7_919 + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

async function mixed(): Promise<never> {
  const chance = createChance(launchNumber);
  const open = new Map<string, Conversation>();
  for (const { id } of (await store.list()).entries) {
    const claimed = await store.claim(id);
    if (claimed.kind === 'claimed') open.set(id, claimed.conversation);
    else say({ outcome: claimed.kind, id });
  }
  for (let number = 1; ; number += 1) {
    const id = `${launchId}-${number}`;
    if (open.size < CONVERSATIONS) open.set(id, makeConversation({ id, title: id, turns: [] }));
    const chosen = [...open.values()][chance(open.size)];
    if (chosen === undefined) continue;
    const choice = chance(10);
    const isLong = chosen.turns.length > MAX_TURNS;
    if (chosen.turns.length > 0 && (choice === 0 || isLong)) await bin(chosen, isLong, open);
    else if (chosen.turns.length > 0 && choice < 3) await rename(chosen, number, open);
    else await ask(chosen, number, open);
    await emptyOne();
  }
}

async function ask(chosen: Conversation, number: number, open: Map<string, Conversation>) {
  const { id } = chosen;
  let turn = makeTurn({ id: `${launchId}-${number}`, state: 'running', response: '' });
  const save = async (): Promise<string> => {
    const conversation = { ...chosen, turns: [...chosen.turns, turn], updatedAt: now() + number };
    open.set(id, conversation);
    return (await store.save(conversation)).kind;
  };
  for (let piece = 0; piece < 2; piece += 1) {
    turn = { ...turn, response: turn.response + SENTENCE };
    say({ outcome: await save(), id, running: turn.id, length: turn.response.length });
  }
  turn = { ...turn, state: 'done', endedAt: now() };
  say({ outcome: await save(), id, done: turn.id });
}

async function rename(chosen: Conversation, number: number, open: Map<string, Conversation>) {
  const { id } = chosen;
  const title = `Title ${launchId}-${number}`;
  say({ outcome: 'saved', id, intent: 'rename', title });
  const outcome = await store.rename(id, title);
  say({ outcome: outcome.kind === 'done' ? 'saved' : outcome.kind, id, change: 'rename', title });
  open.set(id, { ...chosen, title, titledBy: 'person' });
}

/** Deletes; what was not too long is put back half of the time. */
async function bin({ id, turns }: Conversation, isLong: boolean, open: Map<string, Conversation>) {
  say({ outcome: 'saved', id, intent: 'delete' });
  const deleted = await store.delete(id);
  say({ outcome: deleted.kind === 'deleted' ? 'saved' : deleted.kind, id, change: 'delete' });
  open.delete(id);
  if (isLong || turns.length % 2 === 0) return;
  say({ outcome: 'saved', id, intent: 'restore' });
  const restored = await store.restore(id);
  say({ outcome: restored.kind === 'done' ? 'saved' : restored.kind, id, change: 'restore' });
  const loaded = await store.load(id);
  if (loaded.ok) open.set(id, loaded.conversation);
  else say({ outcome: loaded.message, id });
}

async function emptyOne(): Promise<void> {
  const { entries, problem } = await store.listTrash();
  if (problem !== undefined) say({ outcome: problem });
  const id = entries.length > IN_TRASH ? entries.at(-1)?.id : undefined;
  if (id === undefined) return;
  say({ outcome: 'saved', id, intent: 'purge' });
  const purged = await store.purge(id);
  say({ outcome: purged.kind === 'done' ? 'saved' : purged.kind, id, change: 'purge' });
}

const modes = new Map<string | undefined, () => Promise<void>>([
  ['stream', stream],
  ['append', append],
  ['mixed', mixed],
]);

(modes.get(mode) ?? append)().catch((error: unknown) => {
  say({ outcome: String(error) });
  process.exitCode = 1;
});
