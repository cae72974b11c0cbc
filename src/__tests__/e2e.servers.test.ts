import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  ask,
  copied,
  drawn,
  firstAction,
  shown,
  sourceEntries,
  untilTurn,
} from './support/chat-pane';
import { createGate, named, sse, words, type RawStep, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { startShelf } from './support/page-shelf';
import type { Stage } from './support/stage';
import { stages } from './support/stages';
import { storedConversation } from './support/store-files';
import { toolResults } from './support/tool-results';

const stage = stages();
const KEY = 'sk-test-4f9a8b7c6d5e';
const QUESTION = 'How does tea grow on Verdel?';

const json = (status: number, body: unknown): RawStep => ({
  raw: { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
});
const links = (pane: Pane): [string, string][] =>
  drawn(pane).links.map(({ text, href }) => [text, href]);
const titles = (pane: Pane, submenu?: string): string[] =>
  pane
    .actions()
    .filter((action) => action.submenu === submenu)
    .map(({ title }) => title);

/** Ends the command once the answer is on disk, and starts it anew. */
async function relaunched(pane: Pane, { open, supportPath }: Stage, more = {}): Promise<Pane> {
  await pane.waitFor(
    () => storedConversation(supportPath).turns.every(({ state }) => state !== 'running'),
    { label: 'the answer on disk' },
  );
  await pane.unload();
  const again = await open(more);
  await again.waitFor(() => again.list().items.length > 0, { label: 'the conversation' });
  return again;
}

const AnthropicRequest = z.object({
  model: z.string(),
  max_tokens: z.number(),
  system: z.string(),
  tools: z.array(z.object({ name: z.string(), input_schema: z.looseObject({}) })),
  messages: z.array(
    z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) }),
  ),
});

