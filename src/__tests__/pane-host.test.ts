import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { checkShortcuts, openPane, type OpenPaneOptions, type Pane } from './support/pane';
import { buildFixture } from './support/pane/fixture-extension/build';

let bundleDir: string;
let supportPath: string;
const opened: Pane[] = [];

beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'pane-fixture-'));
  await buildFixture(bundleDir);
});
afterAll(() => {
  rmSync(bundleDir, { recursive: true, force: true });
});
beforeEach(() => {
  supportPath = mkdtempSync(join(tmpdir(), 'pane-support-'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((pane) => pane.kill()));
  rmSync(supportPath, { recursive: true, force: true });
});

async function launch(options: Partial<OpenPaneOptions> = {}): Promise<Pane> {
  const pane = await openPane({
    bundleDir,
    command: 'tour',
    supportPath,
    unloadGraceMs: 200,
    ...options,
  });
  opened.push(pane);
  return pane;
}

function launchBroken(question: string): Promise<Pane> {
  return launch({ command: 'broken', arguments: { question } });
}

function launchControls(question: string): Promise<Pane> {
  return launch({ command: 'controls', arguments: { question } });
}

/** What the command wrote into its support folder. */
function notes(): string[] {
  const file = join(supportPath, 'notes.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

describe('what is on screen', () => {
  it('shows a list with its rows, the selected row and its detail', async () => {
    const pane = await launch();
    const list = pane.list();
    expect(list).toMatchObject({
      searchText: '',
      placeholder: 'Ask anything',
      isLoading: false,
      isShowingDetail: true,
    });
    expect(list.items.map(({ id, title, section, icon }) => [id, title, section, icon])).toEqual([
      ['apple', 'hello apple', 'Fruit', 'check-circle'],
      ['banana', 'hello banana', 'Fruit', 'speech-bubble'],
      ['cherry', 'hello cherry', 'Fruit', 'speech-bubble'],
    ]);
    expect(list.items[1]?.accessories).toEqual([{ text: 'ripe' }, { tag: 'new' }]);
    expect(list.selected?.detail).toBe('**apple** is a fruit');
    expect(list.items[1]?.detail).toBeUndefined();
  });

  it('prints what a person would read', async () => {
    const pane = await launch({ preferences: { greeting: 'good day' } });
    await pane.waitFor(() => pane.list().navigationTitle === 'Tour (launch 1)');
    expect(pane.text()).toBe(
      [
        '= Tour (launch 1)',
        '> (Ask anything)',
        'Fruit',
        '▸ [check-circle] good day apple · ripe · new',
        '  [speech-bubble] good day banana · ripe · new',
        '  [speech-bubble] good day cherry · ripe · new',
        '-----',
        'apple is a fruit',
        '-----',
        '[↵ (book) Open Answer] [14 more]',
      ].join('\n'),
    );
  });

  it('draws the detail of the row that is selected, and tells the command', async () => {
    const pane = await launch();
    await pane.select('cherry');
    expect(pane.list().selected).toMatchObject({
      id: 'cherry',
      icon: 'check-circle',
      detail: '**cherry** is a fruit',
    });
    await pane.select(1);
    expect(pane.list().selected?.id).toBe('banana');
    await expect(pane.select('durian')).rejects.toThrow('There is no row "durian"');
  });

  it('gives arguments and the fallback text to the command', async () => {
    const pane = await launch({ arguments: { question: 'why' } });
    expect(pane.list().items[0]?.subtitle).toBe('why');
    const other = await launch({ fallbackText: 'from root search' });
    expect(other.list().items[0]?.subtitle).toBe('from root search');
    expect(other.list().searchText).toBe('');
    await other.waitFor(() => other.list().searchText === 'from root search');
  });

  it('gives the bundle an API without the parts that launchers do not have', async () => {
    const pane = await launchBroken('host-only');
    expect(pane.detail().markdown).toBe('bus is undefined');
  });
});

describe('the search bar', () => {
  it('lets the text in the tree win, and selects the first row', async () => {
    const pane = await launch();
    await pane.select('cherry');
    await pane.type('route 66');
    expect(pane.list().searchText).toBe('route ');
    expect(pane.list().selected?.id).toBe('apple');
    expect(pane.actions()[0]?.title).toBe('Ask');
    await pane.enter();
    expect(notes()).toContain('asked "route "');
    expect(pane.list().searchText).toBe('');
  });

  it('filters a list that leaves it to the launcher', async () => {
    const pane = await launchBroken('local-filter');
    expect(pane.list().items.map((item) => item.title)).toEqual(['Tea', 'Toast']);
    await pane.type('drink');
    expect(pane.list().items.map((item) => item.title)).toEqual(['Tea']);
    await pane.type('xyz');
    expect(pane.list()).toMatchObject({
      items: [],
      emptyView: { title: 'Nothing', description: 'Try another word' },
    });
    expect(pane.text()).toContain('Try another word');
  });

  it('hides the words for an empty list while it is loading, unless something is typed', async () => {
    const pane = await launchControls('loading');
    expect(pane.list().emptyView).toBeUndefined();
    expect(pane.text()).toBe('> (Search…)\n~~~ loading ~~~\n[no actions]');
    await pane.type('a');
    expect(pane.list().emptyView?.title).toBe('Nothing');
  });

  it('holds the events of a throttled list back until the typing rests', async () => {
    const pane = await launchBroken('throttled');
    await Promise.all([pane.type('a'), pane.type('ab'), pane.type('abc')]);
    await pane.waitFor(() => pane.list().items.length > 0);
    expect(pane.list().items.map((item) => item.title)).toEqual(['abc']);
    expect(pane.list().searchText).toBe('abc');
  });
});

describe('actions', () => {
  it('lists them in order with sections, submenus and keys', async () => {
    const pane = await launch();
    const shown = pane
      .actions()
      .slice(0, 7)
      .map(({ title, kind, section, submenu, shortcut }) => [
        title,
        kind,
        section,
        submenu,
        shortcut,
      ]);
    expect(shown).toEqual([
      ['Open Answer', 'action', 'Main', undefined, undefined],
      ['Copy', 'action', 'Main', undefined, 'ctrl+shift+c'],
      ['Open Source', 'submenu', undefined, undefined, undefined],
      ['[1] First', 'action', undefined, 'Open Source', undefined],
      ['[2] Second', 'action', undefined, 'Open Source', undefined],
      ['Questions', 'action', 'Other', undefined, 'ctrl+q'],
      ['Show Rewrite', 'action', 'Other', undefined, undefined],
    ]);
  });

  it('copies and says so; the window stays', async () => {
    const pane = await launch();
    await pane.shortcut('Ctrl+Shift+C');
    expect(pane.clipboard).toMatchObject({ text: 'plain', html: '<b>plain</b>', concealed: false });
    expect(pane.toasts).toEqual([{ title: 'Copied', message: 'as text', style: 'success' }]);
    expect(pane.windowOpen).toBe(true);
  });

  it('opens addresses; the browser action closes the window', async () => {
    const pane = await launch();
    await pane.action('Open Source/[1] First');
    expect([pane.opened, pane.windowOpen]).toEqual([['https://a.example/1'], true]);
    await pane.action('[2] Second');
    expect(pane.opened).toEqual(['https://a.example/1', 'https://b.example/2']);
    expect(pane.windowOpen).toBe(false);
    await expect(pane.enter()).rejects.toThrow('The window is closed');
  });

  it.each([
    ['ctrl+c', 'never reaches an action: it copies the selection'],
    ['ctrl+b', 'never reaches an action: it opens the action panel'],
    ['ctrl+shift+y', 'Nothing is bound to ctrl+shift+y'],
    ['hyper+x', 'There is no modifier "hyper"'],
  ])('refuses the keys %s', async (keys, message) => {
    const pane = await launch();
    await expect(pane.shortcut(keys)).rejects.toThrow(message);
  });

  it.each([
    ['Open Source', 'is a submenu'],
    ['Nonsense', 'No action "Nonsense". There are: Open Answer, Copy,'],
  ])('refuses the action %s', async (title, message) => {
    const pane = await launch();
    await expect(pane.action(title)).rejects.toThrow(message);
  });

  it('knows Return and Shift+Return', async () => {
    const pane = await launch();
    await pane.shortcut('shift+enter');
    expect(pane.clipboard?.text).toBe('plain');
    await pane.shortcut('return');
    expect(pane.top().type).toBe('detail');
  });

  it.each([true, false])('hands the answer %s to a confirmation', async (answer) => {
    const pane = await launch();
    await pane.shortcut('ctrl+shift+x');
    expect(pane.alerts).toEqual([
      { title: 'Delete it?', message: 'It is gone then.', primary: 'Delete', dismiss: 'Cancel' },
    ]);
    await pane.answerAlert(answer);
    await pane.waitFor(() => notes().includes(`sure ${answer}`));
  });

  it('answers confirmations by itself when told to', async () => {
    const pane = await launch({ alertAnswer: true });
    await pane.action('Delete');
    await pane.waitFor(() => notes().includes('sure true'));
  });

  it('opens the preferences, says goodbye, reads selected text', async () => {
    const pane = await launch({ textToSelect: 'marked words' });
    await pane.action('Selected Text');
    await pane.waitFor(() => notes().includes('selected marked words'));
    await pane.action('Preferences');
    expect([pane.preferencesOpened, pane.windowOpen]).toEqual([1, false]);
    await pane.reopen();
    await pane.action('Say and Leave');
    expect([pane.hud, pane.windowOpen, pane.running]).toEqual(['Bye', false, true]);
  });
});

describe('the dropdown beside the search bar', () => {
  const heard = (pane: Pane) => pane.list().items[0]?.title;

  it('shows its options, and what is chosen', async () => {
    const pane = await launchControls('own-choice');
    expect(pane.dropdown()).toEqual({
      value: 'large',
      title: 'Large one',
      tooltip: 'Model',
      options: [
        { title: 'Automatic', value: 'auto' },
        { title: 'Small one', value: 'small', section: 'Here' },
        { title: 'Large one', value: 'large', section: 'Here' },
      ],
    });
    expect(pane.text()).toContain('> (Search…)  [Large one ▾]\n');
  });

  it.each([
    ['own-choice', 'large'],
    ['no-default', 'auto'],
    ['set-choice', 'small'],
    ['unknown-choice', 'gone'],
  ])('%s: tells the command at once of %j', async (question, value) => {
    const pane = await launchControls(question);
    await pane.waitFor(() => heard(pane) === value);
    expect(pane.dropdown().value).toBe(value);
  });

  it.each([
    ['own-choice', 'Small one', 'large small', 'Small one'],
    ['set-choice', 'large', 'small large', 'Large one'],
    ['stubborn-choice', 'large', 'small large', 'Small one'],
  ])('%s: choosing %j', async (question, option, told, title) => {
    const pane = await launchControls(question);
    await pane.choose(option);
    await pane.waitFor(() => heard(pane) === told);
    expect(pane.dropdown().title).toBe(title);
  });

  it('tells the command when options come later', async () => {
    const pane = await launchControls('late-options');
    expect(() => pane.dropdown()).toThrow('There is no dropdown beside the search bar.');
    await pane.waitFor(() => heard(pane) === 'one');
    expect(pane.dropdown().title).toBe('one');
  });

  it('shows the placeholder for a value that is none of the options', async () => {
    const pane = await launchControls('unknown-choice');
    expect(pane.dropdown()).toMatchObject({ value: 'gone', title: 'No model' });
    await expect(pane.choose('huge')).rejects.toThrow(
      'There is no option "huge". There are: Automatic, Small one, Large one.',
    );
  });

  it('says when a list has none', async () => {
    const pane = await launch();
    expect(() => pane.dropdown()).toThrow('There is no dropdown beside the search bar.');
  });
});

describe('the fields of a form', () => {
  it('are printed with everything around them', async () => {
    const pane = await launchControls('fields');
    await pane.fill('size', 'Large one');
    await pane.fill('files', ['/a.txt', '/b.png']);
    await pane.waitFor(() => pane.form().descriptions.at(-1)?.text === '/a.txt /b.png');
    expect(pane.text()).toBe(
      [
        '= Everything',
        'Before: Fill this in.',
        'Name: (Your name)',
        '  ? Any name will do',
        'Secret: •••',
        'Words: first',
        '----',
        'Sure: [x] I am',
        'Size: Large one ▾',
        'Files: /a.txt, /b.png',
        'One: (choose a file)',
        'Day: ',
        'Unsent: kept here',
        '/a.txt /b.png',
        '[↵ Send] [0 more]',
      ].join('\n'),
    );
    expect(pane.panel()).toBe('  Send  ctrl+return');
  });

  it('are described with their options', async () => {
    const pane = await launchControls('fields');
    const { fields, descriptions } = pane.form();
    expect(fields.find(({ id }) => id === 'size')).toEqual({
      id: 'size',
      type: 'dropdown-field',
      title: 'Size',
      placeholder: 'Choose one',
      value: null,
      options: [
        { title: 'Small one', value: 'small' },
        { title: 'Large one', value: 'large', section: 'Big' },
      ],
    });
    expect(fields.find(({ id }) => id === 'sure')).toMatchObject({ label: 'I am', value: true });
    expect(descriptions).toEqual([{ title: 'Before', text: 'Fill this in.' }, { text: '' }]);
  });

  it('are submitted as null when nobody filled them in; a late default changes nothing', async () => {
    const pane = await launchControls('fields');
    await pane.fill('one', ['/only.pdf']);
    await pane.submit();
    await pane.waitFor(() => pane.form().descriptions.at(-1)?.text.startsWith('{'));
    expect(JSON.parse(pane.form().descriptions.at(-1)?.text ?? '')).toEqual({
      name: null,
      secret: 'abc',
      words: 'first',
      sure: true,
      size: null,
      files: null,
      one: ['/only.pdf'],
      day: null,
    });
  });

  it.each([
    ['sure', 'yes', 'Nobody can enter "yes" into a checkbox-field.'],
    ['name', 7, 'Nobody can enter 7 into a text-field.'],
    ['size', 'huge', 'There is no option "huge". There are: Small one, Large one.'],
    ['files', '/a.txt', 'Nobody can enter "/a.txt" into a file-picker-field.'],
    ['one', ['/a', '/b'], 'The field "one" takes one file.'],
    ['none', '', 'The form has no field "none".'],
  ])('%s does not take %j', async (id, value, message) => {
    const pane = await launchControls('fields');
    await expect(pane.fill(id, value)).rejects.toThrow(message);
  });

  it('show what the command says of them', async () => {
    const pane = await launchControls('controlled');
    const values = () => Object.fromEntries(pane.form().fields.map(({ id, value }) => [id, value]));
    await pane.fill('extra', 'more');
    await pane.fill('files', ['/a', '/b']);
    await pane.fill('stuck', ['/new']); // a picker with a default and no handler never changes
    expect(values()).toEqual({ name: '', files: ['/a', '/b'], stuck: ['/old'], extra: 'more' });
    await pane.fill('name', 'ada');
    await pane.waitFor(() => values().name === 'ADA');
    expect(values()).toEqual({ name: 'ADA', files: ['/a', '/b'], stuck: ['/old'] });
    await pane.action('Clear');
    await pane.waitFor(() => values().name === '');
    expect(values()).toEqual({ name: '', files: [], stuck: ['/old'], extra: null });
    await expect(pane.submit()).rejects.toThrow('No action submits this form.');
  });
});

describe('the action panel', () => {
  it('is printed with sections, keys and submenus', async () => {
    const pane = await launchControls('keys');
    expect(pane.panel()).toBe(
      [
        'Main',
        '  First  return',
        '  Second  ctrl+return',
        '',
        '  Same keys  ctrl+shift+c',
        '  Kept  ctrl+b',
        '  Used  ctrl+j',
        '  First',
        '  A title with many more words than fit here',
        '',
        '  Empty ▸',
        '  Choose ▸',
        '    First  ctrl+shift+c',
      ].join('\n'),
    );
  });

  it('opens a submenu', async () => {
    const pane = await launchControls('keys');
    expect((await pane.submenu('Choose')).map(({ title }) => title)).toEqual(['First']);
    await expect(pane.submenu('First')).rejects.toThrow('No submenu "First".');
  });

  it('is told what is wrong with it', async () => {
    expect(checkShortcuts(await launchControls('keys'))).toEqual([
      '"Second" and "Same keys" have the same ctrl+shift+c',
      '"Kept" has ctrl+b, which opens the action panel',
      '"Used" has ctrl+j, which moves down',
      'two actions are called "First"',
      '"A title with many more words than fit here" is longer than 40 characters',
      'the submenu "Empty" is empty',
    ]);
    expect(checkShortcuts(await launchControls('fields'))).toEqual([]);
  });

  it('knows the second key of the second action only in the first section', async () => {
    const pane = await launch();
    await pane.shortcut('ctrl+return');
    expect(pane.clipboard?.text).toBe('plain');
    const other = await launchControls('own-choice');
    await expect(other.shortcut('return')).rejects.toThrow('Nothing is bound to return.');
  });
});

describe('icons', () => {
  it('without a picture are named', async () => {
    const pane = await launchControls('icons');
    expect(pane.missingIcons()).toEqual(['number-07']);
  });
});

describe('pushed views', () => {
  it('pushes, streams, and pops by Escape and by the command', async () => {
    const pane = await launch();
    await pane.enter();
    await pane.waitFor(() => pane.detail().markdown.endsWith('The end.'));
    expect(pane.detail().navigationTitle).toBe('Answer');
    expect(pane.depth).toBe(2);
    expect(pane.root().type).toBe('list');
    expect(() => pane.list()).toThrow('The view on screen is a detail, not a list.');
    await pane.back();
    expect([pane.depth, pane.top().type]).toEqual([1, 'list']);
    await pane.enter();
    await pane.action('Back to the List');
    await pane.waitFor(() => pane.depth === 1);
  });

  it('fills in and submits a form', async () => {
    const pane = await launch();
    await pane.shortcut('ctrl+q');
    await pane.waitFor(() => pane.form());
    expect(pane.form().fields.map(({ id, value, error }) => [id, value, error])).toEqual([
      ['name', 'nobody', undefined],
      ['words', null, 'Say something'],
      ['sure', null, undefined],
    ]);
    await expect(pane.submit()).rejects.toThrow(
      'The launcher does not submit this form: "words" shows the error "Say something".',
    );
    await pane.fill('words', 'two\nlines');
    await pane.fill('sure', true);
    await pane.shortcut('ctrl+return');
    expect(notes()).toContain('form {"name":"nobody","words":"two\\nlines","sure":true}');
    expect(pane.form().fields[1]?.error).toBeUndefined();
  });

  it('keeps what each view showed, and finds no reset in a text that grew', async () => {
    const pane = await launch();
    await pane.enter();
    await pane.waitFor(() => pane.detail().markdown.endsWith('The end.'));
    const shown = pane.frames.filter((frame) => frame.view === 'view-2');
    expect(shown.at(-1)).toMatchObject({
      item: null,
      markdown: 'First words and more.\n\nThe end.',
    });
    expect(pane.markdownResets()).toEqual([]);
  });

  it('reports a text that was rewritten', async () => {
    const pane = await launch();
    await pane.action('Show Rewrite');
    await pane.waitFor(() => pane.detail().markdown === 'See [1');
    await pane.enter();
    expect(pane.markdownResets()).toMatchObject([
      {
        kind: 'not-an-extension',
        reason: 'at character 4: "[1" became "(1)"',
        view: 'view-2',
        previous: 'See [1',
        next: 'See (1)',
      },
    ]);
  });
});

describe('the life of a command', () => {
  it('goes on behind a closed window', async () => {
    const pane = await launch();
    await pane.enter();
    pane.closeWindow();
    expect(pane.text()).toContain('the window is closed');
    await pane.waitFor(() => pane.detail().markdown.endsWith('The end.'));
    await pane.reopen();
    expect([pane.running, pane.depth]).toEqual([true, 2]);
  });

  it.each([
    ['was started from a hidden window', { openedByHotkey: true }, undefined],
    ['asked for it when it closed the window', {}, 'Leave for Good'],
  ])('is unloaded at the next opening when it %s', async (_why, options, action) => {
    const pane = await launch(options);
    if (action === undefined) await pane.back();
    else await pane.action(action);
    expect([pane.windowOpen, pane.running]).toEqual([false, true]);
    await pane.reopen();
    expect(pane.running).toBe(false);
    expect(notes()).toContain('cleanup ran');
  });

  it('drops every call after an unload began, while the thread still lives', async () => {
    const storage = new Map<string, unknown>();
    const pane = await launch({ storage });
    await pane.waitFor(() => storage.get('count') === 1);
    await pane.back();
    expect(notes()).toContain('cleanup ran');
    expect(pane.text()).toBe('(root search: the command is unloaded)');
    await pane.unload();
    expect(notes()).toContain('thread still lives');
    expect(notes()).not.toContain('a request settled after unload');
    expect([...storage]).toEqual([['count', 1]]);
    await expect(pane.type('more')).rejects.toThrow('The command was unloaded.');
    await expect(pane.waitFor(() => false)).rejects.toThrow('The command was unloaded.');
  });

  it('ends at once without cleanups when it is killed', async () => {
    const pane = await launch();
    await pane.kill();
    expect(notes()).not.toContain('cleanup ran');
    expect([pane.running, pane.crash]).toEqual([false, null]);
  });

  it('hands LocalStorage from launch to launch; a missing key is null', async () => {
    const storage = new Map<string, unknown>();
    const first = await launch({ storage });
    await first.waitFor(() => first.list().navigationTitle === 'Tour (launch 1)');
    expect(notes()).toContain('missing is null');
    await first.beginUnload();
    const second = await launch({ storage });
    await second.waitFor(() => second.list().navigationTitle === 'Tour (launch 2)');
  });

  it.each([
    ['Throw', 'thrown in an action'],
    ['Reject Later', 'rejected late'],
    ['Reject Slowly', 'rejected after the handler was waited for'],
    ['Exit', 'ended its own thread with exit code 3'],
  ])('dies of the action %s, and every later wait says why', async (title, message) => {
    const pane = await launch();
    await pane.action(title);
    await expect(pane.waitFor(() => false, { label: 'anything' })).rejects.toThrow(message);
    expect(pane.crash?.message).toContain(message);
    expect(pane.text()).toContain(message);
    await expect(pane.enter()).rejects.toThrow(message);
  });

  it.each([
    ['throws', 'thrown in render'],
    ['text-node', 'createTextInstance is not supported: "just words"'],
    ['no such view', 'no view no such view'],
  ])('dies of a render: %s', async (question, message) => {
    await expect(launchBroken(question)).rejects.toThrow(message);
  });

  it('keeps what the command prints', async () => {
    const pane = await launch();
    await pane.action('Print');
    await pane.waitFor(() => pane.output.includes('printed words'));
  });

  it('says which command is missing', async () => {
    await expect(launch({ command: 'absent' })).rejects.toThrow('has no command "absent"');
  });
});

describe('what the launcher refuses', () => {
  it.each([
    ['number-title', 'list > list-item[0].title: string expected, got 7'],
    ['null-markdown', 'detail.markdown: string expected, got null'],
    ['object-placeholder', 'list.searchBarPlaceholder: string expected, got {"no":"string"}'],
    ['unknown-child', 'list > strange-row[0]: not allowed in <list>'],
  ])('%s', async (question, message) => {
    await expect(launchBroken(question)).rejects.toThrow(message);
  });

  it('freezes on the last good frame, and every wait rejects', async () => {
    const pane = await launchBroken('later');
    await pane.action('Break');
    expect(pane.rejections).toEqual([
      {
        frame: 2,
        view: 'view-1',
        problems: ['list > list-item[0].title: string expected, got false'],
      },
    ]);
    expect(pane.list().items[0]?.title).toBe('fine');
    await expect(pane.waitFor(() => true)).rejects.toThrow('The launcher refuses frame 2');
  });

  it('finds what would be fetched or lost without a click', async () => {
    const pane = await launchBroken('dangerous');
    expect(pane.hazards()).toEqual({
      fetches: ['http://t.example/t.png', 'https://t.example/p.png'],
      crashes: [],
      dropped: ['one'],
    });
  });
});

describe('waiting', () => {
  it('shows the pane when a wait ends without its condition', async () => {
    const pane = await launch();
    const wait = pane.waitFor(() => pane.detail().markdown, { label: 'an answer', timeoutMs: 20 });
    await expect(wait).rejects.toThrow(
      /Waited 20 ms for an answer\.\nThe condition threw: The view on screen is a list.*\nThe pane shows:\n= Tour/,
    );
  });

  it('settles once the frames stop', async () => {
    const pane = await launch();
    await pane.enter();
    await pane.settled();
    expect(pane.detail().markdown).toMatch(/The end\.$/);
  });
});
