import { isDeepStrictEqual } from 'node:util';

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

/**
 * Puts two versions of one conversation together so that neither loses a turn: a three-way merge by turn id.
 *
 * The order is the disk's, then our new turns. A turn that only the disk has is another launch's and is
 * kept, unless we knew it and left it out: then it was removed on purpose. A turn that only we have is
 * new, unless we knew it on disk: then another launch removed it, and it stays removed.
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
  const byId = (conversation: Conversation | undefined) =>
    new Map((conversation?.turns ?? []).map((turn) => [turn.id, turn]));
  const [ourTurns, diskTurns, baseTurns] = [byId(ours), byId(disk), byId(base)];
  const kept = (disk?.turns ?? []).flatMap((turn) => {
    const own = ourTurns.get(turn.id);
    if (own !== undefined) return [pickTurn(own, turn, baseTurns.get(turn.id))];
    return baseTurns.has(turn.id) ? [] : [turn];
  });
  const added = ours.turns.filter((turn) => !diskTurns.has(turn.id) && !baseTurns.has(turn.id));
  const renamed = base === undefined || ours.title !== base.title;
  return {
    version: 1,
    id: ours.id,
    title: renamed || disk === undefined ? ours.title : disk.title,
    createdAt: Math.min(ours.createdAt, disk?.createdAt ?? ours.createdAt),
    updatedAt: Math.max(ours.updatedAt, disk?.updatedAt ?? ours.updatedAt),
    turns: [...kept, ...added],
  };
}
