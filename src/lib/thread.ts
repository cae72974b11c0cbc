import type { Conversation, Turn } from './types';

/**
 * A conversation is a tree of turns: asking a question again, or in other words, begins a variant, and what followed the
 * earlier one stays with it. The stored list keeps all turns; the thread is the one path of it that is shown.
 *
 * A turn without `parent` follows the turn before it in the list. So a conversation that never branched, and every one
 * stored before there were variants, needs no parents at all.
 */

/** By list, which never changes: each picture of an answer asks again. */
const parentsByList = new WeakMap<readonly Turn[], Map<string, string>>();

/** The parent of each turn by id; '' for those that begin the conversation, and for a parent that is not there (any more). */
function parentsOf(turns: readonly Turn[]): Map<string, string> {
  const known = parentsByList.get(turns);
  if (known !== undefined) return known;
  const ids = new Set(turns.map(({ id }) => id));
  const parents = new Map<string, string>();
  let before = '';
  for (const { id, parent = before } of turns) {
    parents.set(id, ids.has(parent) ? parent : '');
    before = id;
  }
  parentsByList.set(turns, parents);
  return parents;
}

/** Whether some turn says itself what it follows. */
export function branches({ turns, head }: Conversation): boolean {
  return head !== undefined || turns.some(({ parent }) => parent !== undefined);
}

const threads = new WeakMap<Conversation, readonly Turn[]>();

/**
 * The turns that are shown, oldest first: from the beginning of the conversation to its head. A head that is not there
 * counts as absent. A damaged record whose turns follow each other in a circle gives each of them once.
 */
export function threadOf(conversation: Conversation): readonly Turn[] {
  if (!branches(conversation)) return conversation.turns;
  const known = threads.get(conversation);
  if (known !== undefined) return known;
  const { turns, head } = conversation;
  const parents = parentsOf(turns);
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const path: Turn[] = [];
  const seen = new Set<string>();
  let next = (head === undefined ? undefined : byId.get(head)) ?? turns.at(-1);
  while (next !== undefined && !seen.has(next.id)) {
    seen.add(next.id);
    path.push(next);
    next = byId.get(parents.get(next.id) ?? '');
  }
  path.reverse();
  threads.set(conversation, path);
  return path;
}

/** The newest turn that is shown; undefined in a conversation without turns. */
export function lastOf(conversation: Conversation): Turn | undefined {
  return threadOf(conversation).at(-1);
}

/** What comes before this turn in its own variant, oldest first; everything that is shown if there is no such turn. */
export function turnsBefore(conversation: Conversation, id: string): Turn[] {
  const thread = threadOf(conversation);
  const place = thread.findIndex((turn) => turn.id === id);
  return place < 0 ? [...thread] : thread.slice(0, place);
}

/** By list: each row of a chat asks at each picture. */
const childrenByList = new WeakMap<readonly Turn[], Map<string, Turn[]>>();

/** The turns that follow each turn, by its id; under '' those that begin the conversation. */
function childrenOf(turns: readonly Turn[]): Map<string, Turn[]> {
  const known = childrenByList.get(turns);
  if (known !== undefined) return known;
  const parents = parentsOf(turns);
  const children = new Map<string, Turn[]>();
  for (const turn of turns) {
    const parent = parents.get(turn.id) ?? '';
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [turn]);
    else siblings.push(turn);
  }
  childrenByList.set(turns, children);
  return children;
}

/** The turns that may stand in this turn's place, itself among them, in the order in which they were asked. */
export function variantsOf({ turns }: Conversation, id: string): readonly Turn[] {
  const parent = parentsOf(turns).get(id);
  return parent === undefined ? [] : (childrenOf(turns).get(parent) ?? []);
}

/** The variant that is shown where this turn stands: the turn itself, or what was asked in its place. */
export function shownVersion(conversation: Conversation, id: string): Turn | undefined {
  const there = new Set(variantsOf(conversation, id).map((turn) => turn.id));
  return threadOf(conversation).find((turn) => there.has(turn.id));
}

/** The conversation with every turn saying what it follows, and a head: from then on the order of the list means nothing. */
export function explicit(conversation: Conversation): Conversation & { head: string } {
  const parents = parentsOf(conversation.turns);
  const turns = conversation.turns.map((turn) => {
    const parent = parents.get(turn.id) ?? '';
    return turn.parent === parent ? turn : { ...turn, parent };
  });
  return { ...conversation, turns, head: lastOf(conversation)?.id ?? '' };
}

/** The conversation with a new turn behind the one that is shown last. */
export function withNext(conversation: Conversation, turn: Turn): Conversation {
  if (!branches(conversation)) return { ...conversation, turns: [...conversation.turns, turn] };
  const { head, turns, ...rest } = explicit(conversation);
  return { ...rest, turns: [...turns, { ...turn, parent: head }], head: turn.id };
}

/**
 * The conversation with a new turn in the place of the one with this id, which stays as a variant with all that followed
 * it. Without such a turn it comes at the end.
 */
export function withVariant(conversation: Conversation, turn: Turn, instead: string): Conversation {
  const whole = explicit(conversation);
  const other = whole.turns.find(({ id }) => id === instead);
  if (other === undefined) return withNext(conversation, turn);
  const turns = [...whole.turns, { ...turn, parent: other.parent ?? '' }];
  return { ...whole, turns, head: turn.id };
}

/** The conversation with a turn that says itself what it follows, and which is shown from then on. */
export function withChild(conversation: Conversation, turn: Turn): Conversation {
  const whole = explicit(conversation);
  return { ...whole, turns: [...whole.turns, turn], head: turn.id };
}

/** The conversation showing the variant with this turn, down to what was asked last in it. Unchanged without such a turn. */
export function showingVariant(conversation: Conversation, id: string): Conversation {
  const whole = explicit(conversation);
  const { turns } = whole;
  if (!turns.some((turn) => turn.id === id)) return conversation;
  const parents = parentsOf(turns);
  const below = new Set([id]);
  // A turn that follows another stands behind it in the list, except in a damaged record.
  for (const turn of turns) if (below.has(parents.get(turn.id) ?? '')) below.add(turn.id);
  const head = turns.findLast((turn) => below.has(turn.id))?.id ?? id;
  return { ...whole, head };
}

/**
 * The conversation without this turn. What followed it now follows what was before it; where nothing of its variant is
 * left, another variant of the place is shown.
 */
export function withoutTurn(conversation: Conversation, id: string): Conversation {
  if (!branches(conversation))
    return { ...conversation, turns: conversation.turns.filter((turn) => turn.id !== id) };
  const whole = explicit(conversation);
  const gone = whole.turns.find((turn) => turn.id === id);
  if (gone === undefined) return conversation;
  const parent = gone.parent ?? '';
  const turns = whole.turns
    .filter((turn) => turn.id !== id)
    .map((turn) => (turn.parent === id ? { ...turn, parent } : turn));
  const rest = { ...whole, turns };
  if (whole.head !== id) return rest;
  const sibling = turns.findLast((turn) => turn.parent === parent);
  return sibling === undefined
    ? { ...rest, head: parent }
    : showingVariant({ ...rest, head: sibling.id }, sibling.id);
}
