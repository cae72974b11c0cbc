import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { ask, drawn, firstAction, questions, shown, untilTurn } from './support/chat-pane';
import { createGate, sse, words, type RawStep, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { closedPort, type ClosedPort } from './support/port-forward';
import type { Stage, StageOptions } from './support/stage';
import { stages } from './support/stages';
import { filesIn, storedConversation } from './support/store-files';

const stage = stages();
const ports: ClosedPort[] = [];
afterEach(async () => {
  await Promise.all(ports.splice(0).map((port) => port.close()));
});
async function port(): Promise<ClosedPort> {
  const taken = await closedPort();
  ports.push(taken);
  return taken;
}

const KEY = 'sk-test-4f9a8b7c6d5e';
/** Said wherever the preferences must be changed: a running command never sees new ones. */
const RESTART = 'Then start Lam again.';
const CHAT = '/v1/chat/completions';
/** No resolver takes a label of 64 letters, so no name server is asked. */
const NO_HOST = `${'n'.repeat(64)}.example`;

const json = (status: number, body: unknown, headers?: Record<string, string>): RawStep => ({
  raw: { status, body: JSON.stringify(body), ...(headers ? { headers } : {}) },
});
const error = (message: string, code: string | number | null = null) => ({
  error: { message, type: 'error', code },
});
const html = (status: number): RawStep => ({
  raw: {
    status,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Welcome</title><h1>It works</h1>',
  },
});
const delta = (content: string) =>
  sse({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

/** The connection ends in the middle of the second event. */
const cutAnswer: RawStep = {
  raw: {
    body: delta('Half an answer') + delta(' and a lot more'),
    cutAfterBytes: delta('Half an answer').length + 10,
  },
};

interface Row {
  name: string;
  dialect?: StageOptions['dialect'];
  /** What comes before Try Again, because trying again alone cannot help. */
  first?: string[];
  /** What comes after it, where the server is known to be missing. */
  then?: string;
  models?: StageOptions['models'];
  preferences?: Record<string, unknown>;
  /** How the server fails the first question. The next is answered. */
  step?: Step;
  /** Or: how it fails everything until the failure is put right. */
  broken?: RawStep;
  /** Or: what is at the address instead of a server. */
  instead?: 'nothing' | 'another protocol';
  /** Text of the answer that had arrived, and is kept. */
  kept?: string;
  /** The whole sentence in the pane; `at` is scheme, host and port of the address. */
  sentence: (at: string) => string;
  /** True when only the preferences can put it right: they are read at the next launch. */
  relaunch?: true;
}

const rows: Row[] = [
  {
    name: 'not running',
    then: 'Preferences',
    instead: 'nothing',
    sentence: (at) =>
      `No model server is running at ${at}. Start it, or set another address in Lam's preferences.`,
  },
  {
    name: 'Ollama not running',
    then: 'Copy Command',
    dialect: 'ollama',
    instead: 'nothing',
    sentence: (at) =>
      `Ollama is not running at ${at}. Start it with \`ollama serve\`, or set another model server in Lam's preferences.`,
  },
  {
    name: 'another protocol at the address',
    first: ['Preferences'],
    instead: 'another protocol',
    sentence: (at) =>
      `Something listens at ${at}, but it does not speak HTTP. Check the port, and http:// against https://, in Lam's preferences. Then start Lam again.`,
  },
  {
    name: 'wrong address: 404 with a web page',
    first: ['Preferences'],
    broken: html(404),
    sentence: (at) =>
      `${at} answers, but not as an OpenAI-compatible model server (404). Check the address in Lam's preferences; it often ends in /v1. Then start Lam again.`,
  },
  {
    name: 'a web page with 200',
    first: ['Preferences'],
    broken: html(200),
    sentence: (at) =>
      `${at} answers with a web page, not as a model server. Check the address in Lam's preferences; it often ends in /v1. Then start Lam again.`,
  },
  {
    name: 'no address',
    first: ['Preferences'],
    preferences: { address: ' ' },
    relaunch: true,
    sentence: () =>
      `The OpenAI-compatible server needs a Server Address, such as http://127.0.0.1:1234/v1. Enter it in Lam's preferences. ${RESTART}`,
  },
  {
    name: 'an address that is none',
    first: ['Preferences'],
    preferences: { address: 'my model server' },
    relaunch: true,
    sentence: () =>
      `"my model server" of the model server is not a web address. Correct it in Lam's preferences. Then start Lam again.`,
  },
  {
    name: 'a host that does not exist',
    first: ['Preferences'],
    preferences: { address: `http://${NO_HOST}/v1` },
    relaunch: true,
    sentence: () =>
      `There is no host of the name in http://${NO_HOST}. Check the network connection, and the spelling of the model server's address in Lam's preferences. Then start Lam again.`,
  },
  {
    name: 'a redirect',
    first: ['Preferences'],
    broken: { raw: { status: 301, headers: { location: 'https://models.example/v1' } } },
    sentence: (at) =>
      `The model server at ${at} redirects to https://models.example/v1; Lam does not follow redirects with your key. Set that address in Lam's preferences. Then start Lam again.`,
  },
  {
    name: '401 without a key',
    first: ['Preferences'],
    broken: json(401, error('No key was given.')),
    sentence: (at) =>
      `The model server at ${at} wants an API key (401). Enter it in Lam's preferences. Then start Lam again. It said: “No key was given.”`,
  },
  {
    name: '401 with a key',
    first: ['Preferences'],
    preferences: { apiKey: KEY },
    broken: json(401, error(`Incorrect API key provided: ${KEY}.`)),
    sentence: (at) =>
      `The model server at ${at} refused the API key (401). Check the key in Lam's preferences. Then start Lam again. It said: “Incorrect API key provided: [removed].”`,
  },
  {
    name: '403',
    first: ['Preferences'],
    preferences: { apiKey: KEY },
    step: json(403, error('This project is archived.')),
    sentence: (at) =>
      `The model server at ${at} refused the API key (403). Check the key in Lam's preferences. Then start Lam again. It said: “This project is archived.”`,
  },
  {
    name: '402',
    first: ['Preferences'],
    step: json(402, error('Insufficient credits.', 402)),
    sentence: (at) =>
      `The account behind the API key has no credit left at ${at} (402). Add credit there, or set another model server in Lam's preferences. It said: “Insufficient credits.”`,
  },
  {
    name: '404: the model is not there',
    first: ['Choose Model…'],
    step: json(404, error('No such model.', 'model_not_found')),
    sentence: (at) =>
      `The model server at ${at} does not have the model "test-model". Choose another in Lam's preferences. It said: “No such model.”`,
  },
  {
    name: '404: Ollama does not have the model',
    first: ['Choose Model…'],
    dialect: 'ollama',
    step: json(404, { error: "model 'test-model' not found" }),
    sentence: () =>
      'Ollama does not have the model "test-model". Get it with `ollama pull test-model`, or choose another in Lam\'s preferences.',
  },
  {
    name: '429 with a time to wait',
    step: json(429, error('Slow down.', 'rate_limit_exceeded'), { 'retry-after': '20' }),
    sentence: (at) =>
      `The model server at ${at} takes no more requests for now (429). Ask again in 20 seconds. It said: “Slow down.”`,
  },
  {
    name: '429: quota used up',
    step: json(429, error('You exceeded your quota.', 'insufficient_quota')),
    sentence: (at) =>
      `The quota of the API key is used up at ${at} (429). Raise it there, or set another model server in Lam's preferences. It said: “You exceeded your quota.”`,
  },
  {
    name: '400 for another reason',
    step: json(400, error('Unknown parameter.')),
    sentence: (at) =>
      `The model server at ${at} did not accept the request (400). Try another model, or check the address in Lam's preferences. It said: “Unknown parameter.”`,
  },
  {
    name: '500',
    step: json(500, error('Out of memory.')),
    sentence: (at) =>
      `The model server at ${at} failed (500). Ask again in a while. It said: “Out of memory.”`,
  },
  {
    name: '503: still loading',
    step: json(503, { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } }),
    sentence: (at) =>
      `The model server at ${at} is still loading its model (503). Wait a little and ask again.`,
  },
  {
    name: 'one JSON document without an answer, instead of a stream',
    step: json(200, { status: 'ok' }),
    sentence: (at) =>
      `The model server at ${at} answered with one JSON document that holds no answer. Check the address and the model in Lam's preferences.`,
  },
  {
    name: 'an error in mid-stream',
    step: {
      raw: { body: delta('Half an answer') + sse(error('The GPU fell over.')) },
    },
    kept: 'Half an answer',
    sentence: (at) =>
      `The model server at ${at} reported an error while answering. Ask again. It said: “The GPU fell over.”`,
  },
  {
    name: 'something unreadable in mid-stream',
    step: { raw: { body: `${delta('Half an answer')}data: {"choices":[{\n\n${delta(' more')}` } },
    kept: 'Half an answer',
    sentence: (at) =>
      `The model server at ${at} sent something unreadable in the middle of the answer. Ask again.`,
  },
  {
    name: 'a socket cut in mid-answer',
    step: cutAnswer,
    kept: 'Half an answer',
    sentence: (at) =>
      `The model server at ${at} closed the connection before the answer was complete. Continue goes on from here; Try Again starts over.`,
  },
  {
    name: 'a socket cut before the answer',
    step: { raw: { reset: true } },
    sentence: (at) =>
      `The model server at ${at} closed the connection before the answer was complete. Try again.`,
  },
  {
    name: 'an empty stream',
    step: { raw: { body: '' } },
    sentence: (at) =>
      `The model server at ${at} sent an empty answer. Ask again, or choose another model in Lam's preferences.`,
  },
  {
    name: 'a conversation that is too long',
    first: ['New Conversation'],
    step: json(400, error('9412 tokens are too many.', 'context_length_exceeded')),
    sentence: () =>
      'The conversation is too long for the model "test-model". Start a new conversation, or choose a model with a longer context. It said: “9412 tokens are too many.”',
  },
  {
    name: 'no model to talk to',
    first: ['Preferences'],
    dialect: 'ollama',
    models: [{ id: 'tiny', capabilities: ['embedding'] }],
    relaunch: true,
    sentence: (at) =>
      `Ollama at ${at} has no model to talk to. Get one, for example with \`ollama pull qwen3:4b\`, or set a model in Lam's preferences. Then start Lam again.`,
  },
  {
    name: 'an empty list of models',
    first: ['Preferences'],
    models: [],
    relaunch: true,
    sentence: (at) =>
      `The model server at ${at} lists no model that fits. Set a model in Lam's preferences. Then start Lam again.`,
  },
];

const ANSWER = 'Here is the answer.';

/** A stage with the failure of a row, how to launch the chat on it, and how to put things right. */
async function failing(row: Row): Promise<{
  stage: Stage;
  at: string;
  open: () => Promise<Pane>;
  /** Resolves with the pane to go on in. */
  repair: (pane: Pane) => Promise<Pane>;
}> {
  const routes: Record<string, RawStep> = {};
  if (row.broken) for (const path of [CHAT, '/v1/models']) routes[path] = row.broken;
  const started = await stage({
    dialect: row.dialect,
    routes,
    ...(row.models === undefined ? {} : { models: row.models }),
    steps: () => [...(row.step === undefined ? [] : [row.step]), { text: ANSWER }],
  });
  const { model } = started;
  const door = row.instead === undefined ? undefined : await port();
  if (row.instead === 'another protocol') await door?.greet('SSH-2.0-example\r\n');
  const path = row.dialect === 'ollama' ? '' : '/v1';
  const preferences = {
    ...(door === undefined ? {} : { address: door.origin + path }),
    ...row.preferences,
  };
  return {
    stage: started,
    at: door?.origin ?? model.origin,
    open: () => started.open({ preferences }),
    async repair(pane) {
      for (const name of Object.keys(routes)) Reflect.deleteProperty(routes, name);
      await door?.open(model.port);
      if (!row.relaunch) return pane;
      await pane.unload();
      const next = await started.open({ preferences: { model: 'test-model' } });
      await untilTurn(next, 'failed');
      return next;
    },
  };
}

describe('a model server that fails', () => {
  it.each(rows)('$name', async (row) => {
    const { stage: started, at, open, repair } = await failing(row);
    const sentence = row.sentence(at);
    const pane = await open();
    await ask(pane, 'What is asked?');
    await untilTurn(pane, 'failed');
    const { text } = drawn(pane);
    expect(text.slice(text.lastIndexOf('\n') + 1)).toBe(sentence);
    expect(text).toContain('What is asked?');
    expect(text).toContain(row.kept ?? '');
    expect(questions(pane)).toEqual(['What is asked?']);
    expect(pane.list().items[0]?.accessories).toMatchObject([{ text: 'failed' }, { text: 'now' }]);
    expect(pane.list().isLoading).toBe(false);
    const rest = ['Try Again', row.then ?? (row.kept === undefined ? 'Open Answer' : 'Continue')];
    const offered = pane.actions().map(({ title }) => title);
    expect(offered.slice(0, 2)).toEqual([...(row.first ?? []), ...rest].slice(0, 2));

    const again = await repair(pane);
    expect(drawn(again).text).toContain(sentence);
    await again.action('Try Again');
    await untilTurn(again, 'done');
    expect(questions(again)).toEqual(['What is asked?']);
    expect(shown(again)).toBe(`> What is asked?\n\n${ANSWER}`);
    await again.waitFor(
      () => storedConversation(started.supportPath).turns.at(-1)?.state === 'done',
      {
        label: 'the answer on disk',
      },
    );
    // Half an answer stays as a version of its own.
    const asked = { question: 'What is asked?' };
    expect(storedConversation(started.supportPath).turns).toMatchObject([
      ...(row.kept === undefined ? [] : [{ ...asked, response: row.kept, state: 'failed' }]),
      { ...asked, response: ANSWER },
    ]);
    started.model.assertComplete();
    for (const each of [pane, again]) {
      expect(each.crash).toBeNull();
      expect(each.rejections).toEqual([]);
      expect(each.hazards()).toMatchObject({ fetches: [], crashes: [] });
    }
  });

  it('is told apart: no two failures have one sentence', () => {
    const sentences = rows.map(({ sentence }) => sentence('http://127.0.0.1:1'));
    expect(rows.length).toBeGreaterThanOrEqual(14);
    expect(new Set(sentences).size).toBe(rows.length);
    // Not even apart from the status and the server's own words.
    const shapes = sentences.map((each) =>
      each.replace(/ It said: .*/, '').replace(/\(40[13]\)/, '(4xx)'),
    );
    expect(new Set(shapes).size).toBe(rows.length - 1);
  });

  it('is gone on with in mid-answer, too', async () => {
    const { open, model } = await stage({
      steps: () => [cutAnswer, { text: ' and the rest.' }],
    });
    const pane = await open();
    await ask(pane, 'What is asked?');
    await untilTurn(pane, 'failed');
    expect(drawn(pane).text).toContain('Half an answer');
    await pane.action('Continue');
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe('> What is asked?\n\nHalf an answer and the rest.');
    model.assertComplete();
  });

  it('searches first when the model cannot call tools', async () => {
    const { open, model, site, supportPath } = await stage({
      dialect: 'ollama',
      preferences: { model: 'test-model' },
      steps: () => [
        json(400, { error: 'registry.example/test-model does not support tools' }),
        { text: 'In the fog [1].' },
      ],
    });
    const pane = await open();
    await ask(pane, 'How is tea grown?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('In the fog [1].');
    expect(drawn(pane).links[0]?.href).toMatch(site.origin);
    expect(site.requests[0]).toMatch(/^GET \/search\?q=How/);
    const Tools = z.object({ tools: z.optional(z.array(z.unknown())) });
    expect(model.requests.map(({ body }) => Tools.parse(body).tools?.length ?? 0)).toEqual([2, 0]);
    expect(JSON.stringify(model.requests[0]?.body)).not.toContain(site.origin);
    expect(JSON.stringify(model.requests[1]?.body)).toContain(site.origin);
    await pane.waitFor(() => storedConversation(supportPath).turns[0]?.state === 'done', {
      label: 'the saved answer',
    });
    const [turn] = storedConversation(supportPath).turns;
    expect(turn?.notice).toBeUndefined();
    expect(turn?.toolCalls[0]).toMatchObject({ name: 'web_search', isError: false });
    expect(turn?.toolCalls.slice(1).map(({ name }) => name)).toEqual(['web_fetch', 'web_fetch']);
    model.assertComplete();
  });
});

describe('a launch', () => {
  const CHECK = 'Check Again';
  const PREFERENCES = 'Preferences';
  const launches: [name: string, title: string, first: string][] = [
    ['not running', 'No model server answers', CHECK],
    ['Ollama not running', 'Ollama is not running', CHECK],
    ['no address', 'No server address yet', PREFERENCES],
    ['an address that is none', 'No model server at this address', PREFERENCES],
    ['a host that does not exist', 'No model server at this address', PREFERENCES],
    ['another protocol at the address', 'No model server at this address', PREFERENCES],
    ['wrong address: 404 with a web page', 'No model server at this address', PREFERENCES],
    ['a web page with 200', 'No model server at this address', PREFERENCES],
    ['a redirect', 'The address has moved', PREFERENCES],
    ['401 without a key', 'An API key is needed', PREFERENCES],
    ['401 with a key', 'The API key was refused', PREFERENCES],
    ['no model to talk to', 'Ollama has no model yet', 'Copy Command'],
    ['an empty list of models', 'No model to talk to', PREFERENCES],
  ];

  it.each(launches)('says what is missing and what to do: %s', async (name, title, first) => {
    const row = rows.find((each) => each.name === name);
    if (row === undefined) throw new Error(`There is no row "${name}".`);
    const { at, open } = await failing(row);
    const pane = await open();
    const empty = () => pane.list().emptyView;
    await pane.waitFor(() => empty()?.title === title, { label: 'the failure' });
    const description = empty()?.description ?? '';
    expect(description.startsWith(row.sentence(at))).toBe(true);
    expect(firstAction(pane)).toBe(first);
    const offered = pane.actions().map((action) => action.title);
    expect(offered).toContain(CHECK);
    expect(offered).toContain(PREFERENCES);
    await pane.type('What is asked?');
    expect(empty()?.description).toBe(
      `${description} Your question is kept; Return asks all the same.`,
    );
    expect(firstAction(pane)).toBe('Ask');
    await pane.settled();
    expect(pane.list().searchText).toBe('What is asked?');
    await pane.enter();
    await untilTurn(pane, 'failed');
    expect(questions(pane)).toEqual(['What is asked?']);
    expect(drawn(pane).text).toContain(row.sentence(at));
    expect(pane.rejections).toEqual([]);
    expect(pane.crash).toBeNull();
  });

  it('finds the server once it runs, without another launch', async () => {
    const { open, repair } = await failing({ name: '', instead: 'nothing', sentence: () => '' });
    const pane = await open();
    await pane.waitFor(() => firstAction(pane) === 'Check Again', {
      label: 'the failure',
    });
    await repair(pane);
    await pane.enter();
    await pane.waitFor(
      () =>
        pane.list().emptyView?.description ===
        'Answers carry sources you can check. Model: test-model.',
      { label: 'the model' },
    );
    expect(pane.list().emptyView?.title).toBe('Ask anything');
    await ask(pane, 'What is asked?');
    await untilTurn(pane, 'done');
  });
});

describe('the API key', () => {
  const everything = (pane: Pane, supportPath: string): string =>
    JSON.stringify([
      pane.text(),
      pane.frames,
      pane.toasts,
      pane.alerts,
      pane.clipboard,
      pane.opened,
      pane.hud,
      [...pane.storage],
      pane.output,
      filesIn(supportPath),
    ]);
  /** Recognisable parts count: servers repeat keys shortened. */
  const PARTS = [KEY, KEY.slice(0, 14), KEY.slice(-8)];

  const leaks: [name: string, step: RawStep][] = [
    ['an answer with 401', json(401, error(`Incorrect API key provided: ${KEY}.`))],
    ['a shortened key', json(403, error(`Bad key ${KEY.slice(0, 14)}… (ends ${KEY.slice(-8)})`))],
    ['an answer with 500', json(500, { detail: { headers: { authorization: `Bearer ${KEY}` } } })],
    ['a web page', { raw: { status: 502, body: `<h1>Bearer ${KEY}</h1>` } }],
    ['a redirect', { raw: { status: 302, headers: { location: `https://x.example/?k=${KEY}` } } }],
    ['a stream', { raw: { body: delta('Half') + sse(error(`Key ${KEY} was revoked.`)) } }],
  ];

  it.each(leaks)(
    'is nowhere but in the request, also when it comes back in %s',
    async (_, step) => {
      const { open, model, supportPath } = await stage({
        preferences: { apiKey: KEY },
        steps: () => [step, { text: words('All is well.') }],
      });
      const pane = await open();
      await ask(pane, 'What is asked?');
      await untilTurn(pane, 'failed');
      expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      await pane.action('Copy Conversation as Markdown');
      await pane.waitFor(() => pane.clipboard !== null, { label: 'the copy' });
      await pane.waitFor(() => storedConversation(supportPath).turns[0]?.state === 'failed', {
        label: 'the failure on disk',
      });
      await pane.action('Show Whole Conversation');
      await pane.waitFor(() => pane.depth === 2, { label: 'the whole conversation' });
      const failed = everything(pane, supportPath);
      await pane.back();
      await pane.action('Try Again');
      await untilTurn(pane, 'done');
      await pane.unload();
      const seen = failed + everything(pane, supportPath);
      expect(PARTS.filter((part) => seen.includes(part))).toEqual([]);
    },
  );

  it('is nowhere at launch, when the list of models is refused', async () => {
    const refusal = json(401, error(`Incorrect API key provided: ${KEY}.`));
    const { open, supportPath } = await stage({
      preferences: { apiKey: KEY },
      routes: { '/v1/models': refusal },
    });
    const pane = await open();
    await pane.waitFor(() => pane.list().emptyView?.title === 'The API key was refused', {
      label: 'the failure',
    });
    const seen = everything(pane, supportPath);
    expect(PARTS.filter((part) => seen.includes(part))).toEqual([]);
  });

  it('is said to be unusable when it is no key at all', async () => {
    const { open, supportPath } = await stage({ preferences: { apiKey: 'sk-ключ-не-ключ' } });
    const pane = await open();
    await ask(pane, 'What is asked?');
    await untilTurn(pane, 'failed');
    expect(drawn(pane).text).toContain(
      "The API key contains characters that no key has. Copy it again and enter it in Lam's preferences. Then start Lam again.",
    );
    expect(everything(pane, supportPath)).not.toContain('ключ');
  });
});

describe('a server that is silent', () => {
  // How long it may be silent is a matter of minutes, so the limit itself is tested with a clock of its own elsewhere.
  it('can be stopped at any time, and the question is kept', async () => {
    const gate = createGate();
    const { open, model } = await stage({
      steps: () => [{ holdBefore: gate, text: 'Late.' }, { text: ANSWER }],
    });
    const pane = await open();
    await ask(pane, 'What is asked?');
    await gate.reached;
    expect(pane.list().isLoading).toBe(true);
    await pane.action('Stop');
    await untilTurn(pane, 'stopped');
    await model.requests[0]?.closed;
    expect(model.requests[0]?.abandoned).toBe(true);
    expect(questions(pane)).toEqual(['What is asked?']);
    await pane.action('Try Again');
    await untilTurn(pane, 'done');
    expect(shown(pane)).toBe(`> What is asked?\n\n${ANSWER}`);
    gate.open();
  });
});
