import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  lastOf,
  showingVariant,
  threadOf,
  turnsBefore,
  variantsOf,
  withNext,
  withoutTurn,
  withVariant,
} from '../lib/thread';
import type { Conversation, Turn } from '../lib/types';

function turn(id: string, parent?: string): Turn {
  return {
    id,
    question: id,
    response: '',
    toolCalls: [],
    state: 'done',
    startedAt: 1,
    ...(parent === undefined ? {} : { parent }),
  };
}

function conversation(turns: Turn[], head?: string): Conversation {
  return {
    version: 2,
    id: 'c',
    title: '',
    createdAt: 1,
    updatedAt: 1,
    turns,
    ...(head === undefined ? {} : { head }),
  };
}

const ids = (turns: readonly Turn[]) => turns.map(({ id }) => id).join(' ');
const shown = (of: Conversation) => ids(threadOf(of));

describe('what is shown', () => {
  it.each<[string, Conversation, string]>([
    ['nothing', conversation([]), ''],
    ['a list without parents', conversation([turn('a'), turn('b'), turn('c')]), 'a b c'],
    ['the last of two variants', conversation([turn('a'), turn('b'), turn('x', 'a')]), 'a x'],
    ['the variant of the head', conversation([turn('a'), turn('b'), turn('x', 'a')], 'b'), 'a b'],
    ['two beginnings', conversation([turn('a', ''), turn('x', '')], 'a'), 'a'],
    [
      'a variant and what followed it',
      conversation([turn('a'), turn('b'), turn('x', 'a'), turn('y', 'x')], 'y'),
      'a x y',
    ],
    [
      'a turn that another launch added without a parent',
      conversation([turn('a', ''), turn('b', 'a'), turn('c')]),
      'a b c',
    ],
    ['a head that is gone', conversation([turn('a'), turn('b')], 'gone'), 'a b'],
    ['a parent that is gone', conversation([turn('a'), turn('b', 'gone')]), 'b'],
    ['turns in a circle', conversation([turn('a', 'b'), turn('b', 'a')]), 'a b'],
    ['a turn that follows itself', conversation([turn('a', 'a')]), 'a'],
  ])('%s', (_name, of, expected) => {
    expect(shown(of)).toBe(expected);
  });

  it('a conversation that never branched is not copied', () => {
    const turns = [turn('a'), turn('b')];
    expect(threadOf(conversation(turns))).toBe(turns);
  });

  it('what comes before a turn', () => {
    const of = conversation([turn('a'), turn('b'), turn('x', 'a'), turn('y', 'x')], 'y');
    expect(ids(turnsBefore(of, 'y'))).toBe('a x');
    expect(ids(turnsBefore(of, 'a'))).toBe('');
    expect(ids(turnsBefore(of, 'new'))).toBe('a x y');
  });
});

