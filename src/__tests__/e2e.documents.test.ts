import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { copyBundle, type BundleCopy } from './support/bundle-copy';
import {
  ask,
  chosenModel,
  drawn,
  questions,
  shown,
  sourceEntries,
  untilTurn,
} from './support/chat-pane';
import { WORDS } from './support/document-fixtures';
import {
  beside,
  besideRow,
  chooseFolder,
  numberIn,
  toolsOffered,
  untilRead,
} from './support/document-pane';
import type { Step } from './support/model-server';
import type { Pane } from './support/pane';
import { papersStages } from './support/papers-stage';
import { expectSound } from './support/sound';
import type { Stage } from './support/stage';
import { filesIn, storedConversation, untilTurnsStored } from './support/store-files';
import { toolResults } from './support/tool-results';

const { stage, tempFolder, papers } = papersStages();

const search = (query: string) => ({ name: 'search_documents', arguments: { query } });
const read = (path: string, more: Record<string, unknown> = {}) => ({
  name: 'read_document',
  arguments: { path, ...more },
});

const WEB_TOOLS = ['web_search', 'web_fetch'];
const DOCUMENT_TOOLS = ['search_documents', 'read_document'];

/** Title, and what stands at the end, of each row below a section of the list of documents, by title. */
const rowsIn = (pane: Pane, begins: string): [title: string, fact: string | undefined][] =>
  pane
    .list()
    .items.filter(({ section = '' }) => section.startsWith(begins))
    .map(({ title, accessories }): [string, string | undefined] => [title, accessories[0]?.text])
    .sort(([one], [other]) => (one < other ? -1 : 1));
const placeOf = (pane: Pane, title: string): number =>
  pane.list().items.findIndex((item) => item.title === title);

/** Chooses the folder of papers in the command for it, and goes. */
async function choose({ open }: Pick<Stage, 'open'>): Promise<void> {
  const pane = await open({ command: 'documents' });
  await chooseFolder(pane, papers.path);
  expectSound(pane);
  await pane.unload();
}

/** Whether words stand in any file that Lam keeps of documents. */
function isKept(supportPath: string, words: string): boolean {
  const bytes = Buffer.from(words).toString('latin1');
  const folder = join(supportPath, 'documents');
  return existsSync(folder) && Object.values(filesIn(folder)).some((file) => file.includes(bytes));
}

