import { describe, expect, it } from 'vitest';

import { runAgent, type AgentEvent } from '../lib/agent';
import type { PagePort, SearchPort } from '../lib/types';
import { agentOptions, manualTimer } from './support/agent-options';
import { ask, deltas, say, scriptedProvider, type ScriptStep } from './support/scripted-provider';
import { smallWeb } from './support/small-web';

const web = smallWeb({
  searches: { tea: [{ title: 'Tea', url: 'https://tea.example', content: 'Hot.' }] },
});
const never = () => new Promise<never>(() => undefined);

/** A few turns of the event loop: everything that needs no time has happened then. */
async function settle() {
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

function start(
  steps: readonly ScriptStep[],
  ports: { search?: SearchPort; fetchPage?: PagePort } = {},
  stopAt?: (event: AgentEvent) => boolean,
) {
  const controller = new AbortController();
  const provider = scriptedProvider(steps);
  const timer = manualTimer();
  const events: AgentEvent[] = [];
  const running = runAgent(
    agentOptions({
      signal: controller.signal,
      onEvent: (event) => {
        events.push(event);
        if (stopAt?.(event) === true) controller.abort();
      },
      ports: { ...web, provider, after: timer.after, ...ports },
    }),
  );
  let ended = false;
  void running.then(() => {
    ended = true;
  });
  return { controller, provider, timer, events, running, ended: () => ended };
}

describe('a stop', () => {
  it('before the start asks nobody', async () => {
    const controller = new AbortController();
    controller.abort();
    const provider = scriptedProvider([]);
    const turn = await runAgent(agentOptions({ signal: controller.signal, ports: { provider } }));
    expect(turn).toEqual({ response: '', toolCalls: [], state: 'stopped', endedAt: 1_000 });
    expect(provider.requests).toEqual([]);
  });

  it.each<[string, ScriptStep, string]>([
    ['while nothing came yet', ['hang'], ''],
    ['while nothing came yet, from a provider that does not hear it', ['deaf'], ''],
    ['in mid-text', [...deltas('Half', ' an'), 'hang'], 'Half an'],
    ['in mid-text, unheard', [...deltas('Half', ' an'), 'deaf'], 'Half an'],
  ])('%s ends at once and keeps what there is', async (_, step, response) => {
    const { controller, running, timer, events, ended } = start([step]);
    await settle();
    expect(ended()).toBe(false);
    controller.abort();
    await settle();
    expect(ended()).toBe(true);
    expect(await running).toMatchObject({ state: 'stopped', response });
    expect((await running).error).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', state: 'stopped' });
    expect(timer.pending()).toEqual([]);
  });

  it.each<[string, SearchPort]>([
    [
      'that hears it',
      (_query, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve({ ok: false, message: 'Stopped.' });
          });
        }),
    ],
    ['that does not', never],
  ])('while tools run, with a port %s, keeps the calls that finished', async (_, search) => {
    const first: SearchPort = (query, signal) =>
      query === 'slow' ? search(query, signal) : web.search(query, signal);
    const calls = ['tea', 'slow', 'unknown'].map((query) => ({
      name: 'web_search',
      arguments: { query },
    }));
    const { controller, provider, running, ended } = start([ask(calls, 'Looking.')], {
      search: first,
    });
    await settle();
    controller.abort();
    await settle();
    expect(ended()).toBe(true);
    const turn = await running;
    expect(turn).toMatchObject({ state: 'stopped', response: 'Looking.' });
    expect(turn.toolCalls.map(({ isError }) => isError)).toEqual([false, true, false]);
    expect(turn.toolCalls[0]?.sources).toHaveLength(1);
    expect(turn.toolCalls[1]?.result).toContain('web_search was stopped before it finished.');
    provider.assertComplete();
  });

  const call = { name: 'web_search', arguments: { query: 'tea' } };
  it.each<[AgentEvent['type'], string, number]>([
    ['turn-start', '', 0],
    ['round-start', '', 0],
    ['text-delta', 'Looking.', 0],
    ['call-start', 'Looking.', 1],
    ['call-end', 'Looking.', 1],
  ])('from within a listener at %s', async (type, response, records) => {
    const { running } = start(
      [ask([call], 'Looking.'), say('Hot.')],
      {},
      (event) => event.type === type,
    );
    const turn = await running;
    expect(turn).toMatchObject({ state: 'stopped', response });
    expect(turn.toolCalls).toHaveLength(records);
  });

  it.each<[string, ScriptStep]>([
    ['hears it', [...deltas('Half'), 'hang']],
    ['does not', [...deltas('Half'), 'deaf']],
    ['ends all the same', say('Half')],
    ['fails all the same', [...deltas('Half'), new Error('gone')]],
  ])('from within a listener, in mid-text, when the provider %s', async (_, step) => {
    const { running, ended } = start([step], {}, (event) => event.type === 'text-delta');
    await settle();
    expect(ended()).toBe(true);
    expect(await running).toMatchObject({ state: 'stopped', response: 'Half' });
  });

  it('after the end changes nothing', async () => {
    const { controller, running, events } = start([say('Hot.')]);
    const turn = await running;
    controller.abort();
    await settle();
    expect(turn.state).toBe('done');
    expect(events.filter(({ type }) => type === 'turn-end')).toHaveLength(1);
  });

  it('lets nothing through that comes later', async () => {
    let release: (value: Awaited<ReturnType<SearchPort>>) => void = () => undefined;
    const search: SearchPort = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const { controller, running, events } = start([ask([call])], { search });
    await settle();
    controller.abort();
    const turn = await running;
    const told = events.length;
    release({ ok: true, hits: [{ title: 'Late', url: 'https://late.example', content: '' }] });
    await settle();
    expect(events).toHaveLength(told);
    expect(JSON.stringify(turn)).not.toContain('late.example');
  });

  it('during the extra time of a final answer is the person’s', async () => {
    const { controller, provider, timer, running } = start([['deaf'], ['deaf']]);
    await settle();
    timer.fire();
    await settle();
    expect(provider.requests).toHaveLength(2);
    controller.abort();
    expect(await running).toMatchObject({ state: 'stopped' });
  });
});
