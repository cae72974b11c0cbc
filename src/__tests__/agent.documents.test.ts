import { describe, expect, it } from 'vitest';

import { buildSystemPrompt, runAgent, type AgentEvent } from '../lib/agent';
import { DEFAULT_SYSTEM_PROMPT } from '../lib/constants';
import type { DocumentsPort } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { ask, failure, say, scriptedProvider, type ScriptStep } from './support/scripted-provider';
import { smallDocuments } from './support/small-documents';
import { smallWeb } from './support/small-web';

const QUESTION = 'rock tea';
const NOTES = 'Notes/wuyi.md';
const PATH = `/home/reader/${NOTES}`;
const documents = smallDocuments({
  files: { [NOTES]: { text: 'My rock tea is roasted over charcoal.' } },
});
const web = smallWeb({
  searches: { [QUESTION]: [{ title: 'Tea', url: 'https://tea.example', content: 'About tea.' }] },
  pages: { 'https://tea.example': { title: 'Tea', text: 'Tea is hot.' } },
});
const facts = { now: 'today', extra: 'Be kind.' };
const system = buildSystemPrompt({ ...facts, documents: true });
const tail = "\n\nToday is today.\n\nThe person's own instructions:\nBe kind.";

async function play(
  steps: readonly ScriptStep[],
  { ports, ...rest }: Parameters<typeof agentOptions>[0] = {},
) {
  const provider = scriptedProvider(steps);
  const events: AgentEvent[] = [];
  const turn = await runAgent(
    agentOptions({
      question: QUESTION,
      system,
      onEvent: (event) => events.push(event),
      ...rest,
      ports: { ...web, documents, provider, ...ports },
    }),
  );
  provider.assertComplete();
  const [prompt = '', ...asked] = (provider.requests.at(-1)?.messages ?? []).map(
    ({ content }) => content,
  );
  const offered = provider.requests.map(({ tools }) => tools.map(({ name }) => name));
  const calls = turn.toolCalls.map(({ name, arguments: args }) => [name, args]);
  return { turn, events, provider, prompt, asked, offered, calls };
}

const WEB = ['web_search', 'web_fetch'];
const DOCUMENTS = ['search_documents', 'read_document'];