describe('the list of documents', () => {
  it('tells what choosing a folder means, takes one, and says what became of each file', async () => {
    const { open, supportPath, model } = await stage();
    const pane = await open({ command: 'documents' });
    expect(pane.list().emptyView?.title).toBe('Choose a folder to ask about');
    expectSound(pane);
    await pane.enter();
    await pane.waitFor(() => pane.top().type === 'form', { label: 'the form' });
    expectSound(pane);
    await pane.fill('folder', [papers.path]);
    await pane.submit();
    await untilRead(pane);
    expect(pane.list().navigationTitle).toBe('Documents');
    expect(rowsIn(pane, 'Folders')).toEqual([['Papers', '5 files']]);
    expect(rowsIn(pane, 'Files (5)')).toEqual([
      ['kiln.md', '160 B'],
      ['lease.docx', '2 KB'],
      ['report.pdf', '3 pages'],
      ['röstung.md', '171 B'],
      ['龙井.md', '142 B'],
    ]);
    expect(rowsIn(pane, 'Could Not Be Read')).toEqual([['broken.pdf', 'broken']]);
    expect(rowsIn(pane, 'Left Out')).toEqual([
      ['leaf.png', 'an image'],
      ['locked.pdf', 'protected by a password'],
      ['recipe.md', 'a link'],
    ]);
    await pane.action('Show Details');
    const about = await besideRow(pane, placeOf(pane, 'locked.pdf'), 'password');
    expect(about).toContain('It is protected by a password.');
    expect(about).toContain(papers.file('locked.pdf'));
    await besideRow(pane, placeOf(pane, 'report.pdf'), '3 pages');
    await pane.enter();
    expect(pane.opened).toEqual([papers.file('report.pdf')]);
    // What is hidden or lies elsewhere is not kept either.
    expect(isKept(supportPath, WORDS.german)).toBe(true);
    expect(isKept(supportPath, WORDS.hidden)).toBe(false);
    expect(isKept(supportPath, WORDS.outside)).toBe(false);
    expect(model.paths).toEqual([]);
    expectSound(pane);
  });

  it('reads what is new, changed or gone when it is opened again, and at a key press', async () => {
    const { open } = await stage();
    await choose({ open });
    writeFileSync(papers.file('notes/new.md'), '# New\n\nThe kettle sings before it boils.\n');
    rmSync(papers.file('lease.docx'));
    const pane = await open({ command: 'documents' });
    await pane.waitFor(() => placeOf(pane, 'new.md') > 0 && placeOf(pane, 'lease.docx') < 0, {
      label: 'what has changed',
    });
    await untilRead(pane);
    expect(rowsIn(pane, 'Folders')).toEqual([['Papers', '5 files']]);
    rmSync(papers.file('notes/new.md'));
    await pane.shortcut('ctrl+r');
    await pane.waitFor(() => placeOf(pane, 'new.md') < 0, { label: 'what is gone' });
    await untilRead(pane);
    expect(rowsIn(pane, 'Folders')).toEqual([['Papers', '4 files']]);
    expectSound(pane);
  });

  it('says why a folder is not taken', async () => {
    const { open, supportPath } = await stage();
    await choose({ open });
    const pane = await open({ command: 'documents' });
    await pane.action('Add Folder…');
    await pane.waitFor(() => pane.top().type === 'form', { label: 'the form' });
    const error = () => pane.form().fields.find(({ id }) => id === 'path')?.error;
    for (const [path, why] of [
      [papers.path, 'is chosen already'],
      [papers.file('notes'), 'is inside'],
      [papers.file('no such folder'), 'There is no folder'],
      [papers.file('report.pdf'), 'is not a folder'],
      ['notes', 'is not the full path of a folder'],
      [supportPath, 'is where Lam keeps its own files'],
    ] as const) {
      await pane.fill('path', path);
      await pane.submit();
      await pane.waitFor(() => error()?.includes(why), { label: why });
    }
    expectSound(pane);
  });

  it('deletes what was read of a folder that is removed, and asks before', async () => {
    const { open, supportPath, model } = await stage({
      steps: () => [
        { calls: [search('drying house')] },
        ({ body }) => ({ text: `Until 2031 [${numberIn(body, 'Papers/lease.docx')}].` }),
        { text: 'I do not know.' },
      ],
    });
    await choose({ open });
    const chat = await open();
    await ask(chat, 'How long does the lease run?');
    await untilTurn(chat, 'done');
    await untilTurnsStored(supportPath, [{ state: 'done' }]);
    const before = storedConversation(supportPath).turns;
    await chat.unload();

    const pane = await open({ command: 'documents' });
    await untilRead(pane);
    const declined = pane.shortcut('ctrl+x');
    await pane.answerAlert(false);
    await declined;
    expect(isKept(supportPath, WORDS.docx)).toBe(true);
    const removed = pane.shortcut('ctrl+x');
    await pane.answerAlert(true);
    await removed;
    await pane.waitFor(() => pane.list().items.length === 0, { label: 'the empty list' });
    await pane.waitFor(() => !isKept(supportPath, WORDS.docx), { label: 'the texts gone' });
    for (const words of Object.values(WORDS)) expect(isKept(supportPath, words)).toBe(false);
    expect(isKept(supportPath, papers.path)).toBe(false);
    expect(existsSync(papers.file('lease.docx'))).toBe(true);
    expectSound(pane);
    await pane.unload();

    // The answer that was written from it has its passage all the same.
    const next = await open();
    await next.waitFor(() => questions(next).length === 1, { label: 'the conversation' });
    expect(storedConversation(supportPath).turns).toEqual(before);
    expect(before[0]?.evidence?.[0]?.quote).toContain('2031');
    await ask(next, 'And now?');
    await untilTurn(next, 'done', 2);
    expect(toolsOffered(model.requests)).toEqual([
      [...WEB_TOOLS, ...DOCUMENT_TOOLS],
      [...WEB_TOOLS, ...DOCUMENT_TOOLS],
      WEB_TOOLS,
    ]);
    expectSound(next);
  });
});

