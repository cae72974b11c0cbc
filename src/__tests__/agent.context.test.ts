import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { runAgent, type ResumedTurn } from '../lib/agent';
import { MAX_REQUEST_RESULT_CHARS, MAX_RESULT_CHARS } from '../lib/constants';
import type { ChatRequest } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { ask, say, scriptedProvider } from './support/scripted-provider';
import { smallWeb } from './support/small-web';

const LONG = MAX_RESULT_CHARS + 5_000;
const pageUrl = (n: number, chars: number) => `https://p${n}.example/${chars}`;
const fetchOf = (n: number, chars: number) => ({
  name: 'web_fetch',
  arguments: { url: pageUrl(n, chars) },
});

/** Reads pages of these lengths, a list a round, and gives what the model was sent and what is kept. */
async function read(rounds: readonly (readonly number[])[], resume?: ResumedTurn) {
  let n = 0;
  const steps = rounds.map((lengths) => ask(lengths.map((chars) => fetchOf(n++, chars))));
  const all = rounds.flat().map((chars, k) => [pageUrl(k, chars), 'x'.repeat(chars)] as const);
  const pages = Object.fromEntries(all.map(([url, text]) => [url, { title: 'Tea', text }]));
  const provider = scriptedProvider([...steps, say('Done.')]);
  const options = { ports: { ...smallWeb({ pages }), provider }, ...(resume ? { resume } : {}) };
  const turn = await runAgent(agentOptions(options));
  provider.assertComplete();
  return { turn, requests: provider.requests, sent: provider.requests.map(results) };
}

const results = ({ messages }: ChatRequest) =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
/** Characters of page text in each result. */
const texts = (sent: readonly string[]) =>
  sent.map((content) => /\n(x+)\n/.exec(content)?.[1]?.length ?? 0);
const sum = (sent: readonly string[]) => sent.reduce((total, { length }) => total + length, 0);

describe('tool results in a request', () => {
  it('that fit are sent as they are kept', async () => {
    const { turn, sent } = await read([[5_000], [5_000, 5_000], [MAX_RESULT_CHARS]]);
    expect(sent.at(-1)).toEqual(turn.toolCalls.map(({ result }) => result));
  });

  it('that do not fit lose the text of the oldest, in what is sent only', async () => {
    const { turn, sent } = await read([[5_000], [LONG], [LONG]]);
    const last = sent.at(-1) ?? [];
    expect(texts(last)).toEqual([0, 0, MAX_RESULT_CHARS]);
    expect(last[0]).toMatch(
      /^\[1\] Tea\nURL: https:\/\/p0\.example\/5000\n\[shortened; call web_fetch again to read it\]\n\nNumbers you may cite: \[1\]\./,
    );
    expect(texts(turn.toolCalls.map(({ result }) => result))).toEqual([
      5_000,
      MAX_RESULT_CHARS,
      MAX_RESULT_CHARS,
    ]);
  });

  it('lose no more than is needed', async () => {
    const { sent } = await read([[10_000], [10_000], [10_000], [MAX_RESULT_CHARS]]);
    expect(texts(sent.at(-1) ?? [])).toEqual([0, 0, 10_000, MAX_RESULT_CHARS]);
  });

  it('of one round share the room, and short ones stay whole', async () => {
    const { sent } = await read([[LONG], [LONG, 4_000, LONG]]);
    const [old, first = 0, short, third = 0] = texts(sent.at(-1) ?? []);
    expect(old).toBe(0);
    expect(short).toBe(4_000);
    // Frames differ by a digit or two.
    expect(Math.abs(first - third)).toBeLessThan(10);
    expect(first).toBeGreaterThan(15_000);
    expect(sum(sent.at(-1) ?? [])).toBeLessThanOrEqual(MAX_REQUEST_RESULT_CHARS);
  });

  it('of a turn that is continued fit too', async () => {
    const before = await read([[LONG, LONG, LONG]]);
    const { sent } = await read([], before.turn);
    expect(sum(sent[0] ?? [])).toBeLessThanOrEqual(MAX_REQUEST_RESULT_CHARS);
    expect(sent[0]).toEqual(before.sent[1]);
  });

  it('with the loop’s instruction behind them keep it', async () => {
    const round = Array.from({ length: 4 }, () => LONG);
    const { sent } = await read(Array.from({ length: 8 }, () => round));
    expect(sent.at(-1)?.at(-1)).toMatch(/No more tool calls are possible in this turn\.[^\n]*$/);
  });

  it('never exceed the limit, keep their numbers and order, and leave the records alone', async () => {
    const lengths = fc.array(fc.constantFrom(10, 900, 3_000, 15_000, LONG), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(lengths, { minLength: 1, maxLength: 5 }), async (rounds) => {
        const { turn, sent } = await read(rounds);
        const kept = turn.toolCalls.map(({ result }) => result);
        for (const each of sent) {
          expect(sum(each)).toBeLessThanOrEqual(MAX_REQUEST_RESULT_CHARS);
          for (const [n, content] of each.entries()) {
            const whole = kept[n] ?? '';
            expect(content.split('\n').slice(0, 2)).toEqual(whole.split('\n').slice(0, 2));
            expect(content).toContain('Numbers you may cite: ');
            if (content !== whole) expect(content).toContain('[shortened; call web_fetch');
          }
        }
        expect(texts(kept)).toEqual(
          rounds.flat().map((chars) => Math.min(chars, MAX_RESULT_CHARS)),
        );
      }),
      { numRuns: 60 },
    );
  });
});
