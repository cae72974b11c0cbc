import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { bibtex, cslJson, type ReferencedTurn } from '../lib/markdown';
import type { Source } from '../lib/types';
import { BUILDER_TIME, makeToolCall } from './support/builders';

const page = (index: number, more: Partial<Source> = {}): Source => ({
  index,
  title: 'Leaf and water',
  url: 'https://www.leaf.example/water?lang=en',
  ...more,
});

const turn = (
  response: string,
  sources: Source[],
  more: Partial<ReferencedTurn> = {},
): ReferencedTurn => ({
  response,
  toolCalls: [makeToolCall({ sources, statuses: [] })],
  startedAt: BUILDER_TIME,
  ...more,
});

/** What the schema of CSL-JSON (version 1.0) calls these fields, and nothing beside them. */
const DateSchema = z.strictObject({
  'date-parts': z.array(z.array(z.int()).check(z.minLength(1), z.maxLength(3))).check(z.length(1)),
});
const ItemSchema = z.strictObject({
  id: z.string().check(z.regex(/^[a-z\d]+(?:-[a-z\d]+)*$/)),
  type: z.enum(['webpage', 'document']),
  title: z.optional(z.string()),
  'container-title': z.optional(z.string()),
  note: z.optional(z.string()),
  URL: z.optional(z.string()),
  issued: z.optional(DateSchema),
  accessed: z.optional(DateSchema),
});
const items = (turns: ReferencedTurn[]) => z.parse(z.array(ItemSchema), JSON.parse(cslJson(turns)));

interface Entry {
  type: string;
  key: string;
  fields: Record<string, string>;
}

