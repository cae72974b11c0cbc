import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  ask,
  chosenModel,
  copied,
  drawn,
  firstAction,
  questions,
  shown,
  untilTurn,
} from './support/chat-pane';
import { createGate } from './support/model-server';
import { docxFile, wordParagraph } from './support/office-files';
import { checkShortcuts, type Pane } from './support/pane';
import { stages } from './support/stages';
import { storedConversation } from './support/store-files';

const stage = stages();

const Request = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.optional(z.array(z.unknown())),
});
type Asked = { requests: readonly { body: unknown }[] };
const requestsOf = (model: Asked) => model.requests.map(({ body }) => Request.parse(body));
/** What the model read in place of the newest question. */
const lastQuestion = (model: Asked): unknown =>
  requestsOf(model)
    .at(-1)
    ?.messages.findLast(({ role }) => role === 'user')?.content;
const offersTools = (model: Asked): boolean[] =>
  requestsOf(model).map(({ tools = [] }) => tools.length > 0);

const MODELS = [
  { id: 'small-model', capabilities: ['completion', 'tools'] },
  { id: 'large-model', capabilities: ['completion', 'tools', 'vision'] },
];

/** A PNG image of one pixel. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG = Buffer.from(DOT, 'base64');
const MB = 1024 * 1024;

/** Puts a file into a folder of the person's own; `bytes` makes it as long as that. */
function put(supportPath: string, name: string, content: string | Buffer, bytes?: number): string {
  const folder = join(supportPath, 'mine');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, content);
  if (bytes !== undefined) truncateSync(path, bytes);
  return path;
}

const untilDepth = (pane: Pane, depth: number): Promise<unknown> =>
  pane.waitFor(() => pane.depth === depth, { label: `${depth} views` });
const untilStored = (pane: Pane, supportPath: string, count = 1): Promise<unknown> =>
  pane.waitFor(
    () => {
      const { turns } = storedConversation(supportPath);
      return turns.length === count && turns.every(({ state }) => state === 'done');
    },
    { label: 'the end of the exchange on disk' },
  );

async function openForm(pane: Pane): Promise<void> {
  await pane.shortcut('ctrl+shift+e');
  await untilDepth(pane, 2);
}
async function openEdit(pane: Pane): Promise<void> {
  await pane.shortcut('ctrl+e');
  await untilDepth(pane, 2);
  expect(pane.form().navigationTitle).toBe('Edit Question');
}

/** Presses Ask; the form leaves the screen. */
async function submitted(pane: Pane): Promise<void> {
  await pane.shortcut('ctrl+return');
  await untilDepth(pane, 1);
}

const valueOf = (pane: Pane, field: string): unknown =>
  pane.form().fields.find(({ id }) => id === field)?.value;
const problemOf = (pane: Pane): string | undefined =>
  pane.form().fields.find(({ id }) => id === 'files')?.error;
/** Waits until a line about the file says what it is, and how large. */
const untilKnown = (pane: Pane, line: string): Promise<unknown> =>
  pane.waitFor(() => pane.form().descriptions.some(({ text }) => text.startsWith(line)), {
    label: line,
  });