describe('a turn with documents', () => {
  it.each([
    [0, undefined],
    [1, '1 document was still to be read when this was looked up; ask again in a while.'],
    [12, '12 documents were still to be read when this was looked up; ask again in a while.'],
  ])('says when %i of them were still to be read', async (pending, notice) => {
    const growing = smallDocuments({
      files: { [NOTES]: { text: '7 files are still being indexed, says this rock.' } },
      pending,
    });
    const search = ask([{ name: 'search_documents', arguments: { query: 'rock' } }]);
    const { turn } = await play([search, say('Roasted [1].')], { ports: { documents: growing } });
    expect(turn.notice).toBe(notice);
  });

  it('numbers them in one list with the pages', async () => {
    const { turn, events, offered } = await play([
      ask([
        { name: 'search_documents', arguments: { query: 'rock' } },
        { name: 'web_search', arguments: { query: QUESTION } },
        { name: 'read_document', arguments: { file: NOTES, start: 3 } },
      ]),
      say('Roasted [1], hot [2].'),
    ]);
    expect(offered).toEqual([
      [...WEB, ...DOCUMENTS],
      [...WEB, ...DOCUMENTS],
    ]);
    expect(turn.toolCalls.map(({ sources }) => sources)).toEqual([
      [{ index: 1, title: 'wuyi.md', url: PATH, kind: 'document', version: 'a1' }],
      [{ index: 2, title: 'Tea', url: 'https://tea.example' }],
      undefined,
    ]);
    expect(events.flatMap((event) => (event.type === 'call-start' ? [event.call] : []))).toEqual([
      { name: 'search_documents', arguments: { query: 'rock' } },
      { name: 'web_search', arguments: { query: QUESTION } },
      { name: 'read_document', arguments: { path: NOTES, offset: 3 } },
    ]);
  });

  it('tells the model nowhere where they lie', async () => {
    const { provider, turn } = await play([
      ask([{ name: 'read_document', arguments: { path: NOTES } }]),
      say('Roasted [1].'),
    ]);
    const next = await play([say('As said [1].')], {
      history: [{ question: QUESTION, response: turn.response, toolCalls: turn.toolCalls }],
    });
    expect(JSON.stringify([provider.requests, next.provider.requests])).not.toContain('/home');
  });

  it('carries kind, version and date of what an earlier answer cited', async () => {
    const carried = [
      { index: 1, title: 'wuyi.md', url: PATH, kind: 'document' as const, version: 'a1' },
      { index: 2, title: 'Tea', url: 'https://tea.example', date: '2026-03-14' },
    ];
    const call = { name: 'x', arguments: {}, result: 'r', isError: false, sources: carried };
    const { turn } = await play([say('As said [1], [2].')], {
      history: [{ question: 'q', response: 'Roasted [1], hot [2].', toolCalls: [call] }],
    });
    expect(turn.carried).toEqual(carried);
  });

  it('a file that has changed since an earlier answer is stored in the version that was read last', async () => {
    const old = { index: 1, title: 'wuyi.md', url: PATH, kind: 'document' as const, version: 'a0' };
    const call = { name: 'x', arguments: {}, result: 'r', isError: false, sources: [old] };
    const { turn } = await play(
      [
        ask([{ name: 'read_document', arguments: { path: NOTES } }]),
        say('Your rock tea is roasted over charcoal [1].'),
      ],
      { history: [{ question: 'q', response: 'Roasted [1].', toolCalls: [call] }] },
    );
    expect(turn.carried).toEqual([old]);
    expect(turn.toolCalls[0]?.sources).toEqual([{ ...old, version: 'a1' }]);
    expect(turn.evidence?.map(({ version }) => version)).toEqual(['a1']);
  });

  it('says that a search of them failed', async () => {
    const down: DocumentsPort = {
      ...documents,
      search: () => Promise.resolve({ ok: false, message: 'The index could not be read.' }),
    };
    const { asked, turn } = await play(
      [ask([{ name: 'search_documents', arguments: { query: 'x' } }]), say('I do not know.')],
      { ports: { documents: down } },
    );
    expect(asked.at(-1)).toContain('failed: The index could not be read. Tell the person');
    expect(turn.state).toBe('done');
    expect(turn.notice).toBe('The search of your documents failed: The index could not be read.');
  });

  it('does not say so if another one worked, nor that the web was all that could be searched', async () => {
    let searches = 0;
    const flaky: DocumentsPort = {
      ...documents,
      search: (...asked) =>
        ++searches === 1
          ? Promise.resolve({ ok: false, message: 'It is locked.' })
          : documents.search(...asked),
    };
    const { turn } = await play(
      [
        ask([{ name: 'search_documents', arguments: { query: 'x' } }]),
        ask([
          { name: 'search_documents', arguments: { query: 'rock' } },
          { name: 'web_search', arguments: { query: 'x' } },
        ]),
        say('Roasted [1].'),
      ],
      {
        ports: {
          documents: flaky,
          search: () => Promise.resolve({ ok: false, message: 'It is down' }),
        },
      },
    );
    expect(turn.notice).toBe('No web search worked: It is down.');
  });

  it('says why the last search failed where several did', async () => {
    let searches = 0;
    const down: DocumentsPort = {
      ...documents,
      search: () =>
        Promise.resolve({ ok: false, message: ++searches === 1 ? 'It is locked.' : 'It is gone.' }),
    };
    const search = (query: string) => ask([{ name: 'search_documents', arguments: { query } }]);
    const { turn } = await play([search('x'), search('y'), say('I do not know.')], {
      ports: { documents: down },
    });
    expect(turn.notice).toBe('The search of your documents failed: It is gone.');
  });

  it.each<[string, Record<string, unknown>[], number]>([
    ['two parts of one', [{ path: NOTES }, { path: NOTES, offset: 3 }], 2],
    [
      'a page and a block of one number',
      [
        { path: NOTES, block: 1 },
        { path: NOTES, offset: 1 },
      ],
      2,
    ],
    [
      'the same part twice',
      [
        { path: NOTES, offset: 3 },
        { file: NOTES, start: '3' },
      ],
      1,
    ],
    ['the beginning in two ways', [{ path: NOTES }, { path: NOTES, page: 0, offset: 0 }], 1],
  ])('reads each part once: %s', async (_what, calls, times) => {
    let reads = 0;
    const counting: DocumentsPort = {
      ...documents,
      read: (...asked) => {
        reads += 1;
        return documents.read(...asked);
      },
    };
    await play(
      [
        ...calls.map((each) => ask([{ name: 'read_document', arguments: each }])),
        say('Roasted [1].'),
      ],
      { ports: { documents: counting } },
    );
    expect(reads).toBe(times);
  });

  it('searches the same words once, however they are written', async () => {
    let searches = 0;
    const counting: DocumentsPort = {
      ...documents,
      search: (...asked) => {
        searches += 1;
        return documents.search(...asked);
      },
    };
    const search = (query: string) => ask([{ name: 'search_documents', arguments: { query } }]);
    await play([search('rock tea'), search(' Rock  TEA '), say('Roasted [1].')], {
      ports: { documents: counting },
    });
    expect(searches).toBe(1);
  });

  it('offers no such tools and says nothing of them where no folder is chosen', async () => {
    const { offered, prompt } = await play([say('Hot.')], {
      system: buildSystemPrompt(facts),
      ports: { documents: undefined },
    });
    expect(offered).toEqual([WEB]);
    expect(prompt).toBe(`${DEFAULT_SYSTEM_PROMPT}${tail}`);
  });
});

