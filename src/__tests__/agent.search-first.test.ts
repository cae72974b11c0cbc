import { describe, expect, it } from 'vitest';

import { buildSystemPrompt, runAgent, type AgentEvent } from '../lib/agent';
import {
  DEFAULT_SYSTEM_PROMPT,
  MAX_QUERY_CHARS,
  MAX_REQUEST_RESULT_CHARS,
  NO_TOOLS_SYSTEM_PROMPT,
} from '../lib/constants';
import type { SearchHit, SearchPort } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { ask, failure, say, scriptedProvider, type ScriptStep } from './support/scripted-provider';
import { smallWeb, type SmallWeb } from './support/small-web';

const QUESTION = 'How hot is green tea?';
const hit = (name: string): SearchHit => ({
  title: name,
  url: `https://${name.toLowerCase()}.example`,
  content: `About ${name}.`,
});
const page = (title: string, text = `${title} is hot.`) => ({ title, text });
const found: SmallWeb = {
  searches: { [QUESTION]: [hit('Tea'), hit('Pot'), hit('Cup')] },
  pages: { 'https://tea.example': page('Tea'), 'https://pot.example': page('Pot') },
};
const system = buildSystemPrompt({ now: 'today', extra: 'Be kind.' });
const facts = system.slice(DEFAULT_SYSTEM_PROMPT.length);

/** A turn with a model that is known to call no tools. */
async function play(
  steps: readonly ScriptStep[],
  web: SmallWeb = found,
  overrides: Parameters<typeof agentOptions>[0] = {},
) {
  const provider = scriptedProvider(steps);
  const events: AgentEvent[] = [];
  const { ports, ...rest } = overrides;
  const turn = await runAgent(
    agentOptions({
      question: QUESTION,
      system,
      about: { canCallTools: false },
      onEvent: (event) => events.push(event),
      ...rest,
      ports: { ...smallWeb(web), provider, ...ports },
    }),
  );
  provider.assertComplete();
  const asked = provider.requests.at(-1)?.messages ?? [];
  return { turn, events, requests: provider.requests, asked };
}