describe('Anthropic', () => {
  const preferences = { apiKey: KEY };
  const error = (status: number, type: string, message: string): RawStep =>
    json(status, { type: 'error', error: { type, message } });

  it('a turn with tools: thought, searched, read, answered, stored, reopened and copied', async () => {
    const gate = createGate();
    const started = await stage({
      dialect: 'anthropic',
      preferences,
      steps: (origin): Step[] => [
        {
          reasoning: ['They ask about ', gate, 'tea.'],
          text: 'Let me look.',
          calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }],
          usage: { inputTokens: 900, outputTokens: 20 },
        },
        {
          calls: [
            { name: 'web_fetch', arguments: { url: `${origin}/growing` } },
            { name: 'web_fetch', arguments: { url: `${origin}/no-such-page` } },
          ],
        },
        { reasoning: 'Now I know.', text: words('Tea likes fog [1].') },
      ],
    });
    const { model, open, site } = started;
    const pane = await open();
    await ask(pane, QUESTION);
    await gate.reached;
    await pane.waitFor(() => pane.list().navigationTitle === 'Thinking…', { label: 'the title' });
    expect(shown(pane)).toBe(`> ${QUESTION}`);
    gate.open();
    await untilTurn(pane, 'done');

    const answer = `> ${QUESTION}\n\nLet me look.\n\nTea likes fog [\\[1\\]](${site.origin}/growing).\n\n_Sources_\n\n- [\\[1\\]](${site.origin}/growing) Growing tea on Verdel`;
    expect(shown(pane)).toBe(answer);
    expect(pane.markdownResets()).toEqual([]);
    await pane.action('Show Reasoning');
    await pane.waitFor(() => shown(pane).includes('_Reasoning_'), { label: 'the reasoning' });
    expect(drawn(pane).text).toMatch(
      /Reasoning\n\nThey ask about tea\.\s+Now I know\.\n\nLet me look\./,
    );
    await pane.action('Hide Reasoning');
    await pane.waitFor(() => shown(pane) === answer, { label: 'the answer alone' });

    expect(model.requests.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual(
      model.requests.map(() => ['/v1/messages', KEY]),
    );
    expect(model.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
    const last = AnthropicRequest.parse(model.requests[2]?.body);
    expect(last.model).toBe('test-model');
    expect(last.tools.map(({ name }) => name)).toEqual(['web_search', 'web_fetch']);
    expect(
      last.messages.map(({ role, content }) => [role, content.map(({ type }) => type)]),
    ).toEqual([
      ['user', ['text']],
      ['assistant', ['text', 'tool_use']],
      ['user', ['tool_result']],
      ['assistant', ['tool_use', 'tool_use']],
      ['user', ['tool_result', 'tool_result']],
    ]);
    const results = toolResults(model.requests[2]?.body);
    expect(results[0]).toContain(`[1] Growing tea on Verdel\n   ${site.origin}/growing`);
    expect(results[1]).toMatch(/^\[1\] Growing tea on Verdel\nURL: /);
    expect(results[2]).toContain('could not be read (not-found)');
    expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain(KEY);

    const again = await relaunched(pane, started);
    expect(shown(again)).toBe(answer);
    const { text } = await copied(again, 'Copy Answer as Markdown');
    expect(text).toBe(answer.slice(`> ${QUESTION}\n\n`.length));
    model.assertComplete();
  });

  it('is asked again with what was said before, and no thoughts', async () => {
    const { model, open } = await stage({
      dialect: 'anthropic',
      preferences,
      steps: () => [
        { reasoning: 'Hm.', calls: [{ name: 'web_search', arguments: { query: 'harvest' } }] },
        { text: 'In spring [2].' },
        { text: 'As said [1].' },
      ],
    });
    const pane = await open();
    await ask(pane, 'When is the harvest?');
    await untilTurn(pane, 'done');
    const first = links(pane)[0]?.[1];
    await ask(pane, 'Say that again?');
    await untilTurn(pane, 'done', 2);
    const { messages } = AnthropicRequest.parse(model.requests[2]?.body);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(messages)).toContain('In spring [1].');
    expect(JSON.stringify(messages)).not.toContain('Hm.');
    expect(links(pane)[0]).toEqual(['[1]', first]);
  });

  it('names the pages that it searched itself', async () => {
    const FOG = 'https://docs.example/fog';
    const delta = (part: object): string => named('content_block_delta', { index: 0, delta: part });
    const started = await stage({
      dialect: 'anthropic',
      preferences,
      steps: () => [
        {
          raw: {
            body: [
              named('message_start', { message: { role: 'assistant', content: [] } }),
              named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
              delta({ type: 'text_delta', text: 'Fog waters it.' }),
              delta({
                type: 'citations_delta',
                citation: { type: 'web_search_result_location', url: FOG, title: 'Fog' },
              }),
              named('content_block_stop', { index: 0 }),
              named('message_delta', { delta: { stop_reason: 'end_turn' } }),
              named('message_stop'),
            ].join(''),
          },
        },
      ],
    });
    const pane = await started.open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    const seen = `${QUESTION}\n\nFog waters it.\n\nSources\n\n• [1] Fog`;
    expect(drawn(pane).text).toBe(seen);
    const again = await relaunched(pane, started);
    expect(drawn(again).text).toBe(seen);
    expect(links(again)).toEqual([['[1]', FOG]]);
  });

  const failures: [
    name: string,
    step: RawStep,
    sentence: string,
    first: string[],
    kept?: string,
  ][] = [
    [
      'a wrong key',
      error(401, 'authentication_error', 'invalid x-api-key'),
      "The model server at ORIGIN refused the API key (401). Check the key in Lam's preferences. Then start Lam again. It said: “invalid x-api-key”",
      ['Preferences'],
    ],
    [
      'too many at once',
      error(529, 'overloaded_error', 'Overloaded'),
      'The model server at ORIGIN is overloaded (529). Ask again in a minute.',
      [],
    ],
    [
      'too many at once, in mid-answer',
      {
        raw: {
          body:
            named('message_start', { message: { role: 'assistant', content: [] } }) +
            named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
            named('content_block_delta', {
              index: 0,
              delta: { type: 'text_delta', text: 'Half an answer' },
            }) +
            named('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
        },
      },
      'The model server at ORIGIN is overloaded (529). Ask again in a minute.',
      [],
      'Half an answer',
    ],
    [
      'a conversation that is too long',
      error(400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
      'The conversation is too long for the model "test-model". Start a new conversation, or choose a model with a longer context. It said: “prompt is too long: 208310 tokens > 200000 maximum”',
      ['New Conversation'],
    ],
    [
      'no credit',
      error(400, 'invalid_request_error', 'Your credit balance is too low to access the API.'),
      "The account behind the API key has no credit left at ORIGIN (400). Add credit there, or set another model server in Lam's preferences. It said: “Your credit balance is too low to access the API.”",
      ['Preferences'],
    ],
  ];

  it.each(failures)('says what went wrong: %s', async (_name, step, sentence, first, kept) => {
    const { model, open } = await stage({
      dialect: 'anthropic',
      preferences,
      steps: () => [step, { text: ' Here it is.' }],
    });
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'failed');
    const answer = kept === undefined ? '' : `\n\n${kept}`;
    expect(drawn(pane).text).toBe(
      `${QUESTION}${answer}\n\n${sentence.replace('ORIGIN', model.origin)}`,
    );
    expect(titles(pane).slice(0, 2)).toEqual(
      [...first, 'Try Again', kept === undefined ? 'Open Answer' : 'Continue'].slice(0, 2),
    );
    expect(titles(pane)).toContain('Preferences');
    expect(titles(pane)).toContain('New Conversation');
    await pane.action(kept === undefined ? 'Try Again' : 'Continue');
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe(
      `> ${QUESTION}\n\n${kept ?? ''}${kept === undefined ? 'Here' : ' Here'} it is.`,
    );
  });

  it('without a key says so at once, and leads to the preferences', async () => {
    const { model, open } = await stage({
      dialect: 'anthropic',
      routes: { '/v1/models': error(401, 'authentication_error', 'x-api-key header is required') },
    });
    const pane = await open();
    await pane.waitFor(() => pane.list().emptyView?.title === 'An API key is needed', {
      label: 'the failure',
    });
    expect(pane.list().emptyView?.description).toBe(
      `The model server at ${model.origin} wants an API key (401). Enter it in Lam's preferences. Then start Lam again. It said: “x-api-key header is required”`,
    );
    expect(firstAction(pane)).toBe('Preferences');
  });

  it.each([
    ['the first of the list', '', 'big'],
    ['the one of the preferences', 'small', 'small'],
    ['one that the list lacks', 'other', 'other'],
  ])('asks %s', async (_name, wanted, chosen) => {
    const { model, open } = await stage({
      dialect: 'anthropic',
      models: [{ id: 'big' }, { id: 'small' }],
      preferences: { ...preferences, model: wanted },
      steps: () => [{ text: 'Yes.' }],
    });
    const pane = await open();
    await pane.waitFor(
      () =>
        pane.list().emptyView?.description ===
        `Answers carry sources you can check. Model: ${chosen}.`,
      { label: 'the model' },
    );
    await ask(pane, 'You?');
    await untilTurn(pane, 'done');
    expect(AnthropicRequest.parse(model.requests[0]?.body).model).toBe(chosen);
    expect(model.paths).toEqual(['/v1/models', '/v1/messages']);
  });
});