describe('the prompt', () => {
  it('has rules for documents between those for all and the facts', () => {
    expect(system.startsWith(`${DEFAULT_SYSTEM_PROMPT}\n\nThe person's documents:\n`)).toBe(true);
    expect(system.endsWith(tail)).toBe(true);
    for (const name of DOCUMENTS) expect(system).toContain(name);
    expect(system.length - DEFAULT_SYSTEM_PROMPT.length - tail.length).toBeLessThan(600);
  });
});

describe('with the web off', () => {
  it('offers the documents alone, and speaks of no other tool', async () => {
    const { offered, prompt, turn } = await play(
      [ask([{ name: 'search_documents', arguments: { query: 'rock' } }]), say('Roasted [1].')],
      { web: false },
    );
    expect(offered).toEqual([DOCUMENTS, DOCUMENTS]);
    expect(prompt).not.toContain('web_');
    expect(prompt).toContain('The web is off for this question');
    expect(prompt).toContain('use search_documents first');
    expect(prompt.endsWith(tail)).toBe(true);
    expect(turn).toMatchObject({ state: 'done', response: 'Roasted [1].' });
  });

  it('reads and searches nothing there, also for a model that asks for it', async () => {
    const refuse = () => Promise.reject(new Error('nobody may ask'));
    const { turn } = await play(
      [
        ask([
          { name: 'web_search', arguments: { query: QUESTION } },
          { name: 'web_fetch', arguments: { url: 'https://tea.example' } },
        ]),
        say('I cannot.'),
      ],
      { web: false, ports: { search: refuse, fetchPage: refuse } },
    );
    expect(turn.toolCalls.map(({ result }) => result.split('\n')[0])).toEqual([
      'web_search is not available. The tools are: search_documents, read_document.',
      'web_fetch is not available. The tools are: search_documents, read_document.',
    ]);
    expect(turn.state).toBe('done');
  });

  it('without documents, offers nothing', async () => {
    const { offered, prompt, calls } = await play([say('Hot.')], {
      web: false,
      ports: { documents: undefined },
    });
    expect(offered).toEqual([[]]);
    expect(calls).toEqual([]);
    expect(prompt).toContain('You cannot look anything up');
    expect(prompt).not.toContain('search_documents');
    expect(prompt.endsWith(tail)).toBe(true);
  });
});

describe('a model without tools', () => {
  const about = { canCallTools: false };

  it('gets what the documents hold, then what the web holds', async () => {
    const { calls, asked, prompt, turn } = await play([say('Roasted [1].')], { about });
    expect(calls).toEqual([
      ['search_documents', { query: QUESTION }],
      ['web_search', { query: QUESTION }],
      ['web_fetch', { url: 'https://tea.example' }],
    ]);
    expect(asked[0]).toMatch(/^What Lam found by searching the person's documents and the web/);
    expect(asked[0]).toContain('My rock tea is roasted over charcoal.');
    expect(asked[0]).toContain('Tea is hot.');
    expect(asked[0]?.endsWith(`Answer this:\n${QUESTION}`)).toBe(true);
    expect(prompt).toContain('Lam has searched with the question for you');
    expect(prompt).not.toMatch(/web_|_document/);
    expect(prompt.endsWith(tail)).toBe(true);
    expect(turn.evidence).toBeDefined();
  });

  it('gets the documents alone where the web is off', async () => {
    const { calls, asked, prompt } = await play([say('Roasted [1].')], { about, web: false });
    expect(calls).toEqual([['search_documents', { query: QUESTION }]]);
    expect(asked[0]).toMatch(/^What Lam found by searching the person's documents with/);
    expect(prompt).not.toMatch(/web_|_document|The web is off/);
    expect(prompt).toContain('Cite only the numbered pages');
    expect(prompt.endsWith(tail)).toBe(true);
  });

  it('is found out by its refusal', async () => {
    const { calls, offered } = await play([[failure('no-tools')], say('Roasted [1].')], {
      web: false,
    });
    expect(offered).toEqual([DOCUMENTS, []]);
    expect(calls).toEqual([['search_documents', { query: QUESTION }]]);
  });

  it('has nothing searched twice in a turn that is continued', async () => {
    const first = await play([say('Roasted')], { about, web: false });
    const { calls } = await play([say(' [1].')], {
      about,
      web: false,
      resume: { response: 'Roasted', toolCalls: first.turn.toolCalls },
    });
    expect(calls).toEqual([['search_documents', { query: QUESTION }]]);
  });

  it('reads passages before pages where little fits', async () => {
    const long = 'Tea is hot. '.repeat(2_000);
    const { asked } = await play([say('Roasted [1].')], {
      about: { ...about, contextTokens: 4_096 },
      ports: {
        ...smallWeb({
          searches: {
            [QUESTION]: [{ title: 'Tea', url: 'https://tea.example', content: 'About tea.' }],
          },
          pages: { 'https://tea.example': { title: 'Tea', text: long } },
        }),
      },
    });
    expect(asked[0]).toContain('My rock tea is roasted over charcoal.');
    expect(asked[0]).not.toContain(long);
  });
});
