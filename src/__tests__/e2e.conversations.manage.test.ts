import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Conversation, Turn } from '../lib/types';
import { makeConversation, makeTurn } from './support/builders';
import { drawn, questions } from './support/chat-pane';
import { checkShortcuts, type OpenPaneOptions, type Pane } from './support/pane';
import type { Stage } from './support/stage';
import { stages } from './support/stages';
import { filesIn, putConversation, putRecord, storedConversations } from './support/store-files';

const stage = stages();

/** A home folder of its own: where the desktop says downloads go. */
let home: string;
let env: Record<string, string>;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lam-home-'));
  mkdirSync(join(home, 'config'));
  mkdirSync(join(home, 'Downloads'));
  writeFileSync(
    join(home, 'config', 'user-dirs.dirs'),
    `XDG_DOWNLOAD_DIR="${join(home, 'Downloads')}"\n`,
  );
  env = { XDG_CONFIG_HOME: join(home, 'config') };
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const talk = (id: string, title: string, ...turns: Partial<Turn>[]): Conversation =>
  makeConversation({
    id,
    title,
    turns: (turns.length === 0 ? [{}] : turns).map((turn, place) =>
      makeTurn({ id: `${id}-${place}`, ...turn }),
    ),
  });

const titles = (pane: Pane): string[] => pane.list().items.map(({ title }) => title);
const rows = (pane: Pane) => pane.list().items.map(({ section, title }) => [section, title]);

async function openList(
  { open }: Pick<Stage, 'open'>,
  options: Partial<OpenPaneOptions> = {},
): Promise<Pane> {
  const pane = await open({ command: 'conversations', env, ...options });
  await pane.waitFor(
    () => pane.list().navigationTitle === 'Conversations' && !pane.list().isLoading,
    {
      label: 'the list',
    },
  );
  return pane;
}

function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(checkShortcuts(pane)).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
}

/** A file that is still being written is hidden. */
const downloads = (): string[] =>
  readdirSync(join(home, 'Downloads'))
    .filter((name) => !name.startsWith('.'))
    .sort();
const download = (name: string): string => readFileSync(join(home, 'Downloads', name), 'utf8');