/** Reads entries the way BibTeX does: the braces of a value are counted, whatever stands in front of them. */
function readBibtex(text: string): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  const take = (pattern: RegExp): string[] | undefined => {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    if (match) at = sticky.lastIndex;
    return match ? [...match] : undefined;
  };
  for (;;) {
    take(/\s*/);
    const [, type, key] = take(/@(\w+)\{([^\s,{}"#%~\\]+),\s*/) ?? [];
    if (type === undefined || key === undefined) break;
    const fields: Record<string, string> = {};
    for (;;) {
      const [, name] = take(/(\w+) = \{/) ?? [];
      if (name === undefined) break;
      const start = at;
      for (let depth = 1; depth > 0; at += 1) {
        if (at >= text.length) throw new Error(`${name} is not closed`);
        if (text[at] === '{') depth += 1;
        if (text[at] === '}') depth -= 1;
      }
      fields[name] = text.slice(start, at - 1);
      take(/,\s*/);
    }
    if (!take(/\}/)) throw new Error(`${key} is not closed`);
    entries.push({ type, key, fields });
  }
  if (at < text.length) throw new Error(`not an entry: ${text.slice(at, at + 40)}`);
  return entries;
}

/** What TeX prints for a value. An active character that is not escaped is an error. */
function printed(value: string): string {
  const commands: Record<string, string> = {
    textbackslash: '\\',
    textbraceleft: '{',
    textbraceright: '}',
    textasciitilde: '~',
    textasciicircum: '^',
  };
  return value.replace(
    /\\([a-z]+)\{\}|\\([%&#_$])|[\\{}~^%&#_$]/g,
    (all, command?: string, char?: string) => {
      const said = command === undefined ? char : commands[command];
      if (said === undefined) throw new Error(`acts: ${all}`);
      return said;
    },
  );
}

describe('one page and one document', () => {
  const turns = [
    turn('So [1], and [2].', [
      page(1, { date: '2025-11-03' }),
      page(2, { title: 'My notes', url: '/home/ada/private/tea notes.md', kind: 'document' }),
      page(3, { url: 'https://uncited.example/' }),
    ]),
  ];

  it('as BibTeX', () => {
    expect(bibtex(turns)).toBe(
      [
        '@online{leaf-example-leaf,',
        '  title = {Leaf and water},',
        '  organization = {www.leaf.example},',
        '  date = {2025-11-03},',
        '  url = {https://www.leaf.example/water?lang=en},',
        '  urldate = {2026-01-01},',
        '}',
        '',
        '@misc{document-notes,',
        '  title = {My notes},',
        '  note = {tea notes.md},',
        '  urldate = {2026-01-01},',
        '}',
        '',
      ].join('\n'),
    );
  });

  it('as CSL-JSON', () => {
    expect(items(turns)).toEqual([
      {
        id: 'leaf-example-leaf',
        type: 'webpage',
        title: 'Leaf and water',
        'container-title': 'www.leaf.example',
        URL: 'https://www.leaf.example/water?lang=en',
        issued: { 'date-parts': [[2025, 11, 3]] },
        accessed: { 'date-parts': [[2026, 1, 1]] },
      },
      {
        id: 'document-notes',
        type: 'document',
        title: 'My notes',
        note: 'tea notes.md',
        accessed: { 'date-parts': [[2026, 1, 1]] },
      },
    ]);
  });

  it('with nobody’s folders in it', () => {
    expect(bibtex(turns) + cslJson(turns)).not.toContain('ada');
  });
});

describe('what is known of a source', () => {
  const only = (source: Partial<Source>, startedAt = BUILDER_TIME) => {
    const turns = [turn('So [1].', [page(1, source)], { startedAt })];
    return { item: items(turns)[0], entry: readBibtex(bibtex(turns))[0] };
  };

  it.each<[string, number[] | undefined]>([
    ['2025', [2025]],
    ['2025-11', [2025, 11]],
    ['2025-11-03', [2025, 11, 3]],
    ['2024-02-29', [2024, 2, 29]],
    ['2000-02-29', [2000, 2, 29]],
    ['2025-02-29', undefined],
    ['1900-02-29', undefined],
    ['2025-04-31', undefined],
    ['2025-13', undefined],
    ['2025-00', undefined],
    ['2025-01-00', undefined],
    ['0000', undefined],
    ['2025-1-1', undefined],
    ['2025-11-03T10:00:00Z', undefined],
    ['2025-11-03\n', undefined],
    ['3 days ago', undefined],
    ['03/11/2025', undefined],
    ['', undefined],
  ])('the date %j', (date, parts) => {
    const { item, entry } = only({ date });
    expect(item?.issued).toEqual(parts && { 'date-parts': [parts] });
    expect(entry?.fields['date']).toBe(parts && date);
  });

  it.each<[number, string | undefined]>([
    [BUILDER_TIME - 1, '2025-12-31'],
    [0, '1970-01-01'],
    [NaN, undefined],
    [Infinity, undefined],
    [9e15, undefined],
    [8e15, undefined], // a year of six digits
    [-8e15, undefined],
  ])('the access at %d, in UTC', (startedAt, day) => {
    const { item, entry } = only({}, startedAt);
    expect(item?.accessed).toEqual(day && { 'date-parts': [day.split('-').map(Number)] });
    expect(entry?.fields['urldate']).toBe(day);
  });

  it.each<[string, Partial<Source>]>([
    ['blank', { title: ' ' }],
    ['the address', { title: page(1).url }],
  ])('a title that is %s is none', (_why, source) => {
    const { item, entry } = only(source);
    expect(item).not.toHaveProperty('title');
    expect(entry?.fields).not.toHaveProperty('title');
    expect(entry?.key).toBe('leaf-example');
  });

  it('a host with a mark that acts is escaped, and its address is as it is', () => {
    const { item, entry } = only({ url: 'https://a_b.example/c_d?e=%20&f#g' });
    expect(entry?.fields).toMatchObject({
      organization: 'a\\_b.example',
      url: 'https://a_b.example/c_d?e=%20&f#g',
    });
    expect(item?.['container-title']).toBe('a_b.example');
  });

  it('a file that is called like its title is named once', () => {
    const { item, entry } = only({ title: 'a.md', url: '/home/ada/a.md', kind: 'document' });
    expect(item).toMatchObject({ type: 'document', title: 'a.md' });
    expect(item).not.toHaveProperty('note');
    expect(entry).toMatchObject({ type: 'misc', fields: { title: 'a.md' } });
  });

  it('no author is made up', () => {
    const { item, entry } = only({});
    for (const field of ['author', 'editor', 'publisher']) {
      expect(item).not.toHaveProperty(field);
      expect(entry?.fields).not.toHaveProperty(field);
    }
  });
});

describe('several turns', () => {
  const other = page(2, { title: 'Kettles', url: 'https://k.example/' });
  const later = { startedAt: BUILDER_TIME + 86_400_000 };

  it('give one entry a page, with what was known when it was first cited', () => {
    const turns = [
      turn('So [1].', [page(1, { title: '' })]),
      turn(
        'And [2] [3].',
        [
          other,
          page(3, { url: 'http://www.leaf.example/water?lang=en&utm_source=x', date: '2025' }),
        ],
        later,
      ),
    ];
    expect(
      items(turns).map(({ title, URL: url, issued, accessed }) => [title, url, issued, accessed]),
    ).toEqual([
      ['Leaf and water', page(1).url, { 'date-parts': [[2025]] }, { 'date-parts': [[2026, 1, 1]] }],
      ['Kettles', other.url, undefined, { 'date-parts': [[2026, 1, 2]] }],
    ]);
  });

  it('cite what an earlier one found', () => {
    expect(items([turn('Again [1].', [], { carried: [page(1)] })])).toHaveLength(1);
  });

  it('that cite nothing give nothing', () => {
    expect(bibtex([turn('So.', [page(1)])])).toBe('');
    expect(items([turn('So.', [page(1)])])).toEqual([]);
    expect(bibtex([])).toBe('');
    expect(cslJson([])).toBe('[]\n');
  });

  it('of a page that may not be opened give nothing: its number is no citation', () => {
    expect(items([turn('So [1].', [page(1, { url: 'javascript:alert(1)' })])])).toEqual([]);
  });
});

describe('keys', () => {
  const keysOf = (...sources: Partial<Source>[]) => {
    const given = sources.map((source, i) => page(i + 1, source));
    return items([turn(given.map(({ index }) => `[${index}]`).join(''), given)]).map(
      ({ id }) => id,
    );
  };

  it.each<[string, Partial<Source>, string]>([
    ['accents', { title: 'Über Thé' }, 'leaf-example-uber'],
    ['another script', { title: '茶の本' }, 'leaf-example'],
    ['short words', { title: 'On the art of tea' }, 'leaf-example'],
    ['a port and marks', { url: 'https://a_b.example:81/', title: 'C# & %{}~' }, 'a-b-example'],
    ['a host of another script', { url: 'https://茶.example/' }, 'xn-example-leaf'],
    ['numbers', { url: 'http://127.0.0.1/' }, '127-0-0-1-leaf'],
    ['a long word', { title: 'x'.repeat(500) }, `leaf-example-${'x'.repeat(24)}`],
    [
      'a document',
      { url: '/home/ada/Überblick.md', kind: 'document', title: '' },
      'document-uberblick',
    ],
  ])('of %s', (_why, source, key) => {
    expect(keysOf(source)[0]?.replace(/^xn-\w+-/, 'xn-')).toBe(key);
  });

  it('are never the same, and what comes later changes none', () => {
    const at = (path: string, title = 'Water') => ({ url: `https://l.example/${path}`, title });
    const all = [
      at('1'),
      at('2'),
      at('3', 'Water'),
      { url: 'https://l-example.example/', title: '' },
    ];
    expect(keysOf(...all)).toEqual([
      'l-example-water',
      'l-example-water-2',
      'l-example-water-3',
      'l-example-example',
    ]);
    expect(keysOf(...all.slice(0, 2))).toEqual(keysOf(...all).slice(0, 2));
  });

  it('are never the same, also where one has the number of another in its own name', () => {
    const water = { url: 'https://l.example/1', title: 'Water' };
    expect(
      keysOf({ url: 'http://l-example-water-2/', title: '' }, water, {
        ...water,
        url: 'https://l.example/2',
      }),
    ).toEqual(['l-example-water-2', 'l-example-water', 'l-example-water-3']);
  });

  it('have forty letters of a host, and no hyphen at their end', () => {
    expect(keysOf({ url: `https://${'a'.repeat(50)}.example/` })[0]).toBe(`${'a'.repeat(40)}-leaf`);
    expect(keysOf({ url: `https://${'a'.repeat(39)}.example/` })[0]).toBe(`${'a'.repeat(39)}-leaf`);
  });
});

describe('any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '\\',
          '%',
          '&',
          '#',
          '_',
          '~',
          '^',
          '$',
          '@',
          '"',
          '\n',
          'a,',
          ' ',
        ),
      )
      .map((chars) => chars.join('')),
  );
  const source = fc
    .record({ title: text, path: text, date: text, isFile: fc.boolean() })
    .map(({ title, path, date, isFile }, i = 0): Source => ({
      index: i + 1,
      title,
      date,
      ...(isFile
        ? { url: `/home/ada/${path}`, kind: 'document' }
        : { url: `https://a.example/{${path.replace(/[^\w{}%&#~^$,"']/g, '')}` }),
    }));

  it('is a value that BibTeX reads back and TeX prints as it is, and JSON of the schema', () => {
    fc.assert(
      fc.property(fc.array(source, { maxLength: 4 }), fc.double(), (given, startedAt) => {
        const sources = given.map((each, i) => ({ ...each, index: i + 1 }));
        const turns = [turn('So [1] [2] [3] [4].', sources, { startedAt })];
        const found = items(turns);
        const entries = readBibtex(bibtex(turns));
        expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
        expect(
          entries.map(({ key, type, fields }) => ({
            id: key,
            isPage: type === 'online',
            title: fields['title'] && printed(fields['title']),
            note: fields['note'] && printed(fields['note']),
            url: fields['url'],
          })),
        ).toEqual(
          found.map(({ id, type, title, note, URL: url }) => ({
            id,
            isPage: type === 'webpage',
            title,
            note,
            url: url?.replaceAll('{', '%7B').replaceAll('}', '%7D'),
          })),
        );
        for (const { title = '', note = '' } of found) expect(title + note).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 500 },
    );
  }, 120_000);
});
