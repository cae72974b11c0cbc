import { describe, expect, it } from 'vitest';

import { runAgent } from '../lib/agent';
import { MAX_CALLS_PER_ROUND } from '../lib/constants';
import { turnMarkdown } from '../lib/markdown';
import type { DocumentsPort, RequestedCall } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { ask, say, scriptedProvider } from './support/scripted-provider';
import { smallWeb } from './support/small-web';

type Calls = Omit<RequestedCall, 'id'>[];
const search = (args: Record<string, unknown>): Calls[number] => ({
  name: 'web_search',
  arguments: args,
});
const fetch = (url: string, offset?: number): Calls[number] => ({
  name: 'web_fetch',
  arguments: offset === undefined ? { url } : { url, offset },
});

const TEA = { title: 'Tea', url: 'https://tea.example/', content: 'Fog.' };
const { search: find, fetchPage } = smallWeb({
  searches: {
    tea: [TEA],
    'say "tea": now': [TEA],
    down: { ok: false, message: 'The service is down.' },
    narrow: { ok: true, hits: [TEA], ignored: ['freshness'] },
  },
  pages: { 'https://tea.example/': { title: 'Tea', text: 'Fog. '.repeat(200) } },
});

/** The rows of a turn whose model makes these calls, a list a round, as they read. */
async function rows(...rounds: Calls[]): Promise<string[]> {
  const provider = scriptedProvider([...rounds.map((calls) => ask(calls)), say('Done.')]);
  const turn = await runAgent(agentOptions({ ports: { search: find, fetchPage, provider } }));
  provider.assertComplete();
  const { toolCalls } = turn;
  return turnMarkdown(
    { id: 't', question: 'Tea?', response: '', state: 'done', startedAt: 1, toolCalls },
    { showToolCalls: true },
  )
    .split('\n')
    .filter((line) => line.startsWith('-   '))
    .map((line) => line.slice(4).replace(/\\(?=[^\w\s])/g, ''));
}

describe('a row says what became of its call', () => {
  it.each<[string, Calls[], string[]]>([
    ['a search', [[search({ query: 'tea' })]], ['Searched for: tea']],
    [
      'a search that found nothing',
      [[search({ query: 'nil' })]],
      ['Searched for: nil (nothing found)'],
    ],
    [
      'one that was narrowed',
      [[search({ query: 'nil', site: 'docs.example', freshness: 'week' })]],
      ['Searched for: nil on docs.example from the last week (nothing found)'],
    ],
    [
      'one that could not be narrowed',
      [[search({ query: 'narrow', site: 'docs.example', freshness: 'day' })]],
      ['Searched for: narrow on docs.example'],
    ],
    [
      'one with marks in its words',
      [[search({ query: 'say "tea": now' })]],
      ['Searched for: say "tea": now'],
    ],
    [
      'one that failed',
      [[search({ query: 'down' })]],
      ['Searched for: down (failed: The service is down)'],
    ],
    [
      'a page by parts',
      [[fetch('https://tea.example/'), fetch('https://tea.example/', 600)]],
      ['Read: https://tea.example/', 'Read: https://tea.example/ from character 600'],
    ],
    [
      'a page that has a number and cannot be read: without what is for the model',
      [
        [search({ query: 'tea' })],
        [fetch('https://tea.example/#x'), fetch('https://gone.example/')],
      ],
      [
        'Searched for: tea',
        'Read: https://tea.example/#x (failed: The server has no such page (404))',
        'Read: https://gone.example/ (failed: The server has no such page (404))',
      ],
    ],
    [
      'the same call again',
      [[search({ query: 'tea' }), search({ query: 'Tea' })]],
      ['Searched for: tea', 'Searched for: Tea (not run again: the same as above)'],
    ],
    [
      'a failed call for the third time',
      [[search({ query: 'down' })], [search({ query: 'down' })], [search({ query: 'down' })]],
      [
        'Searched for: down (failed: The service is down)',
        'Searched for: down (failed: The service is down)',
        'Searched for: down (not run again: it failed 2 times)',
      ],
    ],
  ])('%s', async (_name, rounds, expected) => {
    expect(await rows(...rounds)).toEqual(expected);
  });

  it('one call too many', async () => {
    const calls = Array.from({ length: MAX_CALLS_PER_ROUND + 1 }, (_, n) =>
      search({ query: `q${n}` }),
    );
    expect((await rows(calls)).at(-1)).toBe(
      `Searched for: q${MAX_CALLS_PER_ROUND} (not run: at most ${MAX_CALLS_PER_ROUND} calls are run at once)`,
    );
  });

  it('a call that was stopped', async () => {
    const stop = new AbortController();
    const provider = scriptedProvider([ask([search({ query: 'tea' })])]);
    const turn = await runAgent(
      agentOptions({
        signal: stop.signal,
        ports: {
          fetchPage,
          provider,
          search: () => {
            stop.abort();
            return new Promise(() => undefined);
          },
        },
      }),
    );
    const { toolCalls } = turn;
    const markdown = turnMarkdown(
      { id: 't', question: 'Tea?', response: '', state: 'stopped', startedAt: 1, toolCalls },
      { showToolCalls: true },
    );
    expect(markdown).toContain('-   Searched for: tea \\(stopped\\)\n');
  });
});

