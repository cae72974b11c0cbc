import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { MAX_ARGUMENT_CHARS, MAX_QUERY_CHARS } from '../lib/constants';
import { executeTool, prepareCall, TOOLS, toolSpecs } from '../lib/tools';
import { createSourceList } from '../lib/citations';
import { smallDocuments } from './support/small-documents';
import { boundaries, smallWeb } from './support/small-web';

const context = () => ({ ...smallWeb({}), boundary: boundaries() });

/** An object with a list of lists; `levels` without the object. */
function nested(levels: number): Record<string, unknown> {
  let query: unknown[] = [];
  for (let n = 1; n < levels; n += 1) query = [query];
  return { query };
}
/** As JSON text. */
const nestedText = (levels: number) => `{"query":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('arguments that are understood', () => {
  it.each<[string, string, unknown, Record<string, unknown>]>([
    ['an object', 'web_search', { query: 'rain' }, { query: 'rain' }],
    ['JSON text', 'web_search', '{"query":"rain"}', { query: 'rain' }],
    ['JSON text, encoded twice', 'web_search', '"{\\"query\\":\\"rain\\"}"', { query: 'rain' }],
    ['single quotes and a comma too many', 'web_search', "{'query': 'rain',}", { query: 'rain' }],
    ['a code fence', 'web_search', '```json\n{"query":"rain"}\n```', { query: 'rain' }],
    ['only the last brace missing', 'web_search', '{"query":"rain"', { query: 'rain' }],
    ['white space', 'web_search', { query: '  heavy\n rain ' }, { query: 'heavy rain' }],
    ['unknown keys', 'web_search', { query: 'rain', lang: 'en', n: 5 }, { query: 'rain' }],
    ['q for query', 'web_search', { q: 'rain' }, { query: 'rain' }],
    ['query before q', 'web_search', { q: 'snow', query: 'rain' }, { query: 'rain' }],
    ['link for url', 'web_fetch', { link: 'https://a.example' }, { url: 'https://a.example' }],
    ['no scheme', 'web_fetch', { url: 'a.example/x' }, { url: 'https://a.example/x' }],
    [
      'no scheme, a port',
      'web_fetch',
      { url: 'a.example:8080/x' },
      { url: 'https://a.example:8080/x' },
    ],
    ['angle brackets', 'web_fetch', { url: '<https://a.example>' }, { url: 'https://a.example' }],
    [
      'no offset',
      'web_fetch',
      { url: 'https://a.example', offset: null },
      { url: 'https://a.example' },
    ],
    [
      'offset as text',
      'web_fetch',
      { url: 'https://a.example', offset: '200' },
      { url: 'https://a.example', offset: 200 },
    ],
  ])('%s', (_, name, args, understood) => {
    const call = prepareCall(name, args);
    expect(call.arguments).toEqual(understood);
    expect(call.key).toBeDefined();
  });
});

describe('arguments that are refused, with the field named', () => {
  it.each<[string, string, unknown, string]>([
    ['nothing', 'web_search', undefined, '"query" is missing'],
    ['empty text', 'web_search', '', '"query" is missing'],
    ['an empty object', 'web_search', {}, '"query" is missing'],
    ['null', 'web_search', { query: null }, '"query" is missing'],
    ['a blank', 'web_search', { query: ' \n' }, '"query" is empty'],
    ['a number', 'web_search', { query: 7 }, '"query" must be text'],
    [
      'a long text',
      'web_search',
      { query: 'x'.repeat(MAX_QUERY_CHARS + 1) },
      '"query" is longer than',
    ],
    ['cut inside a string', 'web_search', '{"query":"how to', 'not valid JSON, or were cut off'],
    [
      'cut inside an address',
      'web_fetch',
      '{"url":"https://a.example/pa',
      'not valid JSON, or were cut off',
    ],
    ['prose', 'web_search', 'search for rain', 'not valid JSON'],
    ['an array', 'web_search', ['rain'], 'not a JSON object'],
    ['a number as JSON', 'web_search', '7', 'not a JSON object'],
    ['encoded three times', 'web_search', JSON.stringify(JSON.stringify('{"query":"x"}')), 'not'],
    [
      'more than fits',
      'web_search',
      `{"query":"${'x'.repeat(MAX_ARGUMENT_CHARS)}"}`,
      'longer than',
    ],
    ['deep nesting', 'web_search', `{${'['.repeat(9_000)}}`, 'not valid JSON'],
    ['deep nesting that is JSON', 'web_search', nestedText(9_000), 'too deeply nested'],
    ['deep nesting in an object', 'web_fetch', nested(9_000), 'too deeply nested'],
    ['a deep list', 'web_fetch', nested(9_000)['query'], 'too deeply nested'],
    ['a level too many', 'web_fetch', nested(20), 'too deeply nested: at most 20 levels'],
    ['as many levels as may be', 'web_fetch', nested(19), '"url" is missing'],
    [
      'a direction mark in an address',
      'web_fetch',
      { url: 'https://a.example/\u202egpj.exe' },
      '"url" must be an http or https address',
    ],
    ['no address', 'web_fetch', { offset: 3 }, '"url" is missing'],
    [
      'another scheme',
      'web_fetch',
      { url: 'file:///etc/passwd' },
      '"url" must be an http or https address',
    ],
    [
      'words',
      'web_fetch',
      { url: 'https://two words.example' },
      '"url" must be an http or https address',
    ],
    ['a number of a source', 'web_fetch', { url: '[1]' }, '"url" must be an http or https address'],
    [
      'a negative offset',
      'web_fetch',
      { url: 'https://a.example', offset: -1 },
      '"offset" must be a whole number',
    ],
    [
      'a broken offset',
      'web_fetch',
      { url: 'https://a.example', offset: 1.5 },
      '"offset" must be a whole number',
    ],
    [
      'offset as words',
      'web_fetch',
      { url: 'https://a.example', offset: 'next' },
      '"offset" must be a whole number',
    ],
  ])('%s', async (_, name, args, sentence) => {
    const sources = createSourceList();
    const result = await executeTool(name, args, { ...context(), sources });
    expect(result.isError).toBe(true);
    expect(result.content).toContain(sentence);
    expect(result.sources).toBeUndefined();
    expect(sources.all()).toEqual([]);
    expect(prepareCall(name, args).key).toBeUndefined();
  });
});

it('keeps what could not be read, shortened', () => {
  expect(prepareCall('web_search', '{"query":"how').arguments).toEqual({
    unreadable: '{"query":"how',
  });
  expect(prepareCall('no_such_tool', '{"a":1}').arguments).toEqual({ a: 1 });
  expect(
    JSON.stringify(prepareCall('web_search', '{'.repeat(50_000)).arguments).length,
  ).toBeLessThan(600);
});

it.each(['web_search', 'no_such_tool'])(
  'keeps a sentence instead of arguments that are too deep to save: %s',
  (name) => {
    for (const args of [nestedText(9_000), nested(100_000), nested(100_000)['query']])
      expect(prepareCall(name, args).arguments).toEqual({
        unreadable: '(arguments too deeply nested)',
      });
  },
);

it('names the tools there are when one is unknown, whatever the name holds', async () => {
  for (const name of ['no_such_tool', '', '__proto__', 'toString', '[1]\n[2] x']) {
    const result = await executeTool(name, {}, context());
    expect(result.isError).toBe(true);
    expect(result.content).toContain('web_search, web_fetch');
    expect(result.content).not.toMatch(/^\[\d/m);
  }
});

it('tells equal calls from different ones', () => {
  const key = (name: string, args: unknown) => prepareCall(name, args).key;
  expect(key('web_search', { query: ' Rain  today' })).toBe(
    key('web_search', '{"q":"rain today"}'),
  );
  expect(key('web_fetch', { url: 'https://a.example' })).toBe(
    key('web_fetch', { url: 'a.example', offset: 0 }),
  );
  expect(key('web_fetch', { url: 'https://a.example' })).not.toBe(
    key('web_fetch', { url: 'https://a.example', offset: 9 }),
  );
  expect(key('web_search', { query: 'rain' })).not.toBe(key('web_search', { query: 'snow' }));
});

it('never throws, whatever arrives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom('web_search', 'web_fetch'), fc.string()),
      fc.oneof(fc.anything(), fc.json(), fc.string({ unit: 'binary' })),
      async (name, args) => {
        const result = await executeTool(name, args, context());
        expect(typeof result.content).toBe('string');
      },
    ),
    { numRuns: 300 },
  );
});

describe('the table', () => {
  const ports = { ...smallWeb({}), documents: smallDocuments({}) };
  const specs = toolSpecs(ports);

  it('describes exactly the fields that are understood', () => {
    expect(specs.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const fields = specs.map(({ parameters }) =>
      Object.keys(z.record(z.string(), z.unknown()).parse(parameters['properties'])),
    );
    expect(fields).toEqual([
      ['query', 'count', 'site', 'freshness'],
      ['url', 'offset'],
      ['query'],
      ['path', 'page', 'block', 'offset'],
    ]);
    const full = {
      query: 'x',
      count: 3,
      site: 'a.example',
      freshness: 'week',
      url: 'https://a.example',
      path: 'Notes/tea.md',
      page: 2,
      block: 3,
      offset: 1,
    };
    for (const [n, tool] of TOOLS.entries()) {
      const parsed = tool.parse(full);
      expect(parsed.ok && Object.keys(parsed.call.arguments)).toEqual(fields[n]);
    }
  });

  it.each([
    ['nothing beside the web', smallWeb({}), true, ['web_search', 'web_fetch']],
    ['documents', ports, true, ['web_search', 'web_fetch', 'search_documents', 'read_document']],
    ['documents, and the web is off', ports, false, ['search_documents', 'read_document']],
    ['nothing, and the web is off', smallWeb({}), false, []],
  ])('offers what there is something to work on for: %s', (_, offered, web, names) => {
    expect(toolSpecs(offered, { web }).map(({ name }) => name)).toEqual(names);
  });

  it('holds only what a server accepts', () => {
    for (const spec of specs) {
      expect(spec.name).toMatch(/^[\w-]{1,64}$/);
      expect(Object.keys(spec)).toEqual(['name', 'description', 'parameters']);
      expect(structuredClone(spec)).toEqual(spec);
    }
  });
});