describe('an OpenAI-compatible server that searches by itself', () => {
  const A = 'https://docs.example/fog';
  const B = 'https://site.example/leaf?a=1&b=(2)';
  const C = 'https://blog.example/soil';
  const chunk = (delta: object, rest: object = {}) => ({
    choices: [{ index: 0, delta, finish_reason: null }],
    ...rest,
  });
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const annotation = (url: string, title?: string) => ({
    type: 'url_citation',
    url_citation: { url, title, start_index: 0, end_index: 4 },
  });
  const answer = (...chunks: object[]): RawStep => ({
    raw: { body: sse(...chunks, end, '[DONE]') },
  });

  it('with annotations: the links of the text stay, the list names the pages', async () => {
    const started = await stage({
      steps: () => [
        answer(
          chunk({ content: `Fog waters it ([docs.example](${A})). ` }),
          chunk({
            content: 'Leaves grow slowly.',
            annotations: [annotation(A, 'Fog'), annotation(B, 'Leaves [2] of *tea*')],
          }),
        ),
        { text: 'The page about fog.' },
      ],
    });
    const { model, open } = started;
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    const check = (each: Pane): void => {
      expect(drawn(each).text).toBe(
        `${QUESTION}\n\nFog waters it (docs.example). Leaves grow slowly.\n\nSources\n\n• [1] Fog\n• [2] Leaves [2] of *tea*`,
      );
      expect(links(each)).toEqual([
        ['docs.example', A],
        ['[1]', A],
        ['[2]', B],
      ]);
      expect(sourceEntries(each)).toEqual(['[1] Fog', '[2] Leaves [2] of *tea*']);
    };
    check(pane);
    const again = await relaunched(pane, started);
    check(again);
    await again.action('[2] Leaves [2] of *tea*');
    await again.waitFor(() => again.opened.length > 0, { label: 'the browser' });
    expect(again.opened).toEqual([B]);
    await again.action('Show Tool Calls');
    await again.waitFor(() => shown(again).includes('_Tool calls_'), { label: 'the calls' });
    expect(drawn(again).text).toContain('• Named by the model server: 2 pages\n');
    // The model reads its answer again as it wrote it.
    await ask(again, 'Who says so?');
    await untilTurn(again, 'done', 2);
    expect(JSON.stringify(model.requests[1]?.body)).toContain(
      `Fog waters it ([docs.example](${A})).`,
    );
  });

  it('with a list of addresses: its numbers are links, in the text and below', async () => {
    const list = { citations: [A, B, C], search_results: [{ url: A, title: 'Fog' }, { url: C }] };
    const started = await stage({
      steps: () => [
        answer(
          chunk({ content: 'Fog waters it [1]' }, list),
          chunk({ content: '[3]. See `rows[2]`.' }, list),
        ),
      ],
    });
    const pane = await started.open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    const check = (each: Pane): void => {
      expect(drawn(each).text).toBe(
        `${QUESTION}\n\nFog waters it [1][3]. See rows[2].\n\nSources\n\n• [1] Fog\n• [3] ${C}`,
      );
      expect(links(each)).toEqual([
        ['[1]', A],
        ['[3]', C],
        ['[1]', A],
        ['[3]', C],
      ]);
      expect(sourceEntries(each)).toEqual(['[1] Fog', `[2] ${B}`, `[3] ${C}`]);
    };
    check(pane);
    expect(pane.markdownResets()).toEqual([]);
    const again = await relaunched(pane, started);
    check(again);
    const { text } = await copied(again, 'Copy Answer as Markdown');
    expect(text).toContain(`Fog waters it [\\[1\\]](${A})[\\[3\\]](${C}).`);
  });
});

const OllamaRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  tools: z.optional(z.array(z.unknown())),
  options: z.object({ num_ctx: z.number() }),
});

describe('a model without tools', () => {
  it('is searched for first, answers with numbers, and is asked a second question', async () => {
    const gate = createGate();
    const started = await stage({
      dialect: 'ollama',
      models: [
        { id: 'embedder', capabilities: ['embedding'] },
        { id: 'plain-model', capabilities: ['completion'] },
      ],
      steps: () => [
        { holdBefore: gate, text: words('Tea likes fog [1].') },
        { text: words('The first one [1], and a new one [3].') },
      ],
    });
    const { model, open, site } = started;
    const pane = await open();
    const told =
      'plain-model cannot call tools, so Lam searches with your question first. Model: plain-model.';
    await pane.waitFor(() => pane.list().emptyView?.description === told, { label: 'the model' });
    await ask(pane, QUESTION);
    await gate.reached;
    gate.open();
    await untilTurn(pane, 'done');
    const [first = '', second = ''] = model.requests.map(({ body }) => JSON.stringify(body));
    const requests = model.requests.map(({ body }) => OllamaRequest.parse(body));
    expect(second).toBe('');
    expect(requests[0]?.tools).toBeUndefined();
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(first).toContain(`URL: ${site.origin}/growing`);
    expect(first).not.toContain('web_fetch');
    expect(decodeURIComponent(site.requests[0] ?? '').replaceAll('+', ' ')).toContain(QUESTION);
    expect(links(pane)).toEqual([
      ['[1]', `${site.origin}/growing`],
      ['[1]', `${site.origin}/growing`],
    ]);
    expect(sourceEntries(pane)[0]).toBe('[1] Growing tea on Verdel');

    const again = await relaunched(pane, started);
    await ask(again, 'Which sayings do the growers have?');
    await untilTurn(again, 'done', 2);
    const { messages } = OllamaRequest.parse(model.requests[1]?.body);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[2]?.content).toBe('Tea likes fog [1].');
    // What was cited keeps its number, and what is found now goes on counting.
    expect(messages[3]?.content).toMatch(/^\[1\] Growing tea on Verdel\n {3}/m);
    expect(messages[3]?.content).toMatch(/^\[2\] Sayings of the Verdel growers\nURL: /m);
    expect(messages[3]?.content).toMatch(/\nWhich sayings do the growers have\?$/);
    expect(links(again)).toEqual([
      ['[1]', `${site.origin}/growing`],
      ['[3]', `${site.origin}/history`],
      ['[1]', `${site.origin}/growing`],
      ['[3]', `${site.origin}/history`],
    ]);
    expect(shown(again)).not.toContain('[!NOTE]');
    model.assertComplete();
  });

  it('the title tells of the search, and counts the pages alone', async () => {
    const gates = { '/one': createGate(), '/two': createGate() };
    const shelf = await startShelf({
      pages: () =>
        Object.fromEntries(
          Object.entries(gates).map(([path, gate]) => [
            path,
            { type: 'text/plain', body: 'Fog.', gate, row: { title: `Tea in the fog ${path}` } },
          ]),
        ),
    });
    try {
      const { open } = await stage({
        dialect: 'ollama',
        models: [{ id: 'plain-model', capabilities: ['completion'] }],
        steps: () => [{ text: 'Fog [1][2].' }],
      });
      const pane = await open({
        preferences: { searxngUrl: shelf.searchUrl },
        env: { LAM_TEST_ALLOW_ORIGINS: shelf.allow },
      });
      await ask(pane, 'Tea in the fog');
      const { host } = new URL(shelf.origin);
      for (const [n, gate] of Object.values(gates).entries()) {
        await gate.reached;
        await pane.waitFor(() => pane.list().navigationTitle === `Reading ${host}… ${n + 1} of 2`, {
          label: `the title of page ${n + 1}`,
        });
        gate.open();
      }
      await untilTurn(pane, 'done');
      expect(links(pane).map(([text]) => text)).toEqual(['[1]', '[2]', '[1]', '[2]']);
    } finally {
      await shelf.close();
    }
  });
});

