import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { runAgent } from '../lib/agent';
import { createBudget } from '../lib/agent/budget';
import { MAX_REQUEST_RESULT_CHARS, MAX_RESULT_CHARS } from '../lib/constants';
import type { ChatEvent, ChatMessage, ChatRequest } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { ask, say, scriptedProvider, type ScriptStep } from './support/scripted-provider';
import { smallWeb } from './support/small-web';

const WORDS = 'The sea is salty because rivers bring salt. ';
const url = (n: number) => `https://p${n}.example/`;
const pages = (text: string) =>
  Object.fromEntries(Array.from({ length: 40 }, (_, n) => [url(n), { title: 'Sea', text }]));
const fetchOf = (n: number) => ({ name: 'web_fetch', arguments: { url: url(n) } });
const chars = ({ messages }: ChatRequest) =>
  messages.reduce((sum, { role, content }) => sum + (role === 'tool' ? content.length : 0), 0);

/** Reads so many pages in one round, and gives the characters of results in the request after it. */
async function sent(
  contextTokens: number | undefined,
  { count = 8, text = WORDS.repeat(600), usage = 0, question = 'Why?' } = {},
): Promise<number> {
  const counted: ChatEvent[] =
    usage === 0 ? [] : [{ type: 'usage', usage: { inputTokens: usage } }];
  const calls = Array.from({ length: count }, (_, n) => fetchOf(n));
  const steps: ScriptStep[] = [[...counted, ...ask(calls)], say('Done.')];
  const provider = scriptedProvider(steps);
  const ports = { ...smallWeb({ pages: pages(text) }), provider };
  await runAgent(agentOptions({ question, about: { contextTokens }, ports }));
  provider.assertComplete();
  const last = provider.requests.at(-1);
  return last ? chars(last) : 0;
}

describe('tool results in a request', () => {
  it.each<[tokens: number | undefined, least: number, most: number]>([
    [undefined, 30_000, MAX_REQUEST_RESULT_CHARS],
    [2_048, 0, 8_000],
    [8_192, 10_000, 30_000],
    [16_384, 35_000, 65_000],
    [1_000_000, 8 * MAX_RESULT_CHARS, 200_000],
  ])('of a model with %s tokens have room for what it can read', async (tokens, least, most) => {
    const length = await sent(tokens);
    expect(length).toBeGreaterThanOrEqual(least);
    expect(length).toBeLessThanOrEqual(most);
  });

  it('are fewer characters where a character costs more tokens', async () => {
    const english = await sent(8_192);
    expect(await sent(8_192, { text: '海水是咸的因为河流带来盐。'.repeat(2_000) })).toBeLessThan(
      english / 2,
    );
  });

  it('leave room for a long question', async () => {
    const short = await sent(8_192);
    const long = await sent(8_192, { question: WORDS.repeat(300) });
    expect(long).toBeLessThan(short - 10_000);
  });

  it('are fewer where the server counted more tokens than were estimated, and not for ever more', async () => {
    const usual = await sent(16_384);
    const more = await sent(16_384, { usage: 600 });
    expect(more).toBeLessThan(usual);
    const absurd = await sent(16_384, { usage: 10_000_000 });
    expect(absurd).toBeGreaterThan(5_000);
    expect(absurd).toBeLessThan(more);
  });

  it('are the same where it counted far less: a cache may have hidden the rest', async () => {
    expect(await sent(16_384, { usage: 1 })).toBe(await sent(16_384));
  });

  it('that were shortened may be asked for again', async () => {
    const rounds = Array.from({ length: 5 }, (_, n) => ask([fetchOf(n)]));
    const provider = scriptedProvider([
      ...rounds,
      ask([fetchOf(0)]),
      ask([fetchOf(0)]),
      say('Done.'),
    ]);
    const web = smallWeb({ pages: pages(WORDS.repeat(600)) });
    const read: string[] = [];
    const turn = await runAgent(
      agentOptions({
        about: { contextTokens: 16_384 },
        ports: {
          ...web,
          provider,
          fetchPage: (address, signal) => {
            read.push(address);
            return web.fetchPage(address, signal);
          },
        },
      }),
    );
    // From the pages the turn keeps: it is not fetched a second time.
    expect(read.filter((address) => address === url(0))).toHaveLength(1);
    expect(turn.toolCalls[5]?.result).toContain(WORDS);
    expect(turn.toolCalls[5]?.isError).toBe(false);
    expect(turn.toolCalls[6]?.result).toContain('You already did this in this turn');
  });
});

