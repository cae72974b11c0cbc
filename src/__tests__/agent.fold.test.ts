import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { foldTurn, runAgent, type AgentEvent, type FinishedTurn } from '../lib/agent';
import { TurnSchema } from '../lib/schemas';
import type { ChatEvent, Turn } from '../lib/types';
import { agentOptions, manualTimer } from './support/agent-options';
import { failure, scriptedProvider } from './support/scripted-provider';
import { smallWeb } from './support/small-web';

const web = smallWeb({
  searches: {
    tea: [
      { title: 'Tea', url: 'https://tea.example', content: 'Hot.' },
      { title: 'Old', url: 'https://old.example', content: 'Old.' },
    ],
  },
  pages: { 'https://tea.example': { title: 'Tea', text: 'Leaves.' } },
});
const history = [
  {
    question: 'Q',
    response: 'A [1].',
    toolCalls: [
      {
        name: 'web_search',
        arguments: {},
        result: '',
        isError: false,
        sources: [{ index: 1, title: 'Old', url: 'https://old.example' }],
      },
    ],
  },
];
const blank: Turn = {
  id: 't',
  question: 'What is it?',
  response: '',
  toolCalls: [],
  state: 'running',
  startedAt: 5,
};

const text = fc.constantFrom('a', ' ', '\n', '\n\n', 'Tea [1]. ', '[2]', '    code', '🫖');
const call = fc.oneof(
  fc.constantFrom(
    { name: 'web_search', arguments: { query: 'tea' } },
    { name: 'web_search', arguments: '{"q":"nothing"}' },
    { name: 'web_fetch', arguments: { url: 'https://tea.example' } },
    { name: 'web_fetch', arguments: { url: 'https://gone.example' } },
    { name: 'nonsense', arguments: [1] },
  ),
);
const item: fc.Arbitrary<ChatEvent> = fc.oneof(
  text.map((piece): ChatEvent => ({ type: 'text-delta', text: piece })),
  text.map((piece): ChatEvent => ({ type: 'reasoning-delta', text: piece })),
  call.map((each): ChatEvent => ({ type: 'tool-call', call: { id: 'x', ...each } })),
  fc
    .tuple(
      fc.constantFrom('tea', 'old', 'own'),
      fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    )
    .map(([name, number]): ChatEvent => ({
      type: 'source',
      title: '',
      url: `https://${name}.example`,
      ...(number === undefined ? {} : { number }),
    })),
  fc.nat(99).map((inputTokens): ChatEvent => ({ type: 'usage', usage: { inputTokens } })),
);
const ending = fc.constantFrom<ChatEvent | 'leave' | 'hang'>(
  { type: 'end', reason: 'stop' },
  { type: 'end', reason: 'tool-calls' },
  { type: 'end', reason: 'length' },
  { type: 'end', reason: 'filtered' },
  failure('no-tools'),
  failure('server-error'),
  'leave',
  'hang',
);
const step = fc
  .tuple(fc.array(item, { maxLength: 12 }), ending)
  .map(([items, last]) => [...items, last]);

/** Without the backslashes that the end of a turn may add. */
const plain = (response: string) => response.replaceAll('\\', '');

/** What the fold and the finished turn have in common. */
function common(turn: Turn | FinishedTurn) {
  const { response, reasoning, toolCalls, carried, state, error, notice, usage, endedAt } = turn;
  return { response, reasoning, toolCalls, carried, state, error, notice, usage, endedAt };
}