describe('changes', () => {
  const linear = conversation([turn('a'), turn('b'), turn('c')]);

  it('the next turn of a conversation that never branched needs no parent', () => {
    expect(withNext(linear, turn('d')).turns[3]).toEqual(turn('d'));
  });

  it('a question asked again hides what followed, and keeps it', () => {
    const again = withVariant(linear, turn('x'), 'b');
    expect(shown(again)).toBe('a x');
    expect(ids(again.turns)).toBe('a b c x');
    expect(ids(variantsOf(again, 'x'))).toBe('b x');
    expect(ids(variantsOf(again, 'a'))).toBe('a');
    expect(shown(showingVariant(again, 'b'))).toBe('a b c');
    expect(shown(withNext(again, turn('y')))).toBe('a x y');
  });

  it('going back to a variant shows what was asked last in it', () => {
    const again = withNext(withVariant(linear, turn('x'), 'b'), turn('y'));
    const back = withVariant(showingVariant(again, 'b'), turn('z'), 'c');
    expect(shown(back)).toBe('a b z');
    expect(shown(showingVariant(back, 'x'))).toBe('a x y');
    expect(shown(showingVariant(showingVariant(back, 'x'), 'b'))).toBe('a b z');
  });

  it.each<[string, string, string]>([
    ['the first', 'a', 'x'],
    ['one in between of the other variant', 'b', 'a x'],
    ['the last shown, which has a variant', 'x', 'a b c'],
  ])('without %s', (_name, gone, expected) => {
    const again = withVariant(linear, turn('x'), 'b');
    const without = withoutTurn(again, gone);
    expect(shown(without)).toBe(expected);
    expect(without.turns.some(({ id }) => id === gone)).toBe(false);
    expect(without.turns).toHaveLength(3);
  });

  it('without a turn in the middle, what followed it follows what was before it', () => {
    expect(shown(withoutTurn(linear, 'b'))).toBe('a c');
    const again = withNext(withVariant(linear, turn('x'), 'b'), turn('y'));
    expect(shown(withoutTurn(again, 'x'))).toBe('a y');
    expect(ids(variantsOf(withoutTurn(again, 'x'), 'y'))).toBe('b y');
  });

  it('without its only turn a conversation is empty', () => {
    expect(withoutTurn(conversation([turn('a')]), 'a').turns).toEqual([]);
    expect(withoutTurn(conversation([turn('a', '')], 'a'), 'a').turns).toEqual([]);
  });

  it.each(['showing', 'without', 'instead of'])('%s a turn that is not there', (what) => {
    const of = conversation([turn('a'), turn('b')], 'b');
    if (what === 'showing') expect(showingVariant(of, 'gone')).toBe(of);
    if (what === 'without') expect(withoutTurn(of, 'gone')).toBe(of);
    if (what === 'instead of') expect(shown(withVariant(of, turn('c'), 'gone'))).toBe('a b c');
  });
});

/** What a person does in a conversation, one thing after the other. */
const steps = fc.array(
  fc.record({
    what: fc.constantFrom('next', 'variant', 'show', 'delete'),
    at: fc.nat({ max: 20 }),
  }),
  { maxLength: 30 },
);

describe('whatever is done', () => {
  it('no turn is lost but those that were deleted, and the new one is shown', () => {
    fc.assert(
      fc.property(steps, (made) => {
        let of = conversation([]);
        const there = new Set<string>();
        for (const [place, { what, at }] of made.entries()) {
          const id = `t${place}`;
          const other = of.turns[at % Math.max(of.turns.length, 1)]?.id;
          if (what === 'next' || other === undefined) {
            of = withNext(of, turn(id));
            there.add(id);
            expect(lastOf(of)?.id).toBe(id);
          } else if (what === 'variant') {
            const before = ids(turnsBefore(showingVariant(of, other), other));
            of = withVariant(of, turn(id), other);
            there.add(id);
            expect(shown(of)).toBe(`${before} ${id}`.trim());
            expect(variantsOf(of, id).some((each) => each.id === other)).toBe(true);
          } else if (what === 'show') {
            of = showingVariant(of, other);
            expect(threadOf(of).some((each) => each.id === other)).toBe(true);
          } else {
            of = withoutTurn(of, other);
            there.delete(other);
          }
          expect(new Set(of.turns.map((each) => each.id))).toEqual(there);
          // Every turn can be shown, and stands at one place of what is shown then.
          for (const each of of.turns) {
            const path = threadOf(showingVariant(of, each.id)).map((one) => one.id);
            expect(path.filter((one) => one === each.id)).toHaveLength(1);
          }
          if (of.turns.length > 0) expect(threadOf(of).length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('any list of parents, however damaged, shows turns of the list, each once', () => {
    const name = fc.constantFrom('', 'a', 'b', 'c', 'd', 'gone');
    fc.assert(
      fc.property(fc.array(fc.option(name), { maxLength: 4 }), fc.option(name), (parents, head) => {
        const turns = parents.map((parent, n) => turn('abcd'[n] ?? '', parent ?? undefined));
        const path = ids(threadOf(conversation(turns, head ?? undefined))).split(' ');
        if (turns.length === 0) return;
        expect(new Set(path).size).toBe(path.length);
        expect(path.every((id) => turns.some((each) => each.id === id))).toBe(true);
      }),
    );
  });
});
