import { isDeepStrictEqual } from 'node:util';

import { branches, explicit } from '../../lib/thread';
import type { Conversation, Turn } from '../../lib/types';

/** Whether some turn of the conversation is running, which is when a record has an owner. */
export function hasRunningTurn(conversation: Conversation): boolean {
  return conversation.turns.some((turn) => turn.state === 'running');
}

/**
 * The conversation with every running turn ended as interrupted, and no owner.
 *
 * @param at milliseconds since the epoch when the turn was last known to run
 */
export function interruptRunning(conversation: Conversation, at: number): Conversation {
  if (!hasRunningTurn(conversation)) return withoutOwner(conversation);
  const turns = conversation.turns.map((turn): Turn => {
    if (turn.state !== 'running') return turn;
    return { ...turn, state: 'interrupted', endedAt: Math.max(turn.startedAt, at) };
  });
  return { ...withoutOwner(conversation), turns };
}

/** The conversation without an owner; the same object when it has none. */
export function withoutOwner(conversation: Conversation): Conversation {
  if (conversation.owner === undefined) return conversation;
  const free = { ...conversation };
  delete free.owner;
  return free;
}

/** Same stored form: key order and keys set to undefined do not count. */
function sameTurn(one: Turn, other: Turn): boolean {
  if (one === other) return true;
  return isDeepStrictEqual(
    JSON.parse(JSON.stringify(one)) as unknown,
    JSON.parse(JSON.stringify(other)) as unknown,
  );
}

function pickTurn(ours: Turn, disk: Turn, base: Turn | undefined): Turn {
  if (ours === disk) return ours;
  if (base !== undefined && sameTurn(ours, base)) return disk;
  if (base !== undefined && sameTurn(disk, base)) return ours;
  // Both changed: an exchange that has ended is never replaced by one that had not.
  return ours.state === 'running' && disk.state !== 'running' ? disk : ours;
}

/** The three versions, in which every exchange says what it follows as soon as some exchange of any of them does. */
function comparable(...versions: (Conversation | undefined)[]): (Conversation | undefined)[] {
  const isTree = versions.some((version) => version !== undefined && branches(version));
  return isTree ? versions.map((version) => version && explicit(version)) : versions;
}

/** The turns, each following one that is still there, and a head that is there. */
function hung(
  turns: readonly Turn[],
  head: string,
  versions: readonly (Conversation | undefined)[],
): Pick<Conversation, 'turns' | 'head'> {
  const there = new Set(turns.map(({ id }) => id));
  const parents = new Map<string, string>();
  for (const version of versions)
    for (const { id, parent = '' } of version?.turns ?? [])
      if (!parents.has(id)) parents.set(id, parent);
  /** The nearest one that is still there, from this one towards the beginning; '' = none. */
  const nearest = (id: string): string => {
    const passed: string[] = [];
    let at = id;
    while (at !== '' && !there.has(at) && passed.length <= parents.size) {
      passed.push(at);
      at = parents.get(at) ?? '';
    }
    const found = there.has(at) ? at : '';
    for (const gone of passed) parents.set(gone, found); // a long run of removed ones is walked once
    return found;
  };
  const kept = turns.map((turn) => {
    const parent = nearest(turn.parent ?? '');
    return turn.parent === parent ? turn : { ...turn, parent };
  });
  const shown = nearest(head);
  return { turns: kept, head: shown === '' ? turns.at(-1)?.id : shown };
}

/** The title and who made it belong together. A title by a person gives way only to another one by a person. */
function pickTitle(
  ours: Conversation,
  disk: Conversation,
  base: Conversation | undefined,
): Pick<Conversation, 'title' | 'titledBy'> {
  const isOurs = base === undefined || ours.title !== base.title || ours.titledBy !== base.titledBy;
  const isPersons = disk.titledBy === 'person' && ours.titledBy !== 'person';
  const { title, titledBy } = isOurs && !isPersons ? ours : disk;
  return { title, titledBy };
}

/**
 * Puts two versions of one conversation together so that neither loses a turn: a three-way merge by turn id.
 *
 * The order is the disk's, then our new turns. A turn that only the disk has is another launch's and is
 * kept, unless we knew it and left it out: then it was removed on purpose. A turn that only we have is
 * new, unless we knew it on disk: then another launch removed it, and it stays removed. As soon as one version has
 * variants, the order means nothing: every turn then stays behind the one that it followed in its own version.
 *
 * @param ours what is to be saved
 * @param disk what the file holds now; undefined when there is none
 * @param base what the caller last loaded or saved; undefined when it never did
 */
export function mergeConversations(
  ours: Conversation,
  disk: Conversation | undefined,
  base: Conversation | undefined,
): Conversation {
  const [one = ours, other, before] = comparable(ours, disk, base);
  const byId = (conversation: Conversation | undefined) =>
    new Map((conversation?.turns ?? []).map((turn) => [turn.id, turn]));
  const [ourTurns, diskTurns, baseTurns] = [byId(one), byId(other), byId(before)];
  const kept = (other?.turns ?? []).flatMap((turn) => {
    const own = ourTurns.get(turn.id);
    if (own !== undefined) return [pickTurn(own, turn, baseTurns.get(turn.id))];
    return baseTurns.has(turn.id) ? [] : [turn];
  });
  const added = one.turns.filter((turn) => !diskTurns.has(turn.id) && !baseTurns.has(turn.id));
  const turns = [...kept, ...added];
  const changeable = other ?? one;
  /** Ours if we changed it, else the disk's. */
  const pick = <K extends 'head' | 'pinned'>(key: K) =>
    before === undefined
      ? (one[key] ?? changeable[key])
      : (one[key] === before[key] ? changeable : one)[key];
  const head = pick('head');
  const tree = one.head === undefined ? { turns } : hung(turns, head ?? '', [one, other, before]);
  return {
    version: 2,
    id: ours.id,
    ...pickTitle(one, changeable, before),
    pinned: pick('pinned'),
    createdAt: Math.min(ours.createdAt, disk?.createdAt ?? ours.createdAt),
    updatedAt: Math.max(ours.updatedAt, disk?.updatedAt ?? ours.updatedAt),
    ...tree,
  };
}