/** Nothing of this may ever be there. */
function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('what is too much is said before anything is sent', () => {
  it.each<[string, (supportPath: string) => string[], string]>([
    [
      'a long text',
      (here) => [put(here, 'log.txt', 'tea and fog\n'.repeat(180_000))],
      'log.txt is larger than 2 MB, the most that Lam reads of a text file; attach a part of it.',
    ],
    [
      'a large PDF file',
      (here) => [put(here, 'book.pdf', '%PDF-1.7\n', 16 * MB + 1)],
      'book.pdf is larger than 16 MB, the most that Lam reads of a PDF file; attach a part of it.',
    ],
    [
      'a large image',
      (here) => [put(here, 'poster.png', PNG, 3.75 * MB + 1)],
      'poster.png is larger than 3.75 MB, the most that model servers take of an image; attach a smaller copy.',
    ],
    [
      'five images that are too much together',
      (here) => [1, 2, 3, 4, 5].map((n) => put(here, `${n}.png`, PNG, 3.5 * MB)),
      'The 5 images are 18 MB together, and a question takes 15 MB; attach fewer or smaller ones.',
    ],
    [
      'nine files',
      (here) => Array.from({ length: 9 }, (_, n) => put(here, `${n}.txt`, `Note ${n}`)),
      'At most 8 files go with a question.',
    ],
  ])('%s', async (_name, make, problem) => {
    const { open, model, supportPath } = await stage();
    const pane = await open();
    await openForm(pane);
    await pane.fill('question', 'What is it?');
    await pane.fill('files', make(supportPath));
    await pane.waitFor(() => problemOf(pane), { label: 'the problem' });
    expect(problemOf(pane)).toBe(problem);
    await expect(pane.submit()).rejects.toThrow(problem);
    expect(pane.depth).toBe(2);
    expect(valueOf(pane, 'question')).toBe('What is it?');
    expect(model.requests).toEqual([]);
    expectSound(pane);
  });

  it('what is just small enough goes: eight files, of them one of 2 MB', async () => {
    const { open, model, supportPath } = await stage({ steps: () => [{ text: 'Eight.' }] });
    const line = 'tea and fog, fog\n'.slice(0, 16);
    const files = [
      put(supportPath, 'whole.txt', `${line.repeat(2 * (MB / 16)).slice(0, -1)}\n`),
      ...Array.from({ length: 7 }, (_, n) => put(supportPath, `${n}.txt`, `Note ${n}`)),
    ];
    const pane = await open();
    await openForm(pane);
    await pane.fill('question', 'How many?');
    await pane.fill('files', files);
    await untilKnown(pane, 'whole.txt: text, 2.1 MB');
    await untilKnown(pane, '6.txt: text, 6 bytes');
    expect(problemOf(pane)).toBeUndefined();
    await submitted(pane);
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('Attached: whole.txt, 0.txt, 1.txt');
    for (const n of [0, 6]) expect(String(lastQuestion(model))).toContain(`Note ${n}`);
    expectSound(pane);
  });
});