describe('the fold over all events', () => {
  it('is the finished turn, grows by appending, and fits the schema, whatever the model does and whenever it is stopped', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.nat(60),
        fc.boolean(),
        async (steps, stopAt, resumed) => {
          const controller = new AbortController();
          const timer = manualTimer();
          const begun: Turn = resumed
            ? {
                ...blank,
                response: 'Begun',
                reasoning: 'Hm.',
                toolCalls: [],
                state: 'interrupted',
                notice: 'old',
                error: 'old',
              }
            : blank;
          const events: AgentEvent[] = [];
          const folds: Turn[] = [];
          const inputs: [now: Turn, before: Turn][] = [];
          let folded = begun;
          const finished = await runAgent(
            agentOptions({
              history,
              signal: controller.signal,
              ...(resumed ? { resume: begun } : {}),
              onEvent: (event) => {
                const before = structuredClone(folded);
                const after = foldTurn(folded, event);
                // Checked below: the loop swallows what a listener throws.
                inputs.push([folded, before]);
                folded = after;
                folds.push(after);
                events.push(event);
                if (events.length === stopAt) controller.abort();
                // A script that hangs would hang the test: time is up in the round after.
                if (event.type === 'round-start')
                  setImmediate(() => {
                    controller.abort();
                  });
              },
              ports: {
                ...web,
                provider: scriptedProvider(steps),
                after: timer.after,
                now: () => 77,
              },
            }),
          );
          for (const [now, before] of inputs) expect(now).toEqual(before);
          expect(common(folded)).toEqual(common(finished));
          expect(events[0]?.type).toBe('turn-start');
          expect(events.map(({ type }) => type).lastIndexOf('turn-end')).toBe(events.length - 1);
          expect(events.filter(({ type }) => type === 'turn-end')).toHaveLength(1);
          for (const [n, fold] of folds.entries()) {
            const before = folds[n - 1] ?? begun;
            // The end may put backslashes before brackets; what the server names is one record that grows.
            const isEnd = events[n]?.type === 'turn-end';
            expect(isEnd ? plain(fold.response) : fold.response).toSatisfy((now: string) =>
              now.startsWith(isEnd ? plain(before.response) : before.response),
            );
            for (const [k, call] of before.toolCalls.entries()) {
              if (call.name === 'provider_search')
                expect(fold.toolCalls[k]?.sources).toEqual(
                  expect.arrayContaining(call.sources ?? []),
                );
              else expect(fold.toolCalls[k]).toEqual(call);
            }
          }
          expect(TurnSchema.parse(JSON.parse(JSON.stringify(folded)))).toEqual(folded);
          expect(timer.pending()).toEqual([]);
          const ends = events.flatMap((event) =>
            event.type === 'call-end' && event.record.name !== 'provider_search'
              ? [event.position]
              : [],
          );
          const made = finished.toolCalls.flatMap(({ name }, n) =>
            name === 'provider_search' ? [] : [n],
          );
          expect(ends).toEqual(made);
        },
      ),
      { numRuns: 200 },
    );
  }, 60_000);
});

describe('one event', () => {
  const record = { name: 'web_search', arguments: {}, result: 'r', isError: false };
  const source = { index: 1, title: 'Old', url: 'https://old.example' };
  it.each<[string, Partial<Turn>, AgentEvent, Partial<Turn>]>([
    [
      'turn-start clears what an earlier end said',
      { state: 'interrupted', error: 'e', notice: 'n', endedAt: 3 },
      { type: 'turn-start', carried: [source] },
      { state: 'running', carried: [source] },
    ],
    [
      'call-end with sources of the server withdraws what was offered',
      { carried: [source] },
      { type: 'call-end', record, position: 0, carried: [] },
      { toolCalls: [record], carried: undefined },
    ],
    [
      'turn-end may bring another spelling of the answer',
      { response: 'Hot [1].' },
      { type: 'turn-end', state: 'done', carried: [], response: 'Hot \\[1\\].', at: 9 },
      { response: 'Hot \\[1\\].', state: 'done', endedAt: 9, carried: undefined },
    ],
    ['round-start changes nothing', {}, { type: 'round-start', round: 1, tools: true }, {}],
    [
      'text-delta appends',
      { response: 'a' },
      { type: 'text-delta', text: 'b' },
      { response: 'ab' },
    ],
    ['reasoning-delta begins', {}, { type: 'reasoning-delta', text: 'b' }, { reasoning: 'b' }],
    [
      'call-start changes nothing',
      {},
      { type: 'call-start', call: { name: 'x', arguments: {} }, position: 0 },
      {},
    ],
    [
      'call-end appends',
      { toolCalls: [record] },
      { type: 'call-end', record, position: 1 },
      { toolCalls: [record, record] },
    ],
    [
      'call-end twice is one call',
      { toolCalls: [record] },
      { type: 'call-end', record, position: 0 },
      { toolCalls: [record] },
    ],
    [
      'usage-report adds',
      { usage: { inputTokens: 1 } },
      { type: 'usage-report', usage: { inputTokens: 2, outputTokens: 3 } },
      { usage: { inputTokens: 3, outputTokens: 3 } },
    ],
    ['notice is joined', { notice: 'A.' }, { type: 'notice', notice: 'B.' }, { notice: 'A. B.' }],
    [
      'notice is said once',
      { notice: 'A. B.' },
      { type: 'notice', notice: 'B.' },
      { notice: 'A. B.' },
    ],
    [
      'turn-end keeps what was cited',
      { carried: [source] },
      { type: 'turn-end', state: 'done', carried: [], at: 9 },
      { state: 'done', endedAt: 9 },
    ],
    [
      'turn-end says what failed',
      {},
      {
        type: 'turn-end',
        state: 'failed',
        carried: [],
        failure: { kind: 'cut', message: 'Cut.' },
        at: 9,
      },
      { state: 'failed', error: 'Cut.', endedAt: 9 },
    ],
  ])('%s', (_, before, event, after) => {
    const cleared = { error: undefined, notice: undefined, endedAt: undefined, carried: undefined };
    const changes =
      event.type === 'turn-start' || event.type === 'turn-end' ? { ...cleared, ...after } : after;
    expect(foldTurn({ ...blank, ...before }, event)).toEqual({ ...blank, ...before, ...changes });
  });
});
