import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import { makeConversation, makeTurn } from './support/builders';
import {
  ask,
  chosenModel,
  askAll,
  copied,
  drawn,
  firstAction,
  questions,
  shown,
  untilTurn,
} from './support/chat-pane';
import { createGate, words } from './support/model-server';
import { pdfFile } from './support/pdf-files';
import { checkShortcuts, type Pane } from './support/pane';
import { stages } from './support/stages';
import { putConversation, storedConversation, untilTurnsStored } from './support/store-files';

const stage = stages();

const Request = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.optional(z.array(z.unknown())),
});
type Asked = { requests: readonly { body: unknown }[] };
const requestsOf = (model: Asked) => model.requests.map(({ body }) => Request.parse(body));
const lastQuestion = (model: Asked) =>
  requestsOf(model)
    .at(-1)
    ?.messages.findLast(({ role }) => role === 'user')?.content;

const MODELS = [
  { id: 'small-model', capabilities: ['completion', 'tools'] },
  { id: 'large-model', capabilities: ['completion', 'tools', 'vision'] },
  { id: 'plain-model', capabilities: ['completion'] },
];

const untilDone = (pane: Pane, supportPath: string): Promise<unknown> =>
  pane.waitFor(() => storedConversation(supportPath).turns.every(({ state }) => state === 'done'), {
    label: 'the end of the exchange on disk',
  });
const untilDepth = (pane: Pane, depth: number): Promise<unknown> =>
  pane.waitFor(() => pane.depth === depth, { label: `${depth} views` });

/** Nothing of this may ever be there. */
function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('the model', () => {
  it('is seen beside the search bar, chosen there, and remembered', async () => {
    const { open, model } = await stage({
      dialect: 'ollama',
      models: MODELS,
      steps: () => [{ text: 'Small.' }, { text: 'Large.' }, { text: 'Large again.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the dropdown' });
    const dropdown = pane.dropdown();
    expect(dropdown).toMatchObject({ value: 'small-model' });
    expect(dropdown.options.map(({ title, section }) => `${section ?? ''}: ${title}`)).toEqual([
      'Ollama: small-model',
      'Ollama: large-model',
      'Ollama: plain-model (no tools)',
    ]);
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    await pane.choose('large-model');
    await ask(pane, 'Second?');
    await untilTurn(pane, 'done', 2);
    await pane.unload();
    const next = await open();
    await next.waitFor(() => chosenModel(next) === 'large-model', { label: 'the choice' });
    await ask(next, 'Third?');
    await untilTurn(next, 'done', 3);
    expect(requestsOf(model).map((request) => request.model)).toEqual([
      'small-model',
      'large-model',
      'large-model',
    ]);
    expectSound(next);
  });

  it('is chosen from the whole list, with what each can do', async () => {
    const { open } = await stage({ dialect: 'ollama', models: MODELS });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the dropdown' });
    await pane.shortcut('ctrl+shift+m');
    await untilDepth(pane, 2);
    expect(pane.list().items.map(({ title }) => title)).toEqual([
      'small-model',
      'large-model',
      'plain-model (no tools)',
    ]);
    await pane.select('large-model');
    await pane.action('Use This Model');
    await untilDepth(pane, 1);
    await pane.waitFor(() => chosenModel(pane) === 'large-model', { label: 'the choice' });
    expectSound(pane);
  });
});

describe('another answer', () => {
  it('Regenerate keeps the old one, to be paged back to', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    await pane.shortcut('ctrl+r');
    await pane.waitFor(() => drawn(pane).text.includes('Two.'), { label: 'the new answer' });
    await untilTurn(pane, 'done');
    expect(pane.list().items[0]?.accessories).toMatchObject([{ text: '2/2' }, { text: 'now' }]);
    await pane.shortcut('ctrl+[');
    await pane.waitFor(() => drawn(pane).text.includes('One.'), { label: 'the old answer' });
    expect(questions(pane)).toEqual(['Why?']);
    await pane.action('Show Later Version');
    await pane.waitFor(() => drawn(pane).text.includes('Two.'), { label: 'the new answer' });
    await untilTurnsStored(supportPath, [
      { response: 'One.', state: 'done' },
      { response: 'Two.', state: 'done' },
    ]);
    expectSound(pane);
  });

  it('Regenerate with Another Model asks that one', async () => {
    const { open, model } = await stage({
      dialect: 'ollama',
      models: MODELS,
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    await pane.action('Regenerate with Another Model…');
    await untilDepth(pane, 2);
    await pane.select('large-model');
    await pane.action('Regenerate with This Model');
    await untilDepth(pane, 1);
    await pane.waitFor(() => drawn(pane).text.includes('Two.'), { label: 'the new answer' });
    expect(requestsOf(model).map((request) => request.model)).toEqual([
      'small-model',
      'large-model',
    ]);
  });

  it('Edit Question opens the form with it, and asks the new one in its place', async () => {
    const { open, model } = await stage({
      steps: () => [{ text: 'One.' }, { text: 'Two.' }, { text: 'Better.' }],
    });
    const pane = await open();
    await askAll(pane, ['First?', 'Second?']);
    await pane.select(1);
    await pane.shortcut('ctrl+e');
    await untilDepth(pane, 2);
    expect(pane.form().navigationTitle).toBe('Edit Question');
    expect(pane.form().fields[0]).toMatchObject({ id: 'question', value: 'First?' });
    await pane.fill('question', 'First,\nreally?');
    await pane.shortcut('ctrl+return');
    await untilDepth(pane, 1);
    await pane.waitFor(() => drawn(pane).text.includes('Better.'), { label: 'the new answer' });
    expect(questions(pane)).toEqual(['First, really?']);
    expect(lastQuestion(model)).toBe('First,\nreally?');
    await pane.shortcut('ctrl+[');
    await pane.waitFor(() => questions(pane).length === 2, { label: 'the old variant' });
    expect(questions(pane)).toEqual(['Second?', 'First?']);
    expectSound(pane);
  });

  it('an edit that was left is there again', async () => {
    const { open } = await stage({ steps: () => [{ text: 'One.' }] });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    await pane.action('Edit Question…');
    await untilDepth(pane, 2);
    await pane.fill('question', 'Why not');
    await pane.back();
    await untilDepth(pane, 1);
    await pane.action('Edit Question…');
    await untilDepth(pane, 2);
    expect(pane.form().fields[0]).toMatchObject({ value: 'Why not' });
  });
});

describe('an answer that reached its length', () => {
  it('is continued where it stopped', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'First half,', finishReason: 'length' }, { text: ' second half.' }],
    });
    const pane = await open();
    await ask(pane, 'Long?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('Continue (Ctrl+Shift+Return) goes on from here.');
    await pane.shortcut('ctrl+shift+return');
    await pane.waitFor(() => drawn(pane).text.includes('second half.'), { label: 'the rest' });
    await untilTurn(pane, 'done');
    await untilTurnsStored(supportPath, [{ response: 'First half, second half.', state: 'done' }]);
    expect(drawn(pane).text).not.toContain('Continue');
  });
});