describe('what is in the form', () => {
  it('is asked in its lines, exactly as they were written', async () => {
    const { open, model, supportPath } = await stage({ steps: () => [{ text: 'Yes.' }] });
    const pane = await open();
    await openForm(pane);
    const written = 'First:\n\n    if (a <= b) {\n\treturn "x";  \n    }\n\n…und zweitens?\n';
    await pane.fill('question', written);
    await submitted(pane);
    await untilTurn(pane, 'done');
    expect(lastQuestion(model)).toBe(written.trim());
    await untilStored(pane, supportPath);
    expect(storedConversation(supportPath).turns[0]?.question).toBe(written.trim());
    await openForm(pane);
    expect(valueOf(pane, 'question')).toBe('');
    expectSound(pane);
  });

  it('takes a Word file, of which the model reads the text', async () => {
    const { open, model, supportPath } = await stage({ steps: () => [{ text: 'Roasted [1].' }] });
    const pane = await open();
    await openForm(pane);
    await pane.fill('question', 'How is it made?');
    const path = join(supportPath, 'report.docx');
    writeFileSync(path, docxFile({ body: wordParagraph('Wuyi is roasted over charcoal.') }));
    await pane.fill('files', [path]);
    await untilKnown(pane, 'report.docx');
    expect(problemOf(pane)).toBeUndefined();
    await submitted(pane);
    await untilTurn(pane, 'done');
    expect(lastQuestion(model)).toContain('[1] report.docx');
    expect(lastQuestion(model)).toContain('Wuyi is roasted over charcoal.');
    await untilStored(pane, supportPath);
    expectSound(pane);
  });

  it('is there again after a restart: text, files, model, and that the web is off', async () => {
    const { open, model, supportPath } = await stage({
      dialect: 'ollama',
      models: MODELS,
      steps: () => [{ text: 'Notes.' }, { text: 'As ever.' }],
    });
    const notes = put(supportPath, 'notes.txt', 'Tea grows in Wuyi.');
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the models' });
    await openForm(pane);
    await pane.fill('question', 'What is it?');
    await pane.fill('files', [notes]);
    await pane.fill('model', 'large-model');
    await pane.fill('web', false);
    await pane.unload();

    const next = await open();
    await next.waitFor(() => chosenModel(next), { label: 'the models' });
    expect(next.list().searchText).toBe('');
    await openForm(next);
    expect(next.form().fields.map(({ id, value }) => [id, value])).toEqual([
      ['question', 'What is it?'],
      ['files', [notes]],
      ['model', 'large-model'],
      ['web', false],
    ]);
    await untilKnown(next, 'notes.txt: text, 18 bytes');
    await submitted(next);
    await untilTurn(next, 'done');
    expect(String(lastQuestion(model))).toContain('Tea grows in Wuyi.');
    // Model and web were for this question alone.
    expect(chosenModel(next)).toBe('small-model');
    await ask(next, 'And?');
    await untilTurn(next, 'done', 2);
    expect(requestsOf(model).map((request) => request.model)).toEqual([
      'large-model',
      'small-model',
    ]);
    expect(offersTools(model)).toEqual([false, true]);
    await openForm(next);
    expect(next.form().fields.map(({ value }) => value)).toEqual(['', [], '', true]);
    expectSound(next);
  });

  it('loses its files with Remove All Files, and nothing of them is sent', async () => {
    const { open, model, supportPath } = await stage({ steps: () => [{ text: 'None.' }] });
    const pane = await open();
    await openForm(pane);
    await pane.fill('question', 'What is it?');
    expect(pane.actions().map(({ title }) => title)).toEqual(['Ask', 'Clear Form']);
    await pane.fill('files', [
      put(supportPath, 'a.txt', 'Secret A'),
      join(supportPath, 'mine', 'gone.txt'),
    ]);
    await pane.waitFor(() => problemOf(pane) === 'gone.txt is not there any more.', {
      label: 'the problem',
    });
    await pane.action('Remove All Files');
    await pane.waitFor(() => problemOf(pane) === undefined, { label: 'no problem' });
    expect(valueOf(pane, 'files')).toEqual([]);
    expect(pane.form().descriptions).toEqual([]);
    await submitted(pane);
    await untilTurn(pane, 'done');
    expect(lastQuestion(model)).toBe('What is it?');
    expect(JSON.stringify(model.requests[0]?.body)).not.toContain('Secret A');
    expect(shown(pane)).toBe('> What is it?\n\nNone.');
    expectSound(pane);
  });

  it('stays there when it is empty, or while an answer is being written', async () => {
    const gate = createGate();
    const { open, model, supportPath } = await stage({
      steps: () => [{ text: ['Held', gate, ' and done.'] }, { text: 'The second.' }],
    });
    const notes = put(supportPath, 'notes.txt', 'Tea grows in Wuyi.');
    const pane = await open();
    await openForm(pane);
    await pane.shortcut('ctrl+return');
    await pane.waitFor(() => pane.toast?.title === 'Type a question first', { label: 'a word' });
    expect(pane.depth).toBe(2);
    await pane.back();
    await untilDepth(pane, 1);
    await ask(pane, 'One?');
    await pane.waitFor(() => shown(pane).includes('Held'), { label: 'the first word' });

    await openForm(pane);
    await pane.fill('question', 'Two,\nor three?');
    await pane.fill('files', [notes]);
    await untilKnown(pane, 'notes.txt: text');
    await pane.shortcut('ctrl+return');
    await pane.waitFor(() => pane.toast?.title === 'Still answering', { label: 'the refusal' });
    expect(pane.toast?.message).toBe('Press Return again when it is done; Ctrl+. stops it');
    expect(pane.depth).toBe(2);
    expect(valueOf(pane, 'question')).toBe('Two,\nor three?');
    expect(valueOf(pane, 'files')).toEqual([notes]);
    expect(model.requests).toHaveLength(1);

    gate.open();
    await untilStored(pane, supportPath);
    await submitted(pane);
    await untilTurn(pane, 'done', 2);
    expect(questions(pane)).toEqual(['Two, or three?', 'One?']);
    expect(String(lastQuestion(model))).toContain('Tea grows in Wuyi.');
    model.assertComplete();
    expectSound(pane);
  });
});

describe('the web', () => {
  it.each([
    ['on', true, [false, true]],
    ['off', false, [true, false]],
  ])('is switched for a single question; set to %s', async (_name, webTools, offered) => {
    const { open, model } = await stage({
      preferences: { webTools },
      steps: () => [{ text: 'One.' }, { text: 'Two.' }],
    });
    const pane = await open();
    await openForm(pane);
    expect(valueOf(pane, 'web')).toBe(webTools);
    await pane.fill('question', 'First,\nplease?');
    await pane.fill('web', !webTools);
    await submitted(pane);
    await untilTurn(pane, 'done');
    await ask(pane, 'Second?');
    await untilTurn(pane, 'done', 2);
    expect(offersTools(model)).toEqual(offered);
    // Asked again, the first question is asked as it was.
    await pane.select(1);
    await openEdit(pane);
    expect(valueOf(pane, 'web')).toBe(!webTools);
    expectSound(pane);
  });
});

