import { describe, expect, it } from 'vitest';

import { runAgent } from '../lib/agent';
import {
  MAX_CALLS_ANSWERED,
  MAX_CALLS_PER_ROUND,
  MAX_FINAL_ANSWER_MS,
  MAX_ROUNDS,
  MAX_SAME_CALL,
  MAX_TURN_MS,
} from '../lib/constants';
import type { PagePort, SearchPort } from '../lib/types';
import { agentOptions, manualTimer } from './support/agent-options';
import { ask, deltas, say, scriptedProvider, type ScriptStep } from './support/scripted-provider';
import { smallWeb } from './support/small-web';

const web = smallWeb({});
const searchFor = (query: string) => ({ name: 'web_search', arguments: { query } });
const times = (n: number) => Array.from({ length: n }, (_, k) => k);

async function play(steps: readonly ScriptStep[]) {
  const provider = scriptedProvider(steps);
  const ran: string[] = [];
  const search: typeof web.search = (query, signal) => {
    ran.push(query);
    return web.search(query, signal);
  };
  const turn = await runAgent(agentOptions({ ports: { ...web, search, provider } }));
  provider.assertComplete();
  return { turn, ran, requests: provider.requests };
}

describe('rounds', () => {
  const rounds = (n: number) => times(n).map((k) => ask([searchFor(`q${k}`)]));

  it('at the limit the model is asked once more, with tools off', async () => {
    const { turn, ran, requests } = await play([...rounds(MAX_ROUNDS), say('All I have.')]);
    expect(ran).toHaveLength(MAX_ROUNDS);
    expect(turn).toMatchObject({
      state: 'done',
      response: 'All I have.',
      notice: `The model used all ${MAX_ROUNDS} rounds of tool calls and was asked to answer with what it had.`,
    });
    expect(requests.map(({ tools }) => tools.length > 0)).toEqual([
      ...times(MAX_ROUNDS).map(() => true),
      false,
    ]);
    const last = requests.at(-1)?.messages.at(-1);
    expect(last?.role).toBe('tool');
    expect(last?.content).toContain('No more tool calls are possible');
    expect(turn.toolCalls.at(-1)?.result).not.toContain('No more tool calls are possible');
  });

  it('one round fewer is no limit', async () => {
    const { turn } = await play([...rounds(MAX_ROUNDS - 1), say('Enough.')]);
    expect(turn).toMatchObject({ state: 'done', response: 'Enough.' });
    expect(turn.notice).toBeUndefined();
  });

  it('calls in the final answer are not run', async () => {
    const { turn, ran } = await play([
      ...rounds(MAX_ROUNDS),
      ask([searchFor('more')], 'All I have.'),
    ]);
    expect(ran).toHaveLength(MAX_ROUNDS);
    expect(turn.response).toBe('All I have.');
  });
});