describe('a budget', () => {
  const message = fc.oneof(
    fc.record({ role: fc.constant('user' as const), content: fc.string() }),
    fc.nat(40_000).map((length): ChatMessage => ({
      role: 'tool',
      toolCallId: `call-${length}`,
      toolName: 'web_fetch',
      content: `[1] Sea\nURL: https://sea.example\nShown: characters 0–9 of 9\nText:\n<<<PAGE TEXT w\n${'x'.repeat(length)}\nPAGE TEXT w>>>`,
    })),
  );

  const toolCalls = [{ id: 'call-0', name: 'web_fetch', arguments: {} }];
  const pagesRead = Array.from({ length: 3 }, (_, n): ChatMessage => ({
    role: 'tool',
    toolCallId: `call-${n}`,
    toolName: 'web_fetch',
    content: `[${n + 1}] Sea\nURL: https://sea.example\nShown: characters 0–9 of 9\nText:\n<<<PAGE TEXT w\n${WORDS.repeat(500)}\nPAGE TEXT w>>>`,
  }));
  const long: ChatMessage[] = [{ role: 'assistant', content: '', toolCalls }, ...pagesRead];
  const size = (messages: readonly ChatMessage[]) =>
    messages.reduce((sum, { content }) => sum + content.length, 0);

  it.each([1, 1_000])(
    'keeps what it has learned when a count of %d is none of the whole',
    (few) => {
      const budget = createBudget(16_384);
      budget.fit(long, []);
      budget.learn({ inputTokens: 30_000 });
      const learned = size(budget.fit(long, []).messages);
      expect(learned).toBeLessThan(size(createBudget(16_384).fit(long, []).messages));
      budget.learn({ inputTokens: few });
      expect(size(budget.fit(long, []).messages)).toBe(learned);
    },
  );

  it.each([undefined, 16_384])(
    'of %s tokens is halved as long as something can be shortened',
    (tokens) => {
      const budget = createBudget(tokens);
      expect(budget.halve()).toBe(false);
      const before = size(budget.fit(long, []).messages);
      expect(budget.halve()).toBe(true);
      expect(size(budget.fit(long, []).messages)).toBeLessThanOrEqual(before / 2);
      const few: ChatMessage[] = [{ role: 'user', content: WORDS.repeat(500) }];
      budget.fit(few, []);
      expect(budget.halve()).toBe(false);
    },
  );

  it('gives the same messages in the same order, names those it shortened, and changes no other', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.option(fc.integer({ min: 1, max: 300_000 }), { nil: undefined }),
        fc.array(fc.integer({ min: -5, max: 1_000_000 }), { maxLength: 3 }),
        (messages, contextTokens, counts) => {
          const budget = createBudget(contextTokens);
          for (const inputTokens of [0, ...counts]) {
            const fitted = budget.fit(messages, []);
            expect(fitted.messages.map(({ role }) => role)).toEqual(
              messages.map(({ role }) => role),
            );
            for (const [n, each] of fitted.messages.entries()) {
              const before = messages[n];
              expect(each.content.length).toBeLessThanOrEqual(before?.content.length ?? 0);
              if (each.content !== before?.content)
                expect(each.role === 'tool' && fitted.shortened.has(each.toolCallId)).toBe(true);
            }
            budget.learn({ inputTokens });
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