describe('Delete Exchange', () => {
  it('asks, and removes this one', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open();
    await askAll(pane, ['First?', 'Second?']);
    await pane.select(1);
    const deleting = pane.shortcut('ctrl+x');
    await pane.answerAlert(true);
    await deleting;
    await pane.waitFor(() => questions(pane).length === 1, { label: 'one exchange' });
    expect(questions(pane)).toEqual(['Second?']);
    expect(pane.alerts).toMatchObject([{ title: 'Delete this exchange?' }]);
    await pane.waitFor(() => storedConversation(supportPath).turns.length === 1, {
      label: 'the disk',
    });
  });

  it('keeps it when the person thinks better of it', async () => {
    const { open } = await stage({ steps: () => [{ text: 'One.' }] });
    const pane = await open({ alertAnswer: false });
    await ask(pane, 'First?');
    await untilTurn(pane, 'done');
    await pane.action('Delete Exchange…');
    await pane.settled();
    expect(questions(pane)).toEqual(['First?']);
  });
});

describe('taking along', () => {
  const search = [
    { calls: [{ name: 'web_search', arguments: { query: 'tea growing' } }] },
    { text: 'Tea likes fog [1].' },
  ];

  it('a source: opened, its link, as Markdown, and the whole list', async () => {
    const { open, site } = await stage({ steps: () => search });
    const pane = await open();
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    const address = /\]\((http[^)]*)\)/u.exec(shown(pane))?.[1] ?? '';
    expect(address.startsWith(site.origin)).toBe(true);
    expect((await copied(pane, 'Copy Link of [1]')).text).toBe(address);
    const markdown = await copied(pane, 'Copy [1] as Markdown');
    expect(markdown.text).toMatch(new RegExp(`^\\[.+\\]\\(${address.replaceAll('.', '\\.')}\\)$`));
    expect(markdown.said).toEqual(['Source copied', 'as Markdown']);
    expect((await copied(pane, 'Copy Source List')).text).toBe(`- [1] ${markdown.text}`);
    const entry = pane
      .actions()
      .find(({ submenu, title }) => submenu === 'Open Source' && title.startsWith('[1]'));
    await pane.action(`Open Source/${entry?.title ?? ''}`);
    expect(pane.opened).toEqual([address]);
    expectSound(pane);
  });

  it('a link that opens this conversation', async () => {
    const { open, supportPath } = await stage({ steps: () => [{ text: 'One.' }] });
    const pane = await open();
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    const { text } = await copied(pane, 'Copy Link to Conversation');
    const link = new URL(text);
    expect(text).toMatch(/^vicinae:\/\/launch\/@[^/]+\/[^/]+\/chat\?arguments=/u);
    await pane.unload();
    putConversation(supportPath, makeConversation({ id: 'newer' }), Date.now() + 1_000);
    const launchArguments = z
      .record(z.string(), z.string())
      .parse(JSON.parse(link.searchParams.get('arguments') ?? ''));
    const next = await open({ arguments: launchArguments });
    await next.waitFor(() => questions(next)[0] === 'Why?', { label: 'the conversation' });
    expect(next.list().searchText).toBe('');
  });

  it('a link to a conversation that is gone says so', async () => {
    const { open } = await stage();
    const pane = await open({ arguments: { conversation: 'gone' } });
    await pane.waitFor(() => pane.toasts.length > 0, { label: 'what is said' });
    expect(pane.toasts[0]).toMatchObject({
      title: 'Could not open',
      message: 'This conversation is no longer there: it was deleted.',
    });
    expect(firstAction(pane)).toBe('Ask');
  });

  it.each<[string, string | undefined, string]>([
    ['the selected part', 'likes fog', '> likes fog\n\n'],
    ['all of it', undefined, '> Tea **likes** fog.\n>\n> Always.\n\n'],
    [
      'all of it, when something else is selected',
      'coffee',
      '> Tea **likes** fog.\n>\n> Always.\n\n',
    ],
  ])('an answer as a quote in a new question: %s', async (_name, textToSelect, quote) => {
    const { open } = await stage({ steps: () => [{ text: 'Tea **likes** fog.\n\nAlways.' }] });
    const pane = await open({ textToSelect });
    await ask(pane, 'Where?');
    await untilTurn(pane, 'done');
    await pane.shortcut('ctrl+shift+q');
    await untilDepth(pane, 2);
    expect(pane.form().fields[0]).toMatchObject({ id: 'question', value: quote });
  });
});

