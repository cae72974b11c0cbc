import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { interruptRunning, mergeConversations } from '../host/store/merge';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';

const of = (...ids: string[]) => makeConversation({ turns: ids.map((id) => makeTurn({ id })) });
const ids = (conversation: { turns: { id: string }[] }) => conversation.turns.map(({ id }) => id);

describe('mergeConversations', () => {
  it.each([
    ['nothing on disk', of('a', 'b'), undefined, undefined, ['a', 'b']],
    ['nothing changed', of('a', 'b'), of('a', 'b'), of('a', 'b'), ['a', 'b']],
    ['we added', of('a', 'b', 'c'), of('a', 'b'), of('a', 'b'), ['a', 'b', 'c']],
    ['they added', of('a', 'b'), of('a', 'b', 'x'), of('a', 'b'), ['a', 'b', 'x']],
    ['both added', of('a', 'c'), of('a', 'x'), of('a'), ['a', 'x', 'c']],
    ['we removed', of('a'), of('a', 'b'), of('a', 'b'), ['a']],
    ['they removed', of('a', 'b'), of('a'), of('a', 'b'), ['a']],
    ['we replaced, they added', of('a', 'c'), of('a', 'b', 'x'), of('a', 'b'), ['a', 'x', 'c']],
    ['they deleted all, we added', of('a', 'c'), undefined, of('a'), ['c']],
    [
      'never loaded: union, disk order first',
      of('c', 'a'),
      of('a', 'b'),
      undefined,
      ['a', 'b', 'c'],
    ],
  ])('%s', (_, ours, disk, base, expected) => {
    expect(ids(mergeConversations(ours, disk, base))).toEqual(expected);
  });

  it('never replaces an ended exchange by one that was still running', () => {
    const running = makeConversation({ turns: [makeTurn({ state: 'running', response: 'Two' })] });
    const ended = makeConversation();
    const begun = makeConversation({ turns: [makeTurn({ state: 'running', response: '' })] });
    expect(mergeConversations(running, ended, begun).turns).toEqual(ended.turns);
    expect(mergeConversations(running, ended, undefined).turns).toEqual(ended.turns);
    expect(mergeConversations(ended, running, begun).turns).toEqual(ended.turns);
  });

  it('loses no turn that one side added, and keeps the order of each side', () => {
    const letters = fc.uniqueArray(
      fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(letters, letters, letters, (ours, disk, base) => {
        const merged = ids(mergeConversations(of(...ours), of(...disk), of(...base)));
        expect(new Set(merged).size).toBe(merged.length);
        const wanted = [...ours, ...disk].filter(
          (id) => !base.includes(id) || (ours.includes(id) && disk.includes(id)),
        );
        expect(new Set(merged)).toEqual(new Set(wanted));
        const fromDisk = merged.filter((id) => disk.includes(id));
        expect(fromDisk).toEqual(disk.filter((id) => merged.includes(id)));
      }),
    );
  });
});

describe('interruptRunning', () => {
  it('ends running turns, leaves the others and takes the owner away', () => {
    const running = makeTurn({ id: 'r', state: 'running', startedAt: BUILDER_TIME + 9_000 });
    const before = makeConversation({
      turns: [makeTurn(), running],
      owner: { launchId: 'one', heartbeatAt: BUILDER_TIME },
    });
    const after = interruptRunning(before, BUILDER_TIME + 11_000);
    expect(after.owner).toBeUndefined();
    expect(after.turns).toEqual([
      makeTurn(),
      { ...running, state: 'interrupted', endedAt: BUILDER_TIME + 11_000 },
    ]);
    // A heartbeat older than the turn: the turn does not end before it began.
    expect(interruptRunning(before, BUILDER_TIME).turns[1]?.endedAt).toBe(running.startedAt);
  });
});