describe('a row says what became of a call for documents', () => {
  const wuyi = {
    name: 'Notes/wuyi tea.md',
    path: '/home/ada/Notes/wuyi tea.md',
    title: 'Wuyi',
    version: 'ab',
  };
  const text = 'Fog on the rocks.';
  const blocks = [{ id: 'a', kind: 'paragraph', start: 0, end: 17, number: 1 } as const];
  const documents: DocumentsPort = {
    search: (query) =>
      Promise.resolve(
        query === 'down'
          ? { ok: false, message: 'The index cannot be read.' }
          : {
              ok: true,
              hits:
                query === 'nil'
                  ? []
                  : [{ document: wuyi, passages: [{ text, start: 0, blocks, score: 1 }] }],
              files: { indexed: 1, pending: 0 },
            },
      ),
    read: (name) =>
      Promise.resolve(
        name === wuyi.name
          ? { ok: true, document: wuyi, text, blocks }
          : { ok: false, status: 'not-found', message: 'There is no such file.' },
      ),
  };

  it.each<[string, Record<string, unknown>, string]>([
    ['search_documents', { query: 'fog' }, 'Searched documents for: fog'],
    ['search_documents', { query: 'nil' }, 'Searched documents for: nil (nothing found)'],
    [
      'search_documents',
      { query: 'down' },
      'Searched documents for: down (failed: The index cannot be read)',
    ],
    ['read_document', { path: wuyi.name }, 'Read: Notes/wuyi tea.md'],
    ['read_document', { path: wuyi.name, block: 1 }, 'Read: Notes/wuyi tea.md from paragraph 1'],
    ['read_document', { path: wuyi.name, offset: 4 }, 'Read: Notes/wuyi tea.md from character 4'],
    [
      'read_document',
      { path: 'Notes/my oolong.md' },
      'Read: Notes/my oolong.md (failed: There is no such file)',
    ],
    [
      'read_document',
      { path: wuyi.name, page: 2 },
      'Read: Notes/wuyi tea.md (failed: the document has no pages; use block or offset, or neither)',
    ],
  ])('%s %j', async (name, args, expected) => {
    const options = agentOptions({
      ports: {
        documents,
        provider: scriptedProvider([ask([{ name, arguments: args }]), say('Done.')]),
      },
    });
    const { toolCalls } = await runAgent(options);
    const shown = turnMarkdown(
      { id: 't', question: 'Tea?', response: '', state: 'done', startedAt: 1, toolCalls },
      { showToolCalls: true },
    );
    const last = shown.split('\n').findLast((line) => line.startsWith('-   '));
    expect(last?.slice(4).replace(/\\(?=[^\w\s])/g, '')).toBe(expected);
  });
});
