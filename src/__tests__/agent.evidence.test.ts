import { describe, expect, it } from 'vitest';

import { foldTurn, runAgent, type AgentEvent } from '../lib/agent';
import { TurnSchema } from '../lib/schemas';
import type { ToolCallRecord } from '../lib/types';
import { agentOptions } from './support/agent-options';
import { makeTurn } from './support/builders';
import { ask, failure, say, scriptedProvider, type ScriptStep } from './support/scripted-provider';
import { smallDocuments } from './support/small-documents';
import { smallWeb } from './support/small-web';

const URL = 'https://tea.example/wuyi';
const FIRST = 'Wuyi rock tea is roasted over charcoal for forty hours.';
const SECOND = 'Jasmine flowers bloom at night in the gardens of Fuzhou.';
const web = smallWeb({ pages: { [URL]: { title: 'Wuyi', text: `${FIRST}\n\n${SECOND}` } } });
const read = ask([{ name: 'web_fetch', arguments: { url: URL } }]);

async function play(
  steps: readonly ScriptStep[],
  { ports, ...rest }: Parameters<typeof agentOptions>[0] = {},
) {
  const provider = scriptedProvider(steps);
  const events: AgentEvent[] = [];
  const turn = await runAgent(
    agentOptions({
      onEvent: (event) => events.push(event),
      ...rest,
      ports: { ...web, provider, ...ports },
    }),
  );
  return { turn, events };
}

