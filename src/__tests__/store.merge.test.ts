import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { interruptRunning, mergeConversations } from '../host/store/merge';
import {
  lastOf,
  showingVariant,
  threadOf,
  variantsOf,
  withNext,
  withoutTurn,
  withVariant,
} from '../lib/thread';
import type { Conversation } from '../lib/types';
import { BUILDER_TIME, makeConversation, makeTurn } from './support/builders';

const of = (...ids: string[]) => makeConversation({ turns: ids.map((id) => makeTurn({ id })) });
const ids = (conversation: { turns: { id: string }[] }) => conversation.turns.map(({ id }) => id);
const shown = (conversation: Conversation) => threadOf(conversation).map(({ id }) => id);

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
    const merged = mergeConversations(ours, disk, base);
    expect(ids(merged)).toEqual(expected);
    expect(shown(merged)).toEqual(expected);
    expect(merged.turns.every(({ parent }) => parent === undefined)).toBe(true);
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

describe('the title, who made it, and the pin', () => {
  const tea = makeConversation();
  const byModel = { title: 'Steeping', titledBy: 'model' } as const;
  const byPerson = { title: 'My tea', titledBy: 'person' } as const;

  it.each<[string, Partial<Conversation>, Partial<Conversation>, Partial<Conversation>]>([
    ['ours changed', byPerson, {}, byPerson],
    ['theirs changed', {}, byPerson, byPerson],
    ['both changed, both by persons', { ...byPerson, title: 'Ours' }, byPerson, { title: 'Ours' }],
    ['ours is a model’s, theirs a person’s', byModel, byPerson, byPerson],
    ['ours is a person’s, theirs a model’s', byPerson, byModel, byPerson],
    ['we pinned', { pinned: true }, {}, { pinned: true }],
    ['they pinned', {}, { pinned: true }, { pinned: true }],
  ])('%s', (_, ours, disk, expected) => {
    const merged = mergeConversations({ ...tea, ...ours }, { ...tea, ...disk }, tea);
    expect(merged).toEqual({ ...tea, ...expected, titledBy: merged.titledBy });
    expect(merged.titledBy).toBe(
      'titledBy' in expected ? expected.titledBy : (ours.titledBy ?? disk.titledBy),
    );
  });

  it('is unpinned by whoever took the pin away', () => {
    const pinned = { ...tea, pinned: true };
    expect(mergeConversations(tea, pinned, pinned).pinned).toBeUndefined();
    expect(mergeConversations(pinned, tea, pinned).pinned).toBeUndefined();
  });

  it('stays pinned when a launch saves that never loaded it', () => {
    expect(mergeConversations(tea, { ...tea, pinned: true }, undefined).pinned).toBe(true);
  });
});