describe('a conversation', () => {
  it('keeps a new title, its place, and who gave it', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'First'), Date.now() - 90_000_000);
    putConversation(here.supportPath, talk('b', 'Second'), Date.now() - 80_000_000);
    const pane = await openList(here);
    await pane.select('a');
    await pane.shortcut('ctrl+e');
    await pane.waitFor(() => pane.depth === 2, { label: 'the form' });
    await pane.fill('title', '  Another\tname  ');
    await pane.submit();
    await pane.waitFor(() => pane.depth === 1 && titles(pane).includes('Another name'), {
      label: 'the new title',
    });
    expect(titles(pane)).toEqual(['Second', 'Another name']);
    await pane.unload();
    const stored = storedConversations(here.supportPath).find(({ id }) => id === 'a');
    expect(stored).toMatchObject({ title: 'Another name', titledBy: 'person' });
    expectSound(pane);
  });

  it('stays pinned on top for the next launches', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'First'), Date.now() - 90_000_000);
    putConversation(here.supportPath, talk('b', 'Second'));
    const pane = await openList(here);
    await pane.select('a');
    await pane.shortcut('ctrl+shift+p');
    await pane.waitFor(() => rows(pane)[0]?.join(' ') === 'Pinned First', { label: 'the pin' });
    await pane.unload();
    const again = await openList(here);
    expect(rows(again)).toEqual([
      ['Pinned', 'First'],
      ['Today', 'Second'],
    ]);
    await again.shortcut('ctrl+shift+p');
    await again.waitFor(() => rows(again)[0]?.[1] === 'Second', { label: 'no pin' });
    expectSound(again);
  });

  it('is duplicated into one that goes its own way', async () => {
    const here = await stage({ steps: () => [{ text: 'Only here.' }] });
    putConversation(here.supportPath, talk('a', 'First'));
    const pane = await openList(here);
    await pane.shortcut('ctrl+d');
    await pane.waitFor(() => titles(pane).includes('First (copy)'), { label: 'the copy' });
    await pane.select(titles(pane).indexOf('First (copy)'));
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === 1, {
      label: 'the chat',
    });
    await pane.type('And more?');
    await pane.enter();
    await pane.waitFor(
      () => questions(pane).length === 2 && drawn(pane).text.includes('Only here.'),
      {
        label: 'the answer',
      },
    );
    await pane.unload();
    const stored = storedConversations(here.supportPath);
    expect(stored.map(({ turns }) => turns.length).sort()).toEqual([1, 2]);
  });

  it('is exported as Markdown to read, never over another file', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'Tea: a/b?'));
    const pane = await openList(here);
    await pane.action('Export/As Markdown, to Read');
    await pane.waitFor(() => pane.toasts.at(-1)?.title === 'Exported', { label: 'the toast' });
    await pane.action('Export/As Markdown, to Read');
    await pane.waitFor(() => downloads().length === 2, { label: 'the second file' });
    const [first = ''] = downloads();
    expect(downloads().every((name) => name.endsWith('.md'))).toBe(true);
    expect(download(first)).toContain('> How long does green tea steep?');
    expect(download(first)).toContain('[\\[1\\]](https://page-1.example/)');
    await pane.shortcut('ctrl+shift+,');
    await pane.waitFor(() => pane.clipboard?.text?.endsWith('.md'), { label: 'the path' });
    expect(existsSync(pane.clipboard?.text ?? '')).toBe(true);
    expectSound(pane);
  });

  it('is found by what stands in it, with a slip, in any script', async () => {
    const here = await stage();
    putConversation(
      here.supportPath,
      talk(
        'a',
        'Drinks',
        { question: 'What is best?', response: 'Sencha, steeped for two minutes.' },
        { question: 'More?', response: 'No.' },
      ),
    );
    putConversation(
      here.supportPath,
      talk('b', '旅行', { question: '去哪里？', response: '我们去北京看长城。' }),
    );
    putConversation(here.supportPath, talk('c', 'Bread', { question: 'Flour?', response: 'Rye.' }));
    const pane = await openList(here);
    const found = async (query: string): Promise<string[]> => {
      await pane.type(query);
      await pane.waitFor(() => !pane.list().isLoading, { label: query });
      return titles(pane);
    };
    expect(await found('senc')).toEqual(['Drinks']);
    await pane.waitFor(() => drawn(pane).text.includes('Sencha, steeped'), { label: 'the place' });
    expect(drawn(pane).text).toContain('question 1:');
    expect(await found('stepeed minutes')).toEqual(['Drinks']);
    expect(await found('北京')).toEqual(['旅行']);
    expect(await found('zzzz')).toEqual([]);
    expect(pane.list().emptyView?.title).toBe('Nothing found');
    expect(await found('')).toHaveLength(3);
    expectSound(pane);
  });
});