describe('a turn that has ended', () => {
  it('keeps the passage behind each citation', async () => {
    const answer = 'Wuyi rock tea is roasted over charcoal for forty hours [1].';
    const { turn, events } = await play([read, say(answer)]);
    expect(turn.evidence).toHaveLength(1);
    expect(turn.evidence?.[0]).toMatchObject({
      index: 1,
      title: 'Wuyi',
      url: URL,
      quote: FIRST,
      start: 0,
      end: FIRST.length,
      number: 1,
      markers: [answer.indexOf('[1]')],
    });
    expect(turn.quotes).toBeUndefined();
    const last = events.at(-1);
    expect(last?.type === 'turn-end' && last.evidence).toEqual(turn.evidence);
  });

  it('has its quotations checked word for word', async () => {
    const answer = 'It says: “roasted over charcoal for forty hours” [1].';
    const { turn, events } = await play([read, say(answer)]);
    expect(turn.quotes).toMatchObject([
      { start: answer.indexOf('roasted'), end: answer.indexOf('”'), index: 1, status: 'exact' },
    ]);
    const begun = makeTurn({ state: 'running', response: '', toolCalls: [] });
    const folded = events.reduce(foldTurn, begun);
    expect([folded.evidence, folded.quotes]).toEqual([turn.evidence, turn.quotes]);
    expect(TurnSchema.safeParse(folded).success).toBe(true);
  });

  it('looks at the answer as it stands in the end', async () => {
    const { turn } = await play([
      read,
      [
        { type: 'source', title: 'Other', url: 'https://other.example', number: 1 },
        ...say(`${FIRST.slice(0, -1)} [1].`),
      ],
    ]);
    expect(turn.response).toContain('\\[1\\]');
    expect([turn.evidence, turn.quotes]).toEqual([undefined, undefined]);
  });

  it.each<[string, ScriptStep]>([
    ['was stopped', [{ type: 'text-delta', text: `${FIRST.slice(0, -1)} [1].` }, 'hang']],
    ['failed', [{ type: 'text-delta', text: `${FIRST.slice(0, -1)} [1].` }, failure('cut')]],
  ])('keeps it also when it %s', async (how, step) => {
    const stop = new AbortController();
    const { turn } = await play([read, step], {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'text-delta' && how === 'was stopped') stop.abort();
      },
    });
    expect(turn.state).toBe(how === 'failed' ? 'failed' : 'stopped');
    expect(turn.evidence?.map(({ quote }) => quote)).toEqual([FIRST]);
  });

  it('finds the texts of carried sources in earlier turns', async () => {
    const { turn: first } = await play([read, say(`${FIRST.slice(0, -1)} [1].`)]);
    const history = [{ question: 'q', response: first.response, toolCalls: first.toolCalls }];
    const { turn } = await play([say(`${SECOND.slice(0, -1)} [1].`)], { history });
    expect(turn.evidence?.map(({ quote, index }) => [quote, index])).toEqual([[SECOND, 1]]);
  });

  it.each<[string, number, number, true | undefined]>([
    ['as long as may be', 600, 600, undefined],
    ['one unit longer', 601, 600, true],
    ['much longer', 1_100, 600, true],
  ])('keeps 600 units of a passage, and says when it goes on: %s', async (_, units, kept, cut) => {
    const text = `${FIRST.slice(0, -1)} ${'and so on '.repeat(120)}`.slice(0, units - 1) + '.';
    const { turn } = await play([read, say(`${FIRST.slice(0, -1)} [1].`)], {
      ports: smallWeb({ pages: { [URL]: { title: 'Wuyi', text } } }),
    });
    expect(turn.evidence).toHaveLength(1);
    expect(turn.evidence?.[0]?.quote).toBe(text.slice(0, kept));
    expect(turn.evidence?.[0]?.cut).toBe(cut);
    expect(turn.evidence?.[0]).toMatchObject({ start: 0, end: units });
  });

  it('keeps the page of a document, one where the passage is on one', async () => {
    const starts = [0, FIRST.length];
    const documents = smallDocuments({
      files: { 'N/a.pdf': { text: FIRST + SECOND, pages: { total: 2, starts } } },
    });
    const asked = ask([{ name: 'read_document', arguments: { path: 'N/a.pdf' } }]);
    const { turn } = await play([asked, say(`${SECOND.slice(0, -1)} [1].`)], {
      ports: { documents },
    });
    expect(turn.evidence).toMatchObject([
      { quote: SECOND, page: 2, kind: 'document', version: 'a1' },
    ]);
    expect(turn.evidence?.[0]).not.toHaveProperty('pageEnd');
    expect(turn.evidence?.[0]).not.toHaveProperty('fragment');
  });

  it.each<[string, readonly ScriptStep[]]>([
    ['no source', [say('Tea is hot [1].')]],
    ['no marker', [read, say('Tea is hot.')]],
    ['a number that is no source', [read, say('Tea is hot [7].')]],
    ['no answer', [read, [failure('cut')]]],
  ])('stores nothing where there is %s', async (_, steps) => {
    const { turn, events } = await play(steps);
    for (const each of [turn, events.at(-1)]) {
      expect(each).not.toHaveProperty('evidence');
      expect(each).not.toHaveProperty('quotes');
    }
  });

  it('stores an empty list where nothing is clearly close', async () => {
    const { turn } = await play([read, say('Pandas like bamboo very much [1].')]);
    expect(turn.evidence).toEqual([]);
  });

  it('is not cost by records that nobody foresaw', async () => {
    const record = {
      name: 'web_fetch',
      arguments: {},
      result: 'x',
      isError: false,
      sources: [{ index: 1, title: 'Wuyi', url: URL }],
      // Out of the text, twice the same, and of no source.
      shown: [
        { index: 1, at: 1e9, length: 5, start: 3 },
        { index: 1, at: 0, length: 1, start: 0 },
        { index: 1, at: 0, length: 1, start: 0 },
        { index: 9, at: 0, length: 1 },
      ],
    } satisfies ToolCallRecord;
    const { turn } = await play([say('x is roasted over charcoal for forty hours [1].')], {
      resume: { response: '', toolCalls: [record] },
    });
    expect(turn).toMatchObject({ state: 'done', evidence: [] });
  });
});

describe('a turn that is continued', () => {
  it('forgets what was found for its first part, and looks again at its end', async () => {
    const { turn: first } = await play([
      read,
      [{ type: 'text-delta', text: `${FIRST.slice(0, -1)} [1].` }, failure('cut')],
    ]);
    const stored = makeTurn({ ...first, question: 'q' });
    const { turn, events } = await play([say(` ${SECOND.slice(0, -1)} [1].`)], {
      resume: { response: first.response, toolCalls: first.toolCalls },
    });
    const [begin] = events;
    expect(begin && foldTurn({ ...stored, quotes: [] }, begin)).not.toHaveProperty('evidence');
    expect(begin && foldTurn({ ...stored, quotes: [] }, begin)).not.toHaveProperty('quotes');
    expect(turn.evidence?.map(({ quote }) => quote)).toEqual([FIRST, SECOND]);
    expect(events.reduce(foldTurn, stored).evidence).toEqual(turn.evidence);
  });
});