describe('a question with files', () => {
  it.each<[string, (path: string) => void]>([
    [
      'changed',
      (path) => {
        writeFileSync(path, 'Coffee grows in Yirgacheffe.');
      },
    ],
    [
      'deleted',
      (path) => {
        rmSync(path);
      },
    ],
  ])('is edited without reading them again: the file was %s', async (_name, change) => {
    const { open, model, supportPath } = await stage({
      steps: () => [{ text: 'Tea [1].' }, { text: 'Still tea [1].' }],
    });
    const notes = put(supportPath, 'notes.txt', 'Tea grows in Wuyi.');
    const pane = await open();
    await openForm(pane);
    await pane.fill('question', 'What does it say?');
    await pane.fill('files', [notes]);
    await untilKnown(pane, 'notes.txt: text');
    await submitted(pane);
    await untilTurn(pane, 'done');
    await untilStored(pane, supportPath);
    change(notes);

    await openEdit(pane);
    expect(valueOf(pane, 'files')).toEqual([notes]);
    await pane.fill('question', 'What does it really say?');
    await pane.settled();
    expect(problemOf(pane)).toBeUndefined();
    await submitted(pane);
    await pane.waitFor(() => drawn(pane).text.includes('Still tea'), { label: 'the new answer' });
    await untilTurn(pane, 'done');
    expect(questions(pane)).toEqual(['What does it really say?']);
    const read = String(lastQuestion(model));
    expect(read).toContain('Tea grows in Wuyi.');
    expect(read).not.toContain('Coffee');
    expect(read.endsWith('What does it really say?')).toBe(true);
    expect(shown(pane)).toContain(`[\\[1\\]](${notes})`);
    expectSound(pane);
  });

  it('is edited with one file more, which alone is read, and with one less', async () => {
    const { open, model, supportPath } = await stage({
      steps: () => [{ text: 'Tea [1].' }, { text: 'Tea [1], fog [2].' }, { text: 'Fog [2].' }],
    });
    const notes = put(supportPath, 'notes.txt', 'Tea grows in Wuyi.');
    const more = put(supportPath, 'more.txt', 'Fog helps.');
    const pane = await open();
    await openForm(pane);
    await pane.fill('question', 'What does it say?');
    await pane.fill('files', [notes]);
    await untilKnown(pane, 'notes.txt: text');
    await submitted(pane);
    await untilTurn(pane, 'done');
    await untilStored(pane, supportPath);
    rmSync(notes);
    await openEdit(pane);
    await pane.fill('files', [notes, more]);
    await untilKnown(pane, 'more.txt: text');
    await submitted(pane);
    await pane.waitFor(() => drawn(pane).text.includes('fog [2]'), { label: 'the new answer' });
    await untilTurn(pane, 'done');
    const both = String(lastQuestion(model));
    expect(both).toContain('Tea grows in Wuyi.');
    expect(both).toContain('Fog helps.');
    expect(drawn(pane).text).toContain('Attached: notes.txt, more.txt');
    expect(shown(pane)).toContain(`[\\[1\\]](${notes}), fog [\\[2\\]](${more})`);

    await openEdit(pane);
    await pane.fill('files', [more]);
    await untilKnown(pane, 'more.txt: text');
    await submitted(pane);
    await pane.waitFor(() => drawn(pane).text.includes('Fog [2]'), { label: 'the third answer' });
    await untilTurn(pane, 'done');
    expect(String(lastQuestion(model))).toContain('Fog helps.');
    expect(String(lastQuestion(model))).not.toContain('Tea grows');
    // A text that is kept keeps its number, for the model and for the person.
    expect(String(lastQuestion(model))).toContain('[2] more.txt');
    expect(shown(pane)).toContain(
      `Fog [\\[2\\]](${more}).\n\n_Sources_\n\n- [\\[2\\]](${more}) more.txt`,
    );
    // The versions before have what they were asked about.
    await pane.shortcut('ctrl+[');
    await pane.shortcut('ctrl+[');
    await pane.waitFor(() => drawn(pane).text.includes('Tea [1].'), { label: 'the first answer' });
    expect(drawn(pane).text).toMatch(/Attached: notes\.txt$/mu);
    expectSound(pane);
  });

  it('reads a file that is attached to a later question as it is then', async () => {
    const { open, model, supportPath } = await stage({
      steps: () => [{ text: 'Tea [1].' }, { text: 'Coffee [1].' }],
    });
    const notes = put(supportPath, 'notes.txt', 'Tea grows in Wuyi.');
    const pane = await open();
    for (const [question, answer] of [
      ['What does it say?', 'Tea'],
      ['And now?', 'Coffee'],
    ] as const) {
      await openForm(pane);
      await pane.fill('question', question);
      await pane.fill('files', [notes]);
      await untilKnown(pane, 'notes.txt: text');
      await submitted(pane);
      await pane.waitFor(() => drawn(pane).text.includes(answer), { label: answer });
      writeFileSync(notes, 'Coffee grows in Yirgacheffe.');
    }
    await untilTurn(pane, 'done', 2);
    expect(String(lastQuestion(model))).toContain('Coffee grows in Yirgacheffe.');
    // The text before is not sent beside it: a source has one text.
    expect(JSON.stringify(model.requests[1]?.body)).not.toContain('Tea grows in Wuyi.');
    expect(shown(pane)).toContain(`Coffee [\\[1\\]](${notes})`);
    expectSound(pane);
  });

  it('about an image goes on about it, also when the file is gone', async () => {
    const { open, model, supportPath } = await stage({
      dialect: 'ollama',
      models: MODELS,
      preferences: { model: 'large-model' },
      steps: () => [{ text: 'A dot.' }, { text: 'A small dot.' }],
    });
    const picture = put(supportPath, 'dot.png', PNG);
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane) === 'large-model', { label: 'the models' });
    await openForm(pane);
    await pane.fill('question', 'What is it?');
    await pane.fill('files', [picture]);
    await untilKnown(pane, 'dot.png: image');
    await submitted(pane);
    await untilTurn(pane, 'done');
    await untilStored(pane, supportPath);
    rmSync(picture);
    await pane.unload();

    const next = await open();
    await untilTurn(next, 'done');
    expect(drawn(next).text).toContain('Attached: dot.png');
    await ask(next, 'How large?');
    await untilTurn(next, 'done', 2);
    const pictures = model.requests.map(
      ({ body }) => JSON.stringify(body).split(JSON.stringify([DOT])).length - 1,
    );
    expect(pictures).toEqual([1, 1]);
    expect(JSON.stringify(storedConversation(supportPath))).not.toContain(DOT);
    expectSound(next);
  });

  it('is copied with the path of the file that the answer cites; the file is left as it is', async () => {
    const { open, supportPath } = await stage({
      steps: () => [{ text: 'It says **tea** [1].' }],
    });
    const notes = put(supportPath, 'my notes.txt', 'Tea grows in Wuyi.');
    const pane = await open();
    await openForm(pane);
    await pane.fill('question', 'What does it say?');
    await pane.fill('files', [notes]);
    await untilKnown(pane, 'my notes.txt: text');
    await submitted(pane);
    await untilTurn(pane, 'done');
    expect(firstAction(pane)).toBe('Open Answer');
    expect((await copied(pane, 'Copy Answer as Markdown')).text).toBe(
      `It says **tea** [\\[1\\]](<${notes}>).\n\n_Sources_\n\n- [\\[1\\]](<${notes}>) my notes.txt`,
    );
    expect((await copied(pane, 'Copy Answer as Plain Text')).text).toBe(
      'It says tea [1].\n\nSources\n[1] my notes.txt',
    );
    expect((await copied(pane, 'Copy Link of [1]')).text).toBe(notes);
    const entry = pane
      .actions()
      .find(({ submenu, title }) => submenu === 'Open Source' && title.startsWith('[1]'));
    await pane.action(`Open Source/${entry?.title ?? ''}`);
    expect(pane.opened).toEqual([notes]);
    expect(readFileSync(notes, 'utf8')).toBe('Tea grows in Wuyi.');
    expectSound(pane);
  });
});
