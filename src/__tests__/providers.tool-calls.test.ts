import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createToolCallAssembly, type CallFragment } from '../host/providers/tool-call-assembly';

type Call = [id: string, name: string, args: unknown];

function assemble(arrays: readonly CallFragment[][], taken: string[] = []): Call[] {
  const assembly = createToolCallAssembly(taken);
  for (const fragments of arrays) assembly.add(fragments);
  return assembly.finish().map((call) => [call.id, call.name, call.arguments]);
}

const cases: [name: string, arrays: CallFragment[][], calls: Call[]][] = [
  ['nothing', [], []],
  [
    'fragments by index',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '' }],
      [{ index: 0, arguments: '{"q":' }],
      [{ index: 0, arguments: '"x"}' }],
    ],
    [['a', 'search', '{"q":"x"}']],
  ],
  [
    'two calls, interleaved',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '{"q":' }],
      [{ index: 1, id: 'b', name: 'fetch', arguments: '{"u":' }],
      [
        { index: 0, arguments: '"x"}' },
        { index: 1, arguments: '"y"}' },
      ],
    ],
    [
      ['a', 'search', '{"q":"x"}'],
      ['b', 'fetch', '{"u":"y"}'],
    ],
  ],
  [
    'no index, by id',
    [
      [{ id: 'a', name: 'search', arguments: '{"q":' }],
      [{ id: 'b', name: 'fetch', arguments: '{"u":1}' }],
      [{ id: 'a', arguments: '1}' }],
    ],
    [
      ['a', 'search', '{"q":1}'],
      ['b', 'fetch', '{"u":1}'],
    ],
  ],
  [
    'no index, no id: the last call',
    [[{ id: 'a', name: 'search' }], [{ arguments: '{"q":' }], [{ arguments: '1}' }]],
    [['a', 'search', '{"q":1}']],
  ],
  ['no id at all', [[{ index: 0, name: 'search', arguments: '{}' }]], [['call_1', 'search', '{}']]],
  [
    'no id twice',
    [
      [
        { index: 0, name: 'search', arguments: '{}' },
        { index: 1, name: 'search', arguments: '{}' },
      ],
    ],
    [
      ['call_1', 'search', '{}'],
      ['call_2', 'search', '{}'],
    ],
  ],
  [
    'the same id for two calls',
    [
      [
        { index: 0, id: 'x', name: 'a', arguments: '{}' },
        { index: 1, id: 'x', name: 'b', arguments: '{}' },
      ],
    ],
    [
      ['x', 'a', '{}'],
      ['call_2', 'b', '{}'],
    ],
  ],
  [
    'id in every fragment',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '{"q"' }],
      [{ index: 0, id: 'a', arguments: ':1}' }],
    ],
    [['a', 'search', '{"q":1}']],
  ],
  [
    'id and name in every fragment',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '' }],
      [{ index: 0, id: 'a', name: 'search', arguments: '{"q"' }],
      [{ index: 0, id: 'a', name: 'search', arguments: ':1}' }],
    ],
    [['a', 'search', '{"q":1}']],
  ],
  [
    'empty id and name in later fragments',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '{"q"' }],
      [{ index: 0, id: '', name: '', arguments: ':1}' }],
    ],
    [['a', 'search', '{"q":1}']],
  ],
  [
    'index 0 for every call, new id',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '{"q":1}' }],
      [{ index: 0, id: 'b', name: 'search', arguments: '{"q":' }],
      [{ index: 0, arguments: '2}' }],
    ],
    [
      ['a', 'search', '{"q":1}'],
      ['b', 'search', '{"q":2}'],
    ],
  ],
  [
    'index 0 for every call, no ids',
    [
      [{ index: 0, name: 'search', arguments: '{"q":1}' }],
      [{ index: 0, name: 'search', arguments: '{"q":2}' }],
    ],
    [
      ['call_1', 'search', '{"q":1}'],
      ['call_2', 'search', '{"q":2}'],
    ],
  ],
  [
    'two whole calls in one array without index and id',
    [[{ name: 'now' }, { name: 'now' }, { name: 'search', arguments: '{"q":1}' }]],
    [
      ['call_1', 'now', {}],
      ['call_2', 'now', {}],
      ['call_3', 'search', '{"q":1}'],
    ],
  ],
  [
    'two fragments of one call in one array',
    [
      [
        { index: 0, id: 'a', name: 'search', arguments: '{"q"' },
        { index: 0, arguments: ':1}' },
      ],
    ],
    [['a', 'search', '{"q":1}']],
  ],
  [
    'object arguments',
    [[{ name: 'search', arguments: { q: 1 } }]],
    [['call_1', 'search', { q: 1 }]],
  ],
  ['null arguments', [[{ index: 0, id: 'a', name: 'now', arguments: null }]], [['a', 'now', {}]]],
  ['blank arguments', [[{ index: 0, id: 'a', name: 'now', arguments: ' ' }]], [['a', 'now', {}]]],
  [
    'placeholder arguments before the real ones',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '{}' }],
      [{ index: 0, arguments: '{"q"' }],
      [{ index: 0, arguments: ':1}' }],
    ],
    [['a', 'search', '{"q":1}']],
  ],
  [
    'name in pieces',
    [
      [{ index: 0, id: 'a', name: 'web_' }],
      [{ index: 0, name: 'search' }],
      [{ index: 0, arguments: '{}' }],
    ],
    [['a', 'web_search', '{}']],
  ],
  [
    'name growing',
    [[{ index: 0, id: 'a', name: 'web_' }], [{ index: 0, name: 'web_search', arguments: '{}' }]],
    [['a', 'web_search', '{}']],
  ],
  [
    'id only after the name',
    [[{ index: 0, name: 'search' }], [{ index: 0, id: 'a', arguments: '{"q":1}' }]],
    [['a', 'search', '{"q":1}']],
  ],
  [
    'the finished call repeated at the end',
    [
      [{ index: 0, id: 'a', name: 'search', arguments: '{"q":' }],
      [{ index: 0, arguments: '1}' }],
      [{ index: 0, id: 'a', name: 'search', arguments: '{"q":1}' }],
    ],
    [['a', 'search', '{"q":1}']],
  ],
  [
    'index as text',
    [
      [{ index: '1', id: 'a', name: 'search', arguments: '{"q"' }],
      [{ index: 1, arguments: ':1}' }],
    ],
    [['a', 'search', '{"q":1}']],
  ],
  ['an empty fragment is no call', [[{ index: 0 }]], []],
  [
    'broken arguments are passed on',
    [[{ index: 0, id: 'a', name: 'search', arguments: '{"q' }]],
    [['a', 'search', '{"q']],
  ],
];