describe('Ask with Attachments', () => {
  it('takes what was typed, and gives it back when it is left', async () => {
    const { open } = await stage();
    const pane = await open();
    await pane.type('What is this?');
    expect(
      pane
        .actions()
        .slice(0, 2)
        .map(({ title }) => title),
    ).toEqual(['Ask', 'Ask with Attachments…']);
    await pane.shortcut('ctrl+return');
    await untilDepth(pane, 2);
    expect(pane.form().fields[0]).toMatchObject({ value: 'What is this?' });
    await pane.back();
    await untilDepth(pane, 1);
    await pane.waitFor(() => pane.list().searchText === 'What is this?', { label: 'the text' });
  });

  it('keeps a draft of several lines over a restart', async () => {
    const { open } = await stage();
    const pane = await open();
    await pane.action('Ask with Attachments…');
    await untilDepth(pane, 2);
    await pane.fill('question', 'One\nTwo');
    await pane.unload();
    const next = await open();
    await next.type('Three');
    await next.action('Ask with Attachments…');
    await untilDepth(next, 2);
    expect(next.form().fields[0]).toMatchObject({ value: 'One\nTwo\n\nThree' });
  });

  it('reads text and PDF files into numbered sources', async () => {
    const { open, model, supportPath } = await stage({
      steps: () => [{ text: 'It says tea [1], and fog [2].' }, { text: 'Still tea [1].' }],
    });
    const folder = join(supportPath, 'mine');
    mkdirSync(folder);
    const notes = join(folder, 'my notes.txt');
    const paper = join(folder, 'paper.pdf');
    writeFileSync(notes, 'Tea grows in Wuyi.');
    writeFileSync(paper, pdfFile({ pages: [{ lines: ['Fog helps.'] }] }));
    const pane = await open();
    await pane.action('Ask with Attachments…');
    await untilDepth(pane, 2);
    await pane.fill('question', 'What does it\nsay?');
    await pane.fill('files', [notes, paper]);
    await pane.waitFor(() => pane.text().includes('paper.pdf: PDF'), { label: 'the files' });
    await pane.fill('web', false);
    await pane.shortcut('ctrl+return');
    await untilDepth(pane, 1);
    await untilTurn(pane, 'done');
    const said = String(lastQuestion(model));
    expect(said).toContain('Tea grows in Wuyi.');
    expect(said).toContain('Fog helps.');
    expect(said.endsWith('What does it\nsay?')).toBe(true);
    expect(requestsOf(model)[0]?.tools ?? []).toEqual([]);
    expect(shown(pane)).toContain(`[\\[1\\]](<${notes}>)`);
    expect(shown(pane)).toContain(`[\\[2\\]](${paper})`);
    expect(drawn(pane).text).toContain('Attached: my notes.txt, paper.pdf');
    await untilDone(pane, supportPath);
    await ask(pane, 'And?');
    await untilTurn(pane, 'done', 2);
    expect(JSON.stringify(requestsOf(model)[1]?.messages)).toContain('Tea grows in Wuyi.');
    expectSound(pane);
  });

  it('sends images to a model that sees them, and says so before to one that does not', async () => {
    const { open, model, supportPath } = await stage({
      dialect: 'ollama',
      models: MODELS,
      steps: () => [{ text: 'A dot.' }],
    });
    const picture = join(supportPath, 'dot.png');
    writeFileSync(picture, Buffer.from(DOT, 'base64'));
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the models' });
    await pane.action('Ask with Attachments…');
    await untilDepth(pane, 2);
    await pane.fill('question', 'What is it?');
    await pane.fill('files', [picture]);
    await pane.waitFor(() => pane.text().includes('small-model cannot see images.'), {
      label: 'the warning',
    });
    await pane.fill('model', 'large-model');
    await pane.waitFor(() => !pane.text().includes('cannot see images'), { label: 'no warning' });
    await pane.shortcut('ctrl+return');
    await untilDepth(pane, 1);
    await untilTurn(pane, 'done');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(DOT);
    expectSound(pane);
  });

  it.each<[string, (folder: string) => string, RegExp]>([
    [
      'a program',
      (folder) => put(folder, 'tool', '\u007fELF\u0002\u0001\u0001\u0000\u0000'),
      /tool/,
    ],
    ['nothing', (folder) => join(folder, 'gone.txt'), /gone\.txt/],
    ['a folder', (folder) => folder, /folder/i],
  ])('says what is wrong before anything is sent: %s', async (_name, make, message) => {
    const { open, model, supportPath } = await stage();
    const pane = await open();
    await pane.action('Ask with Attachments…');
    await untilDepth(pane, 2);
    await pane.fill('question', 'What is it?');
    await pane.fill('files', [make(supportPath)]);
    await pane.waitFor(() => pane.form().fields.some(({ error }) => error !== undefined), {
      label: 'the problem',
    });
    await expect(pane.submit()).rejects.toThrow(message);
    expect(pane.depth).toBe(2);
    expect(model.requests).toEqual([]);
  });
});