describe('a question', () => {
  it.each<[string, string, string, string]>([
    ['German', 'Felsentee Holzkohle', 'Papers/notes/röstung.md', WORDS.german],
    ['English', 'dragon kiln', 'Papers/notes/kiln.md', WORDS.english],
    ['Chinese', '炒制温度', 'Papers/notes/龙井.md', WORDS.chinese],
    ['a PDF file', 'Cloud Garden crates', 'Papers/report.pdf', WORDS.pdf],
    ['a Word document', 'lease crowns', 'Papers/lease.docx', WORDS.docx],
  ])('finds %s, and its source opens by the bare path', async (_name, query, name, words) => {
    const { open, model, supportPath } = await stage({
      steps: () => [
        { calls: [search(query)] },
        ({ body }) => ({ text: `It says: ${words} [${numberIn(body, name)}]` }),
      ],
    });
    await choose({ open });
    const pane = await open();
    await ask(pane, 'What does it say?');
    await untilTurn(pane, 'done');
    const [result = ''] = toolResults(model.requests[1]?.body);
    expect(result).toContain(words);
    const file = join(papers.around, name);
    expect(drawn(pane).links.map(({ href }) => href)).toEqual([file, file]);
    const [entry = ''] = sourceEntries(pane);
    await pane.action(`Open Source/${entry.replace(/ — .*/u, '')}`);
    expect(pane.opened).toEqual([file]);
    expect(JSON.stringify(model.requests)).not.toContain(papers.around);
    await untilTurnsStored(supportPath, [{ state: 'done' }]);
    expect(storedConversation(supportPath).turns[0]?.evidence).toMatchObject([
      { kind: 'document', url: file, id: file, quote: words },
    ]);
    model.assertComplete();
    expectSound(pane);
  });

  it('reaches nothing that is hidden, elsewhere or locked, however the model names it', async () => {
    const outside = join(papers.around, 'recipe.md');
    const names = [
      'Papers/.hidden.md',
      'Papers/recipe.md',
      'Papers/../recipe.md',
      outside,
      papers.file('notes/kiln.md'),
      '/etc/passwd',
      'Papers/locked.pdf',
      'Papers/broken.pdf',
      'Papers/leaf.png',
      'Papers',
      'Papers/no such file.md',
    ];
    const { open, model, supportPath } = await stage({
      steps: () => [
        { calls: names.slice(0, 4).map((name) => read(name)) },
        { calls: names.slice(4, 8).map((name) => read(name)) },
        { calls: [...names.slice(8).map((name) => read(name)), search('recipe third')] },
        { text: 'I could not read them.' },
      ],
    });
    await choose({ open });
    const pane = await open();
    await ask(pane, 'Read them all?');
    await untilTurn(pane, 'done');
    await untilTurnsStored(supportPath, [{ state: 'done' }]);
    const { toolCalls } = storedConversation(supportPath).turns[0] ?? { toolCalls: [] };
    const reads = toolCalls.filter(({ name }) => name === 'read_document');
    expect(reads.map(({ isError }) => isError)).toEqual(names.map(() => true));
    const told = JSON.stringify(model.requests.map(({ body }) => toolResults(body)));
    expect(told).not.toContain(WORDS.hidden);
    expect(told).not.toContain(WORDS.outside);
    expect(told).not.toContain('root:');
    expect(sourceEntries(pane)).toEqual([]);
    expectSound(pane);
  });

  it('has the tools for documents with the web off too', async () => {
    const { open, model, site } = await stage({
      preferences: { webTools: false },
      steps: () => [
        { calls: [search('dragon kiln')] },
        ({ body }) => ({ text: `1,280 degrees [${numberIn(body, 'Papers/notes/kiln.md')}].` }),
      ],
    });
    await choose({ open });
    const pane = await open();
    await ask(pane, 'How hot was the kiln?');
    await untilTurn(pane, 'done');
    expect(toolsOffered(model.requests)).toEqual([DOCUMENT_TOOLS, DOCUMENT_TOOLS]);
    expect(drawn(pane).links[0]?.href).toBe(papers.file('notes/kiln.md'));
    expect(site.requests).toEqual([]);
    model.assertComplete();
    expectSound(pane);
  });

  it('brings its passages along for a model without tools', async () => {
    const { open, model, site, supportPath } = await stage({
      dialect: 'ollama',
      models: [{ id: 'plain-model', capabilities: ['completion'] }],
      preferences: { webTools: false },
      steps: () => [{ text: 'It reached 1,280 degrees after three days [1].' }],
    });
    await choose({ open });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the model' });
    await ask(pane, 'How many degrees did the dragon kiln reach?');
    await untilTurn(pane, 'done');
    expect(model.requests).toHaveLength(1);
    const told = JSON.stringify(model.requests[0]?.body);
    expect(told).toContain(WORDS.english);
    expect(told).not.toContain(papers.around);
    expect(drawn(pane).links[0]?.href).toBe(papers.file('notes/kiln.md'));
    await untilTurnsStored(supportPath, [{ state: 'done' }]);
    expect(storedConversation(supportPath).turns[0]?.evidence).toMatchObject([
      { url: papers.file('notes/kiln.md'), quote: WORDS.english },
    ]);
    expect(site.requests).toEqual([]);
    expectSound(pane);
  });

  it('without a folder is offered no tools for documents, and nothing is kept', async () => {
    const { open, model, supportPath } = await stage({
      steps: () => [{ calls: [search('tea'), read('Papers/report.pdf')] }, { text: 'Nothing.' }],
    });
    const list = await open({ command: 'documents' });
    await list.settled();
    await list.unload();
    const pane = await open();
    await ask(pane, 'What do my papers say?');
    await untilTurn(pane, 'done');
    expect(toolsOffered(model.requests)).toEqual([WEB_TOOLS, WEB_TOOLS]);
    expect(JSON.stringify(model.requests)).not.toMatch(/documents:|person's own documents/u);
    expect(existsSync(join(supportPath, 'documents'))).toBe(false);
    expectSound(pane);
  });

  it('searches the folder of the preferences, which is removed there only', async () => {
    const preferences = { documents: papers.path };
    const { open, model } = await stage({
      preferences,
      steps: () => [
        { calls: [search('Felsentee')] },
        ({ body }) => ({ text: `Zwölf Stunden [${numberIn(body, 'Papers/notes/röstung.md')}].` }),
      ],
    });
    const pane = await open();
    await ask(pane, 'Wie lange wird er geröstet?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).links[0]?.href).toBe(papers.file('notes/röstung.md'));
    expect(JSON.stringify(model.requests)).not.toContain(papers.around);
    expectSound(pane);
    await pane.unload();
    const list = await open({ command: 'documents' });
    await untilRead(list);
    expect(rowsIn(list, 'Folders')).toEqual([['Papers', 'from the preferences · 5 files']]);
    const titles = list.actions().map(({ title }) => title);
    expect(titles).toContain('Change Folder in Preferences');
    expect(titles).not.toContain('Remove Folder…');
    expectSound(list);
  });

  it('is answered while the list of documents is open in another launch', async () => {
    const { open, model } = await stage({
      steps: () => [
        { calls: [search('dragon kiln')] },
        ({ body }) => ({ text: `1,280 degrees [${numberIn(body, 'Papers/notes/kiln.md')}].` }),
      ],
    });
    const list = await open({ command: 'documents' });
    await chooseFolder(list, papers.path);
    const pane = await open();
    await ask(pane, 'How hot was the kiln?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).links[0]?.href).toBe(papers.file('notes/kiln.md'));
    writeFileSync(papers.file('notes/new.md'), '# New\n\nThe kettle sings before it boils.\n');
    await list.shortcut('ctrl+r');
    await list.waitFor(() => placeOf(list, 'new.md') > 0, { label: 'the new file' });
    model.assertComplete();
    expectSound(list);
    expectSound(pane);
  });

  it('about a folder that is gone says so to the model, and the chat goes on', async () => {
    const { open, model } = await stage({
      steps: () => [{ calls: [search('kiln')] }, { text: 'I could not look.' }],
    });
    await choose({ open });
    renameSync(papers.path, `${papers.path} moved`);
    const pane = await open();
    await ask(pane, 'How hot was the kiln?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('I could not look.');
    expect(JSON.stringify(model.requests)).not.toContain(papers.around);
    expectSound(pane);
    await pane.unload();
    const list = await open({ command: 'documents' });
    await list.waitFor(() => !list.list().isLoading, { label: 'the list' });
    expect(rowsIn(list, 'Folders')).toEqual([['Papers', 'not there']]);
    expect(list.list().items.filter(({ title }) => title === 'Papers')).toHaveLength(1);
    expectSound(list);
  });
});

describe('assets/documents.js', () => {
  const FILE = 'documents.js';
  let bundle: BundleCopy;
  beforeEach(() => {
    bundle = copyBundle(tempFolder());
  });
  const answering: Step = ({ body }) => ({
    text: `1,280 degrees [${numberIn(body, 'Papers/notes/kiln.md')}].`,
  });

  it.each<[string, () => void, string]>([
    [
      'missing',
      () => {
        bundle.remove(FILE);
      },
      'The search of documents is missing (assets/documents.js); reinstall Lam, or run npm run prepare.',
    ],
    [
      'cut off',
      () => {
        bundle.cut(FILE);
      },
      'The documents could not be searched: ',
    ],
    [
      'failing',
      () => {
        bundle.replace(FILE, 'throw new Error("no such part");\n');
      },
      'The documents could not be searched: their search broke; if it comes back, reinstall Lam.',
    ],
    [
      'of another version',
      () => {
        bundle.replace(
          FILE,
          'exports.serveDocuments = (port) => port.on("message", ({ id }) => port.postMessage({ id, reply: 0 }));\n',
        );
      },
      'assets/documents.js does not belong to this version; reinstall Lam',
    ],
  ])('%s: both views say so, the chat answers, and nothing is lost', async (...row) => {
    const [, spoil, said] = row;
    const here = await stage({
      bundleDir: bundle.bundleDir,
      steps: () => [
        { calls: [search('dragon kiln')] },
        { text: 'I could not look.' },
        { calls: [search('dragon kiln')] },
        answering,
      ],
    });
    const { open } = here;
    await choose({ open });
    const kept = readdirSync(join(here.supportPath, 'documents')).sort();
    spoil();
    const list = await open({ command: 'documents' });
    await list.waitFor(
      () =>
        !list.list().isLoading &&
        list.list().items.some(({ title }) => title.includes(said.slice(0, 30))),
      { label: 'what is missing' },
    );
    await list.action('Show Details');
    await list.waitFor(() => beside(list).includes(said), { label: said });
    expect(rowsIn(list, 'Folders')[0]?.[0]).toBe('Papers');
    expectSound(list);
    await list.unload();

    const pane = await open();
    await ask(pane, 'How hot was the kiln?');
    await untilTurn(pane, 'done');
    expect(shown(pane)).toContain('I could not look.');
    expect(drawn(pane).text).toContain('The search of your documents failed: ');
    expect(toolResults(here.model.requests[1]?.body)[0]).toContain('Tell the person');
    expect(readdirSync(join(here.supportPath, 'documents')).sort()).toEqual(kept);
    expectSound(pane);
    bundle.repair(FILE);
    await ask(pane, 'And now?');
    await untilTurn(pane, 'done', 2);
    expect(drawn(pane).links[0]?.href).toBe(papers.file('notes/kiln.md'));
    here.model.assertComplete();
    expectSound(pane);
  });
});