describe('variants', () => {
  const next = (conversation: Conversation, id: string) => withNext(conversation, makeTurn({ id }));
  const instead = (conversation: Conversation, id: string, other: string) =>
    withVariant(conversation, makeTurn({ id }), other);

  it('a turn that followed in a linear version stays behind what it followed', () => {
    const base = of('a', 'b');
    const disk = next(instead(base, 'b2', 'b'), 'c2'); // a, b | a, b2, c2
    const ours = next(base, 'c');
    const merged = mergeConversations(ours, disk, base);
    expect(shown(merged)).toEqual(['a', 'b', 'c']);
    expect(shown(showingVariant(merged, 'b2'))).toEqual(['a', 'b2', 'c2']);
  });

  it('a variant of ours and a linear addition of theirs both stay', () => {
    const base = of('a', 'b');
    const disk = next(base, 'x');
    const ours = instead(base, 'b2', 'b');
    const merged = mergeConversations(ours, disk, base);
    expect(shown(merged)).toEqual(['a', 'b2']);
    expect(shown(showingVariant(merged, 'b'))).toEqual(['a', 'b', 'x']);
    expect(variantsOf(merged, 'b').map(({ id }) => id)).toEqual(['b', 'b2']);
  });

  it('shows theirs if only they changed what is shown', () => {
    const base = of('a', 'b');
    const disk = instead(base, 'b2', 'b');
    expect(shown(mergeConversations(base, disk, base))).toEqual(['a', 'b2']);
    const back = showingVariant(disk, 'b');
    expect(shown(mergeConversations(disk, back, disk))).toEqual(['a', 'b']);
  });

  it('a turn whose parent was removed elsewhere follows what that one followed', () => {
    const base = instead(of('a', 'b', 'c'), 'c2', 'c');
    const ours = next(base, 'd');
    const disk = withoutTurn(withoutTurn(base, 'c2'), 'b');
    const merged = mergeConversations(ours, disk, base);
    expect(shown(merged)).toEqual(['a', 'd']);
    expect(shown(showingVariant(merged, 'c'))).toEqual(['a', 'c']);
  });

  it('a turn that we changed while they removed the one before it', () => {
    const base = instead(of('a', 'b', 'c'), 'b2', 'b');
    const ours = {
      ...base,
      turns: base.turns.map((turn) => (turn.id === 'c' ? { ...turn, response: 'New' } : turn)),
    };
    const merged = mergeConversations(ours, withoutTurn(base, 'b'), base);
    expect(merged.turns.find(({ id }) => id === 'c')).toMatchObject({
      response: 'New',
      parent: 'a',
    });
  });

  it('after a deletion elsewhere, what is new begins the conversation', () => {
    const base = instead(of('a', 'b'), 'b2', 'b');
    const merged = mergeConversations(next(base, 'c'), undefined, base);
    expect(merged.turns).toEqual([makeTurn({ id: 'c', parent: '' })]);
    expect(merged.head).toBe('c');
  });

  /** A conversation after some changes that a person makes. `prefix` names what is added. */
  function changedBy(start: Conversation, prefix: string, steps: readonly [number, number][]) {
    return steps.reduce((conversation, [kind, where], count) => {
      const { turns } = conversation;
      const some = turns[where % Math.max(1, turns.length)]?.id ?? '';
      const id = `${prefix}${count}`;
      if (kind === 0 || turns.length === 0) return next(conversation, id);
      if (kind === 1) return instead(conversation, id, some);
      if (kind === 2) return showingVariant(conversation, some);
      return withoutTurn(conversation, some);
    }, start);
  }

  const steps = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 9 })), { maxLength: 8 });

  it('no turn is lost unless it was removed on purpose, and each stays in its own variant', () => {
    fc.assert(
      fc.property(steps, steps, steps, (before, mine, theirs) => {
        const base = changedBy(of('a', 'b'), 'base', before);
        const ours = changedBy(base, 'mine', mine);
        const disk = changedBy(base, 'theirs', theirs);
        const merged = mergeConversations(ours, disk, base);
        const [ourIds, diskIds, baseIds] = [ids(ours), ids(disk), ids(base)];
        const wanted = new Set(
          [...ourIds, ...diskIds].filter(
            (id) => !baseIds.includes(id) || (ourIds.includes(id) && diskIds.includes(id)),
          ),
        );
        expect(new Set(ids(merged))).toEqual(wanted);
        expect(merged.turns).toHaveLength(wanted.size);

        const isTree = [ours, disk, base].some(({ head }) => head !== undefined);
        const pathTo = (conversation: Conversation, head: string) =>
          shown({ ...conversation, head }).filter((id) => wanted.has(id));
        // A list has one path, whoever added to it.
        const same = (path: string[], of: string[]) =>
          isTree ? path : path.filter((id) => of.includes(id));
        for (const id of wanted) {
          const owner = ourIds.includes(id) ? ours : disk;
          expect(same(pathTo(merged, id), ids(owner))).toEqual(pathTo(owner, id));
        }
        expect(wanted.size === 0 || shown(merged).length > 0).toBe(true);
        const ourHead = lastOf(ours)?.id ?? '';
        if (lastOf(base)?.id !== ourHead && wanted.has(ourHead) && isTree)
          expect(lastOf(merged)?.id).toBe(ourHead);
        for (const { parent = '' } of merged.turns)
          expect(parent === '' || wanted.has(parent)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('merging what was merged changes nothing', () => {
    fc.assert(
      fc.property(steps, steps, steps, (before, mine, theirs) => {
        const base = changedBy(of('a', 'b'), 'base', before);
        const ours = changedBy(base, 'mine', mine);
        const merged = mergeConversations(ours, changedBy(base, 'theirs', theirs), base);
        expect(mergeConversations(merged, merged, merged)).toEqual(merged);
        expect(mergeConversations(merged, merged, ours)).toEqual(merged);
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