describe('a model that cannot call tools', () => {
  it('answers from what Lam found with the question', async () => {
    const { turn, events, requests, asked } = await play([say('Hot [1].')]);
    expect(turn).toMatchObject({ state: 'done', response: 'Hot [1].' });
    expect(turn.notice).toBeUndefined();
    expect(turn.toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['web_search', { query: QUESTION }],
      ['web_fetch', { url: 'https://tea.example' }],
      ['web_fetch', { url: 'https://pot.example' }],
    ]);
    expect(turn.toolCalls[0]?.sources?.map(({ index }) => index)).toEqual([1, 2, 3]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.tools).toEqual([]);
    expect(asked.map(({ role }) => role)).toEqual(['system', 'user']);
    const [prompt, user] = asked.map(({ content }) => content);
    expect(prompt).toContain('Lam has searched with the question for you');
    expect(prompt).toContain('Cite only the numbered pages listed before the question');
    expect(prompt).not.toContain('web_');
    expect(prompt?.endsWith(facts)).toBe(true);
    for (const { result } of turn.toolCalls) expect(user).toContain(result);
    expect(user?.endsWith(`\n\nAnswer this:\n${QUESTION}`)).toBe(true);
    expect(events.map(({ type }) => type)).toEqual([
      'turn-start',
      'call-start',
      'call-end',
      'call-start',
      'call-start',
      'call-end',
      'call-end',
      'round-start',
      'text-delta',
      'turn-end',
    ]);
  });

  it('is found out by its refusal, and no word is said about it', async () => {
    const { turn, requests, asked } = await play([[failure('no-tools')], say('Hot [1].')], found, {
      about: undefined,
    });
    expect(turn).toMatchObject({ state: 'done', response: 'Hot [1].' });
    expect(turn.notice).toBeUndefined();
    expect(turn.toolCalls).toHaveLength(3);
    expect(requests.map(({ tools }) => tools.length)).toEqual([2, 0]);
    expect(asked.at(-1)?.content).toContain('Tea is hot.');
  });

  it('gets the next page in place of one that cannot be read', async () => {
    const pages = { 'https://tea.example': page('Tea'), 'https://cup.example': page('Cup') };
    const { turn } = await play([say('Hot.')], { ...found, pages });
    expect(turn.toolCalls.map(({ arguments: args, isError }) => [args.url, isError])).toEqual([
      [undefined, false],
      ['https://tea.example', false],
      ['https://pot.example', true],
      ['https://cup.example', false],
    ]);
  });

  it('gets no more than four tries of it', async () => {
    const hits = ['A', 'B', 'C', 'D', 'E', 'F'].map(hit);
    const { turn } = await play([say('Hot.')], { searches: { [QUESTION]: hits } });
    expect(turn.toolCalls).toHaveLength(5);
    expect(turn.state).toBe('done');
  });

  it('has a page without address and one that stands twice left out', async () => {
    const hits = [{ ...hit('Tea'), url: '' }, hit('Tea'), hit('Tea'), hit('Pot')];
    const { turn } = await play([say('Hot.')], { ...found, searches: { [QUESTION]: hits } });
    expect(turn.toolCalls.slice(1).map(({ arguments: args }) => args.url)).toEqual([
      'https://tea.example',
      'https://pot.example',
    ]);
  });

  it('has the search repeated with the longest words if the question finds nothing', async () => {
    const { turn } = await play([say('Hot.')], {
      ...found,
      searches: { 'How hot green tea': [hit('Tea')] },
    });
    expect(turn.toolCalls.map(({ arguments: args }) => args)).toEqual([
      { query: QUESTION },
      { query: 'How hot green tea' },
      { url: 'https://tea.example' },
    ]);
  });

  it.each(['???', '🍵'])('has no second search without words: %s', async (question) => {
    const { turn } = await play([say('Hot.')], {}, { question });
    expect(turn.toolCalls.map(({ arguments: args }) => args)).toEqual([{ query: question }]);
  });

  it('is told when nothing was found', async () => {
    const { turn, asked } = await play([say('I think hot.')], {});
    expect(turn).toMatchObject({ state: 'done', response: 'I think hot.' });
    expect(turn.toolCalls).toHaveLength(2);
    expect(asked.at(-1)?.content).toContain('The search worked and found nothing');
  });

  it('answers without if the search fails, and both are told', async () => {
    const down: SearchPort = () => Promise.resolve({ ok: false, message: 'It is down' });
    const search = Object.assign(down, { remedy: 'Check its address.' });
    const { turn, asked } = await play([say('I think hot.')], found, { ports: { search } });
    expect(turn).toMatchObject({
      state: 'done',
      response: 'I think hot.',
      notice: 'No search worked: It is down. Check its address.',
    });
    expect(turn.toolCalls).toHaveLength(1);
    expect(asked[0]?.content).toBe(`${NO_TOOLS_SYSTEM_PROMPT}${facts}`);
    expect(asked[1]?.content).toContain('Tell the person that the search failed.');
  });

  it('has a long question cut between words', async () => {
    const question = `${'tea '.repeat(200)}?`;
    const { turn } = await play([say('Hot.')], {}, { question });
    const query = String(turn.toolCalls[0]?.arguments.query);
    expect(query.length).toBeLessThanOrEqual(MAX_QUERY_CHARS);
    expect(query.endsWith('tea')).toBe(true);
  });

  it('has a question of one endless word cut too', async () => {
    const { turn } = await play([say('Hot.')], {}, { question: '🍵'.repeat(400) });
    const query = String(turn.toolCalls[0]?.arguments.query);
    expect(query).toBe('🍵'.repeat(MAX_QUERY_CHARS / 2));
  });

  it('gets pages that fit its context', async () => {
    const long = 'x '.repeat(30_000);
    const pages = {
      'https://tea.example': page('Tea', long),
      'https://pot.example': page('Pot', long),
    };
    const { asked } = await play(
      [say('Hot.')],
      { ...found, pages },
      {
        about: { canCallTools: false, contextTokens: 4_096 },
      },
    );
    const length = asked.at(-1)?.content.length ?? 0;
    expect(length).toBeLessThan(MAX_REQUEST_RESULT_CHARS / 2);
    expect(asked.at(-1)?.content).toContain('[shortened;');
    expect(asked.at(-1)?.content).not.toContain('call web_fetch again');
  });

  it('gets as much of the first page when the second came in place of another', async () => {
    const long = (word: string) => `${word} `.repeat(15_000);
    const pages = {
      'https://tea.example': page('Tea', long('tea')),
      'https://cup.example': page('Cup', long('cup')),
    };
    const about = { canCallTools: false, contextTokens: 4_096 };
    const { asked } = await play([say('Hot.')], { ...found, pages }, { about });
    const content = asked.at(-1)?.content ?? '';
    const [tea = 0, cup = 0] = ['tea', 'cup'].map((word) => content.split(`${word} `).length);
    expect(tea).toBeGreaterThan(500);
    expect(Math.abs(tea - cup)).toBeLessThan(50);
    expect(content).toContain('[shortened; this is the beginning]');
    expect(content).not.toContain('[shortened; call');
  });

  it('that says nothing is asked once more, behind the question', async () => {
    const { requests } = await play([say(''), say('Hot.')]);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(requests[1]?.messages[1]?.content).toMatch(/You have not answered yet\.[^\n]*$/);
  });

  it('may cite pages of earlier answers too', async () => {
    const sources = [{ index: 1, title: 'Old', url: 'https://old.example' }];
    const record = { name: 'web_search', arguments: {}, result: '', isError: false, sources };
    const { turn, asked } = await play([say('As said [1].')], found, {
      history: [{ question: 'Q', response: 'Hot [1].', toolCalls: [record] }],
    });
    expect(asked.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(asked.at(-1)?.content).toContain('[1] Old — https://old.example');
    expect(turn.carried).toEqual(sources);
    expect(turn.toolCalls[0]?.sources?.map(({ index }) => index)).toEqual([2, 3, 4]);
  });

  it('that is continued reads again what was found, without another search', async () => {
    const before = await play([[failure('cut')]]);
    expect(before.turn.state).toBe('failed');
    const { turn, asked } = await play([say('Hot [1].')], found, {
      resume: { response: 'It is', toolCalls: before.turn.toolCalls },
    });
    expect(turn.toolCalls).toEqual(before.turn.toolCalls);
    expect(turn.response).toBe('It is Hot [1].'.replace(' Hot', 'Hot'));
    expect(asked.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(asked[1]?.content).toContain('Tea is hot.');
  });

  it('is stopped during the search', async () => {
    const controller = new AbortController();
    const search: SearchPort = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const { turn, requests } = await play([], found, {
      signal: controller.signal,
      ports: { search },
    });
    expect(turn.state).toBe('stopped');
    expect(turn.toolCalls).toMatchObject([{ name: 'web_search', isError: true }]);
    expect(requests).toEqual([]);
  });

  it('calls of a model that was said to have none are not run', async () => {
    const call = { name: 'web_search', arguments: { query: 'more' } };
    const { turn } = await play([ask([call], 'Hot.')]);
    expect(turn).toMatchObject({ state: 'done', response: 'Hot.' });
    expect(turn.toolCalls).toHaveLength(3);
  });
});