describe('all conversations', () => {
  it('are exported, and imported elsewhere as they were', async () => {
    const here = await stage();
    putConversation(here.supportPath, talk('a', 'First', {}, { question: 'Sure?' }));
    putConversation(here.supportPath, { ...talk('b', 'Second'), pinned: true });
    const pane = await openList(here);
    await pane.action('Export All as JSON');
    await pane.waitFor(() => downloads().length === 1 && pane.toasts.at(-1)?.title === 'Exported', {
      label: 'the file',
    });
    const [name = ''] = downloads();

    const there = await stage();
    const other = await openList(there);
    await other.action('Import…');
    await other.waitFor(() => other.depth === 2, { label: 'the form' });
    await other.fill('file', [join(home, 'Downloads', name)]);
    await other.submit();
    await other.waitFor(() => other.depth === 1 && titles(other).length === 2, {
      label: 'the conversations',
    });
    expect(other.toasts.at(-1)).toMatchObject({ title: '2 conversations imported' });
    const text = (support: string) =>
      storedConversations(support)
        .map(({ title, turns }) => ({
          title,
          turns: turns.map(({ question, response }) => [question, response]),
        }))
        .sort((x, y) => x.title.localeCompare(y.title));
    expect(text(there.supportPath)).toEqual(text(here.supportPath));

    const before = filesIn(join(there.supportPath, 'conversations'));
    await other.action('Import…');
    await other.waitFor(() => other.depth === 2, { label: 'the form again' });
    await other.fill('file', [join(home, 'config', 'user-dirs.dirs')]);
    await other.submit();
    await other.waitFor(() => other.toasts.at(-1)?.title === 'Nothing was imported', {
      label: 'the refusal',
    });
    expect(other.form().descriptions[1]?.title).toBe('Left Out');
    expect(filesIn(join(there.supportPath, 'conversations'))).toEqual(before);
    expectSound(pane);
    expectSound(other);
  });

  it('go to the trash after a yes, and the trash is emptied after another', async () => {
    const here = await stage();
    for (const id of ['a', 'b', 'c']) putConversation(here.supportPath, talk(id, `Secret ${id}`));
    const pane = await openList(here);
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(false);
    expect(pane.alerts[0]?.message).toBe('All 3 go to the trash and can be restored for 30 days.');
    expect(titles(pane)).toHaveLength(3);
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(true);
    await pane.waitFor(() => pane.list().emptyView?.title === 'No conversations yet', {
      label: 'the deletion',
    });
    expect(storedConversations(here.supportPath)).toEqual([]);
    await pane.action('Trash…');
    await pane.waitFor(() => pane.depth === 2 && titles(pane).length === 3, { label: 'the trash' });
    await pane.shortcut('ctrl+x');
    await pane.answerAlert(true);
    await pane.waitFor(() => titles(pane).length === 2, { label: 'one less' });
    await pane.shortcut('ctrl+shift+x');
    await pane.answerAlert(true);
    await pane.waitFor(() => pane.list().emptyView?.title === 'The trash is empty', {
      label: 'an empty trash',
    });
    expectSound(pane);
    await pane.unload();
    expect(Object.values(filesIn(here.supportPath)).join('\n')).not.toContain('Secret');
  });

  it('come back byte for byte, also those that cannot be read', async () => {
    const here = await stage();
    const broken = '{"version":1,"turns":[{"question":"half a';
    const path = putRecord(here.supportPath, 'broken.json', broken);
    const pane = await openList(here);
    await pane.waitFor(() => rows(pane)[0]?.[0] === 'Could Not Be Read', { label: 'the row' });
    await pane.action('Delete');
    await pane.waitFor(() => titles(pane).length === 0, { label: 'the row to go' });
    expect(existsSync(path)).toBe(false);
    await pane.action('Trash…');
    await pane.waitFor(() => pane.depth === 2 && titles(pane).length === 1, { label: 'the trash' });
    expect(pane.list().items[0]?.icon).toBe('warning');
    await pane.enter();
    await pane.waitFor(() => titles(pane).length === 0, { label: 'it to go' });
    expect(readFileSync(path, 'utf8')).toBe(broken);
    expectSound(pane);
  });

  it('are a hundred rows at most, and typing finds the others', async () => {
    const here = await stage();
    for (let n = 0; n < 120; n++)
      putConversation(
        here.supportPath,
        talk(`c${n}`, `Number ${n}`),
        Date.now() - 60_000 * (n + 1),
      );
    const pane = await openList(here);
    expect(titles(pane)).toHaveLength(101);
    expect(titles(pane).at(-1)).toBe('20 more: type to find');
    expect(titles(pane)[0]).toBe('Number 0');
    await pane.type('number 119');
    await pane.waitFor(() => titles(pane)[0] === 'Number 119', { label: 'the last one' });
    expect(pane.list().items.filter(({ detail }) => detail !== undefined).length).toBeLessThan(2);
    expectSound(pane);
  });
});