describe('tool call assembly', () => {
  it.each(cases)('%s', (_name, arrays, calls) => {
    expect(assemble(arrays)).toEqual(calls);
  });

  it('makes up ids that the conversation does not have', () => {
    expect(assemble([[{ name: 'a' }, { name: 'b' }]], ['call_1', 'call_3'])).toEqual([
      ['call_2', 'a', {}],
      ['call_4', 'b', {}],
    ]);
  });

  it('drops calls whose arguments are not whole when told so', () => {
    const assembly = createToolCallAssembly();
    assembly.add([
      { index: 0, id: 'a', name: 'search', arguments: '{"q":1}' },
      { index: 1, id: 'b', name: 'search', arguments: '{"q":' },
    ]);
    expect(assembly.finish({ dropIncomplete: true }).map(({ id }) => id)).toEqual(['a']);
  });

  it('puts interleaved fragments together, however they are cut', () => {
    const call = fc.record({ name: fc.constantFrom('search', 'fetch'), q: fc.string() });
    fc.assert(
      fc.property(
        fc.array(call, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(7), { minLength: 1 }),
        (calls, choices) => {
          let turn = 0;
          const next = () => choices[turn++ % choices.length] ?? 0;
          const rest = calls.map(({ q }) => JSON.stringify({ q }));
          const arrays: CallFragment[][] = calls.map(({ name }, index) => [
            { index, id: `id${index}`, name, arguments: '' },
          ]);
          while (rest.some((text) => text !== '')) {
            const open = rest.flatMap((text, index) => (text === '' ? [] : [index]));
            const index = open[next() % open.length] ?? 0;
            const text = rest[index] ?? '';
            const size = 1 + next();
            arrays.push([{ index, arguments: text.slice(0, size) }]);
            rest[index] = text.slice(size);
          }
          expect(assemble(arrays)).toEqual(
            calls.map(({ name, q }, index) => [`id${index}`, name, JSON.stringify({ q })]),
          );
        },
      ),
    );
  });

  it('accepts any fragments, and gives every call an id of its own', () => {
    const fragment = fc.record(
      {
        index: fc.option(fc.oneof(fc.nat(2), fc.constantFrom('0', 'x')), { nil: undefined }),
        id: fc.constantFrom(undefined, '', 'a', 'b', 'call_1'),
        name: fc.constantFrom(undefined, '', 'search', 'sea'),
        arguments: fc.constantFrom(undefined, null, '', '{}', '{"q":1}', '{', { q: 1 }, 7, []),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.array(fragment, { maxLength: 3 }), { maxLength: 6 }), (arrays) => {
        const ids = assemble(arrays).map(([id]) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).not.toContain('');
      }),
    );
  });
});