describe('the launch', () => {
  it.each([
    ['30', 20, true],
    ['30', 40, false],
    ['240', 40, true],
    ['always', 60 * 24 * 30, true],
    ['never', 1, false],
  ])(
    'continues the last conversation: set to %s, %d minutes old: %s',
    async (continueWithin, minutes, goesOn) => {
      const { open, supportPath } = await stage();
      const updatedAt = Date.now() - minutes * 60_000;
      const turns = [makeTurn({ question: 'Old?' })];
      putConversation(supportPath, makeConversation({ turns }), updatedAt);
      const pane = await open({ preferences: { continueWithin } });
      await pane.waitFor(() => !pane.list().isLoading, { label: 'the chat' });
      expect(questions(pane)).toEqual(goesOn ? ['Old?'] : []);
    },
  );

  it('begins with the selected text as a quote, if that is wanted', async () => {
    const { open } = await stage({ preferences: { quoteSelection: true } });
    const pane = await open({ textToSelect: 'Tea likes fog.' });
    await untilDepth(pane, 2);
    expect(pane.form().fields[0]).toMatchObject({ value: '> Tea likes fog.\n\n' });
  });

  it('asks about the selected text when asked to, and says when there is none', async () => {
    const { open } = await stage();
    const pane = await open();
    await pane.action('Ask About Selected Text…');
    await pane.waitFor(() => pane.toast?.title === 'No text is selected', { label: 'a word' });
    expect(pane.depth).toBe(1);
  });
});

describe('while an answer is being written', () => {
  it('says what is read, and after a while for how long', async () => {
    const gate = createGate();
    const { open } = await stage({ steps: () => [{ text: [...words('So'), gate, ' so.'] }] });
    const pane = await open();
    await ask(pane, 'Why?');
    await pane.waitFor(() => /^Writing… [5-9] s$/u.test(pane.list().navigationTitle ?? ''), {
      label: 'the time it takes',
      timeoutMs: 20_000,
    });
    gate.open();
    await untilTurn(pane, 'done');
  });
});

/** A PNG image of one pixel. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function put(folder: string, name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, 'latin1');
  return path;
}