describe('calls of one round', () => {
  it('past the limit are answered, not run', async () => {
    const asked = MAX_CALLS_PER_ROUND + 2;
    const { turn, ran, requests } = await play([
      ask(times(asked).map((k) => searchFor(`q${k}`))),
      say('Done.'),
    ]);
    expect(ran).toHaveLength(MAX_CALLS_PER_ROUND);
    expect(turn.toolCalls.map(({ isError }) => isError)).toEqual(
      times(asked).map((k) => k >= MAX_CALLS_PER_ROUND),
    );
    expect(turn.toolCalls.at(-1)?.result).toContain(
      `at most ${MAX_CALLS_PER_ROUND} calls are run at once`,
    );
    expect(turn.notice).toBe(
      `The model asked for more than ${MAX_CALLS_PER_ROUND} tool calls at once; only the first ${MAX_CALLS_PER_ROUND} were run.`,
    );
    expect(requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(asked);
  });

  it('at the limit are all run', async () => {
    const { turn, ran } = await play([
      ask(times(MAX_CALLS_PER_ROUND).map((k) => searchFor(`q${k}`))),
      say('Done.'),
    ]);
    expect(ran).toHaveLength(MAX_CALLS_PER_ROUND);
    expect(turn.notice).toBeUndefined();
  });

  it('of a runaway model are not even kept', async () => {
    const { turn } = await play([ask(times(500).map((k) => searchFor(`q${k}`))), say('Done.')]);
    expect(turn.toolCalls).toHaveLength(MAX_CALLS_ANSWERED);
  });

  it('that were not run may be asked for again', async () => {
    const many = times(MAX_CALLS_PER_ROUND + 1).map((k) => searchFor(`q${k}`));
    const last = searchFor(`q${MAX_CALLS_PER_ROUND}`);
    const { ran } = await play([ask(many), ask([last]), say('Done.')]);
    expect(ran.slice(MAX_CALLS_PER_ROUND)).toEqual([last.arguments.query]);
  });
});

describe('the same call', () => {
  const NOTICE = 'The model repeated a tool call; it was pointed to the earlier result.';

  it('is pointed to its result, and the second time a final answer is asked for', async () => {
    const same = [
      ask([searchFor('tea')]),
      ask([{ name: 'web_search', arguments: '{"q":" Tea "}' }]),
      ask([searchFor('tea')]),
    ];
    const { turn, ran, requests } = await play([...same, say('Done.')]);
    expect(ran).toEqual(['tea']);
    expect(turn.toolCalls.map(({ isError }) => isError)).toEqual([false, true, true]);
    expect(turn.toolCalls[1]?.result).toMatch(
      /^You already did this in this turn: see the result of web_search for \{"query":"Tea"\} above\./,
    );
    expect(turn.notice).toBe(NOTICE);
    expect(requests.map(({ tools }) => tools.length)).toEqual([2, 2, 2, 0]);
  });

  it('beside another one lets the model go on, and is said once', async () => {
    const { turn, ran, requests } = await play([
      ask([searchFor('tea'), searchFor('tea'), searchFor('tea')]),
      ask([searchFor('tea'), searchFor('milk')]),
      say('Done.'),
    ]);
    expect(ran).toEqual(['tea', 'milk']);
    expect(requests[2]?.tools).toHaveLength(2);
    expect(turn.notice).toBe(NOTICE);
  });

  it('that failed is run once more, and not a third time', async () => {
    const ran: string[] = [];
    const search: SearchPort = (query) => {
      ran.push(query);
      return Promise.resolve({ ok: false, message: 'The service is down' });
    };
    const provider = scriptedProvider([
      ask([searchFor('tea')]),
      ask([searchFor('tea')]),
      ask([searchFor('tea')]),
      say('Done.'),
    ]);
    const turn = await runAgent(agentOptions({ ports: { ...web, search, provider } }));
    provider.assertComplete();
    expect(ran).toEqual(times(MAX_SAME_CALL).map(() => 'tea'));
    expect(turn.toolCalls[2]?.result).toContain(`it failed ${MAX_SAME_CALL} times`);
  });

  it('that asks for a page known to be unreadable does not count tries that were not made', async () => {
    let runs = 0;
    const fetchPage: PagePort = () => {
      runs += 1;
      return Promise.resolve({ ok: false, status: 'not-found', message: 'It is not there' });
    };
    const fetchTea = ask([{ name: 'web_fetch', arguments: { url: 'https://tea.example' } }]);
    const provider = scriptedProvider([fetchTea, fetchTea, fetchTea, say('Done.')]);
    const turn = await runAgent(agentOptions({ ports: { ...web, fetchPage, provider } }));
    expect(runs).toBe(1);
    expect(turn.toolCalls[2]?.result).toContain('the page could not be read before');
    expect(turn.toolCalls[2]?.result).not.toContain('times');
  });

  it('that failed and then worked is not run again', async () => {
    let runs = 0;
    const search: SearchPort = () => {
      runs += 1;
      return Promise.resolve(runs === 1 ? { ok: false, message: 'Down' } : { ok: true, hits: [] });
    };
    const calls = times(3).map(() => ask([searchFor('tea')]));
    const provider = scriptedProvider([...calls, say('Done.')]);
    const turn = await runAgent(agentOptions({ ports: { ...web, search, provider } }));
    expect(runs).toBe(2);
    expect(turn.toolCalls[2]?.result).toContain('You already did this in this turn');
  });
});

describe('time', () => {
  function start(steps: readonly ScriptStep[], ports: Parameters<typeof agentOptions>[0] = {}) {
    const provider = scriptedProvider(steps);
    const timer = manualTimer();
    const running = runAgent(
      agentOptions({ ...ports, ports: { ...web, ...ports.ports, provider, after: timer.after } }),
    );
    return { provider, timer, running };
  }
  const NOTICE = `The turn took longer than ${MAX_TURN_MS / 60_000} minutes and was brought to an end.`;

  it.each<[string, ScriptStep]>([
    ['heeds the signal', ['hang']],
    ['does not', ['deaf']],
  ])(
    'while nothing came the model is asked once more, with tools off, if it %s',
    async (_, step) => {
      const { provider, timer, running } = start([step, say('Short.')]);
      await expect.poll(() => provider.requests).toHaveLength(1);
      expect(timer.pending()).toEqual([MAX_TURN_MS]);
      timer.fire();
      expect(await running).toMatchObject({ state: 'done', response: 'Short.', notice: NOTICE });
      expect(provider.requests[1]?.tools).toEqual([]);
      expect(timer.pending()).toEqual([]);
      provider.assertComplete();
    },
  );

  it('while a tool runs, its call is recorded as stopped', async () => {
    const search = () => new Promise<never>(() => undefined);
    const { provider, timer, running } = start([ask([searchFor('tea')]), say('Short.')], {
      ports: { search },
    });
    await expect.poll(() => provider.requests).toHaveLength(1);
    timer.fire();
    const turn = await running;
    expect(turn).toMatchObject({ state: 'done', response: 'Short.', notice: NOTICE });
    expect(turn.toolCalls).toMatchObject([{ name: 'web_search', isError: true }]);
    expect(turn.toolCalls[0]?.result).toContain('stopped before it finished');
  });

  it('while the model answers, the answer ends there', async () => {
    let told = 0;
    const { timer, running } = start([[...deltas('Endless'), 'deaf']], {
      onEvent: ({ type }) => {
        if (type === 'text-delta') told += 1;
      },
    });
    await expect.poll(() => told).toBe(1);
    timer.fire();
    expect(await running).toMatchObject({ state: 'done', response: 'Endless', notice: NOTICE });
  });

  it('for the final answer is limited too', async () => {
    const { provider, timer, running } = start([['deaf'], ['deaf']]);
    await expect.poll(() => provider.requests).toHaveLength(1);
    timer.fire();
    await expect.poll(() => provider.requests).toHaveLength(2);
    expect(timer.pending()).toEqual([MAX_FINAL_ANSWER_MS]);
    timer.fire();
    const turn = await running;
    expect(turn).toMatchObject({ state: 'failed', failure: { kind: 'silent' }, notice: NOTICE });
    expect(turn.error).toContain('ask again');
  });

  it('that is not used up leaves no timer behind', async () => {
    const { timer, running } = start([say('Quick.')]);
    await running;
    expect(timer.pending()).toEqual([]);
  });
});