describe('Ollama', () => {
  it.each([
    ['a small one is asked for what it has', 4_096, 4_096],
    ['a large one for what fits a small card', 131_072, 16_384],
  ])('a context: %s', async (_name, contextTokens, asked) => {
    const started = await stage({
      dialect: 'ollama',
      models: [
        { id: 'no-tools', capabilities: ['completion'] },
        { id: 'with-tools', capabilities: ['completion', 'tools'], contextTokens },
      ],
      steps: (origin) => [
        { calls: [{ name: 'web_fetch', arguments: { url: `${origin}/huge` } }] },
        { calls: [{ name: 'web_fetch', arguments: { url: `${origin}/huge`, offset: 19_990 } }] },
        { text: words('It is a log [1].') },
      ],
    });
    const { model, open, supportPath } = started;
    const pane = await open();
    await ask(pane, QUESTION);
    await untilTurn(pane, 'done');
    const requests = model.requests.map(({ body }) => OllamaRequest.parse(body));
    expect(requests.map((each) => [each.model, each.options.num_ctx])).toEqual([
      ['with-tools', asked],
      ['with-tools', asked],
      ['with-tools', asked],
    ]);
    // What is sent fits, what is kept is whole.
    for (const { messages } of requests) {
      const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
      expect(chars).toBeLessThan(asked * 3.5);
    }
    await pane.waitFor(() => storedConversation(supportPath).turns[0]?.state === 'done', {
      label: 'the answer on disk',
    });
    const [turn] = storedConversation(supportPath).turns;
    expect(turn?.toolCalls.map(({ result }) => result.length > 16_000)).toEqual([true, true]);
    const sent = requests[2]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(sent.map(({ content }) => content.length > 16_000)).toEqual(
      asked === 4_096 ? [false, false] : [true, true],
    );
    for (const { content } of sent) expect(content).toMatch(/^\[1\] The garden log\nURL: /);
    expect(links(pane)[0]?.[0]).toBe('[1]');
  });
});
