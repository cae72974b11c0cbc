import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Evidence, Turn } from '../lib/types';
import { makeSource, makeToolCall, makeTurn } from './support/builders';
import { checkShortcuts, openPane, type Pane } from './support/pane';
import { drawPane } from './support/pane-model';

/** A page that pushes the view of the evidence of a turn from a file, as the chat does. */
const COMMAND = `
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Action, ActionPanel, Detail, environment, useNavigation } from '@vicinae/api';
import { createEvidence } from './src/host/evidence/lazy-evidence';
import { EvidenceView } from './src/views/evidence-view';
import { Pushed } from './src/views/pushed';

const { turn, kind } = JSON.parse(readFileSync(join(environment.supportPath, 'scene.json'), 'utf8'));
const { assetsPath } = environment;
const real = createEvidence({ assetsPath });
let asked = 0;
const ports = {
  real,
  missing: createEvidence({ assetsPath: join(assetsPath, 'none') }),
  silent: { ...real, report: () => new Promise(() => undefined) },
  late: {
    ...real,
    report: (each) =>
      asked++ === 0 ? Promise.resolve({ ok: false, message: 'The disk <b>sleeps</b>.' }) : real.report(each),
  },
};
const nothing = () => undefined;
export default function Command() {
  const { push } = useNavigation();
  const show = () => push(<Pushed onGone={nothing}><EvidenceView turn={turn} evidence={ports[kind]} /></Pushed>);
  return (
    <Detail
      markdown="The chat."
      actions={<ActionPanel><Action title="Show Evidence" onAction={show} /></ActionPanel>}
    />
  );
}
`;

let bundleDir: string;
let supportPath: string;
const panes: Pane[] = [];

beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'lam-evidence-'));
  const common = { bundle: true, format: 'cjs', platform: 'node', jsx: 'automatic' } as const;
  await build({
    ...common,
    stdin: { contents: COMMAND, loader: 'tsx', resolveDir: process.cwd(), sourcefile: 'chat.tsx' },
    external: ['react', '@vicinae/api'],
    outfile: join(bundleDir, 'chat.js'),
  });
  // As .ci/build-assets.mjs builds it: from what is in the sources now.
  await build({
    ...common,
    entryPoints: ['src/bundles/evidence.ts'],
    outfile: join(bundleDir, 'assets/evidence.js'),
    mainFields: ['module', 'main'],
    conditions: ['import'],
  });
  writeFileSync(
    join(bundleDir, 'package.json'),
    JSON.stringify({ name: 'lam', author: 'lam', commands: [{ name: 'chat', mode: 'view' }] }),
  );
});
afterAll(() => {
  rmSync(bundleDir, { recursive: true, force: true });
});
beforeEach(() => {
  supportPath = mkdtempSync(join(tmpdir(), 'lam-support-'));
});
afterEach(async () => {
  await Promise.all(panes.splice(0).map((pane) => pane.kill()));
  rmSync(supportPath, { recursive: true, force: true });
});

const NOTES = 'Green tea takes two minutes in hot water.';
const PAGE: Evidence = {
  index: 1,
  id: 'https://tea.example/green',
  title: 'Green tea',
  url: 'https://tea.example/green',
  kind: 'web',
  blocks: ['b2'],
  number: 2,
  start: 12,
  end: 53,
  quote: NOTES,
  score: 1,
  markers: [36],
  fragment: 'text=Green%20tea%20takes',
};

/** Cites a page and a file, quotes the page, and says one thing without a source. */
function answer(notesPath: string, overrides: Partial<Turn> = {}): Turn {
  const file = { index: 2, title: 'Kiln notes', url: notesPath, kind: 'document' as const };
  return makeTurn({
    response:
      'It “takes two minutes in hot water” [1]. Kilns reach 1,280 degrees [1][2].\n\nIn 1848 Robert Fortune went to China.',
    toolCalls: [
      makeToolCall({
        sources: [
          makeSource({ title: 'Green tea', url: PAGE.url }),
          makeSource({ ...file, status: 'read' }),
        ],
      }),
    ],
    evidence: [
      PAGE,
      {
        ...PAGE,
        ...file,
        id: notesPath,
        version: createHash('sha256').update('as it was').digest('hex'),
        page: 4,
        quote: 'The kiln reaches 1,280 degrees.',
        score: 0.7,
        markers: [70],
        fragment: undefined,
      },
    ],
    quotes: [{ start: 4, end: 34, marker: 36, index: 1, status: 'exact' }],
    ...overrides,
  });
}

async function show(
  turn: Turn,
  kind: 'real' | 'missing' | 'silent' | 'late' = 'real',
): Promise<Pane> {
  writeFileSync(join(supportPath, 'scene.json'), JSON.stringify({ turn, kind }));
  const pane = await openPane({ bundleDir, command: 'chat', supportPath, unloadGraceMs: 200 });
  panes.push(pane);
  await pane.enter();
  await pane.waitFor(() => pane.depth === 2 && pane.top().type === 'list');
  if (kind !== 'silent')
    await pane.waitFor(() => !pane.list().isLoading, { label: 'the evidence' });
  return pane;
}

const notesPath = (): string => join(supportPath, 'kiln notes.md');
const titles = (pane: Pane) => pane.actions().map(({ title }) => title);
const detail = (pane: Pane) => drawPane(pane.list().selected?.detail ?? '').text;

function expectSound(pane: Pane): void {
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toEqual({ fetches: [], crashes: [], dropped: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('the evidence of an answer', () => {
  it('has quotations, claims and what has no source, and the passage beside the selected row', async () => {
    writeFileSync(notesPath(), 'as it was');
    const pane = await show(answer(notesPath()));
    const { items, navigationTitle } = pane.list();
    expect(navigationTitle).toBe('Evidence: 2 cited · 2 read · 1 sentence without a source');
    expect(
      items.map(({ section, icon, title, accessories }) => [
        section,
        icon,
        title,
        accessories[0]?.text,
      ]),
    ).toEqual([
      ['Quotations', 'check-circle', '“takes two minutes in hot water”', '[1]'],
      ['Claims', 'text', 'It “takes two minutes in hot water”.', '[1]'],
      ['Claims', 'text', 'Kilns reach 1,280 degrees.', '[1] [2]'],
      ['Without a Source', 'stop', 'In 1848 Robert Fortune went to China.', undefined],
    ]);
    expect(detail(pane)).toContain('Word for word in what was read');
    expect(detail(pane)).toContain(`tea.example · ¶2 · holds the quotation\n\n${NOTES}`);
    await pane.select(2);
    await pane.waitFor(() => detail(pane).includes('kiln notes.md · p. 4 · closest passage'));
    expect(pane.list().items.filter((item) => item.detail !== undefined)).toHaveLength(1);
    expectSound(pane);
  });

  it('says that a file has changed since, or is gone', async () => {
    writeFileSync(notesPath(), 'as it is now');
    const changed = await show(answer(notesPath()));
    expect(changed.list().navigationTitle).toBe(
      'Evidence: 2 cited · 2 read · 1 sentence without a source · 1 file changed since the answer',
    );
    await changed.select(2);
    await changed.waitFor(() => detail(changed).includes('The file has changed since'));
    expect(detail(changed)).toContain('The kiln reaches 1,280 degrees.');
    rmSync(notesPath());
    const gone = await show(answer(notesPath()));
    expect(gone.list().navigationTitle).toBe(
      'Evidence: 2 cited · 2 read · 1 sentence without a source · 1 file gone',
    );
    await gone.select(2);
    await gone.waitFor(() => detail(gone).includes('The file is gone; this is what it said.'));
    expect(detail(gone)).toContain('The kiln reaches 1,280 degrees.');
    const { links } = drawPane(gone.list().selected?.detail ?? '');
    expect(links.map(({ href }) => href)).toEqual([PAGE.url, PAGE.url]);
    // The page is what can still be opened.
    expect(titles(gone)).not.toContain('Open File');
    expect(titles(gone)).not.toContain('Open Other Source');
    await gone.enter();
    await gone.waitFor(() => gone.opened.length === 1);
    expect(gone.opened).toEqual([PAGE.url]);
  });

  it('goes back on Return where a file is gone and nothing else can be opened', async () => {
    const [, notes] = answer(notesPath()).evidence ?? [];
    const turn = answer(notesPath(), {
      response: 'Kilns reach 1,280 degrees [2]. They are old [2].',
      evidence: [{ ...(notes ?? PAGE), markers: [26] }],
      quotes: [],
    });
    const pane = await show(turn);
    expect(titles(pane).slice(0, 2)).toEqual(['Back', 'Copy Passage']);
    await pane.select(1);
    await pane.waitFor(() => detail(pane).includes('The file is gone.'));
    expect(titles(pane)[0]).toBe('Back');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 1);
    expect([pane.opened, pane.clipboard]).toEqual([[], null]);
  });

  it('opens a page at the passage, and a file by its path', async () => {
    writeFileSync(notesPath(), 'as it was');
    const pane = await show(answer(notesPath()));
    expect(titles(pane)).toEqual([
      'Open Passage',
      'Copy Passage',
      'Copy Answer with Evidence',
      'Copy Sources as BibTeX',
      'Copy Sources as CSL-JSON',
      'Back',
    ]);
    await pane.enter();
    await pane.waitFor(() => pane.opened.length === 1);
    await pane.select(2);
    await pane.waitFor(() => titles(pane).includes('Open Other Source'));
    expectSound(pane);
    // The page has no passage for this sentence, so the file comes first.
    expect(titles(pane)[0]).toBe('Open File');
    const [other] = await pane.submenu('Open Other Source');
    expect(other?.title).toBe('[1] Green tea');
    await pane.enter();
    await pane.waitFor(() => pane.opened.length === 2);
    expect(pane.opened).toEqual([
      'https://tea.example/green#:~:text=Green%20tea%20takes',
      notesPath(),
    ]);
    expect(pane.depth).toBe(2);
  });

  it('finds rows by their sources, numbers, files and states, and says so when there is none', async () => {
    const pane = await show(answer(notesPath()));
    const found = async (words: string): Promise<number> => {
      await pane.type(words);
      return pane.list().items.length;
    };
    expect(await found('kiln notes.md')).toBe(1);
    expect(await found('tea.example')).toBe(3);
    expect(await found('[2]')).toBe(1);
    expect(await found('word for word')).toBe(1);
    expect(await found('no source beside')).toBe(1);
    expect(await found('lighthouse')).toBe(0);
    expect(pane.list().emptyView?.title).toBe('Nothing found');
    expect(titles(pane)[0]).toBe('Back');
    expectSound(pane);
  });

  it('copies a passage in the words of the source', async () => {
    const pane = await show(answer(notesPath()));
    await pane.shortcut('ctrl+shift+c');
    await pane.waitFor(() => pane.toast?.title === 'Passage copied');
    expect(pane.clipboard?.text).toBe(`${NOTES}\n— Green tea, ¶2`);
  });

  it('copies the evidence, and the sources for a reference manager', async () => {
    const pane = await show(answer(notesPath()));
    await pane.shortcut('ctrl+shift+a');
    await pane.waitFor(() => pane.toast?.title === 'Answer copied');
    expect(pane.clipboard?.text).toContain(NOTES);
    await pane.action('Copy Sources as BibTeX');
    await pane.waitFor(() => pane.toast?.message === 'as BibTeX');
    expect(pane.clipboard?.text).toContain('url = {https://tea.example/green}');
    await pane.action('Copy Sources as CSL-JSON');
    await pane.waitFor(() => pane.toast?.message === 'as CSL-JSON');
    expect(JSON.parse(pane.clipboard?.text ?? '')).toMatchObject([{ title: 'Green tea' }, {}]);
    // Where a person's files are says who that person is.
    expect(pane.clipboard?.text).not.toContain(supportPath);
  });

  it('goes back to the chat', async () => {
    const pane = await show(answer(notesPath()));
    await pane.select(3);
    await pane.waitFor(() => titles(pane)[0] === 'Back');
    expectSound(pane);
    await pane.enter();
    await pane.waitFor(() => pane.depth === 1);
    expect(pane.detail().markdown).toBe('The chat.');
  });

  it('lets nothing act that a page says', async () => {
    const hostile =
      '<img src=http://t.example/x> ![a](http://t.example/y) `<b>` [z](vicinae://kill)';
    const marker = 12 + hostile.length;
    const turn = answer(notesPath(), {
      response: `It is “${hostile}” so [1].`,
      evidence: [{ ...PAGE, title: hostile, quote: hostile, markers: [marker] }],
      quotes: [{ start: 7, end: 7 + hostile.length, marker, index: 1, status: 'not-found' }],
    });
    const pane = await show(turn);
    await pane.select(0);
    await pane.settled();
    expect(detail(pane)).toContain('![a](http://t.example/y)');
    expect(pane.list().selected?.detail).not.toContain('](vicinae');
    expectSound(pane);
  });
});

describe('nothing to see', () => {
  it('says that nothing is cited', async () => {
    const pane = await show(makeTurn({ response: 'Hello.', evidence: [], quotes: [] }));
    expect(pane.list().emptyView).toMatchObject({ title: 'This answer cites nothing' });
    expect(pane.list().navigationTitle).toBe('Evidence');
    expect(titles(pane)).toEqual(['Back']);
    expectSound(pane);
    await pane.enter();
    await pane.waitFor(() => pane.depth === 1);
    expect(pane.clipboard).toBeNull();
  });

  it('says that an old answer has no evidence', async () => {
    const pane = await show(makeTurn({ evidence: undefined }));
    expect(pane.list().emptyView?.title).toBe('No evidence was kept');
    expect(pane.list().emptyView?.description).toContain('Regenerate');
    expect(titles(pane)).toEqual(['Back', 'Copy Sources as BibTeX', 'Copy Sources as CSL-JSON']);
  });

  it('is looked for while the files are read', async () => {
    const pane = await show(answer(notesPath()), 'silent');
    expect(pane.list()).toMatchObject({ isLoading: true, items: [], navigationTitle: 'Evidence' });
    await pane.action('Back');
    await pane.waitFor(() => pane.depth === 1);
  });

  it('says what to do when a part of Lam is missing', async () => {
    const pane = await show(answer(notesPath()), 'missing');
    expect(pane.list().emptyView?.title).toBe('The evidence cannot be shown');
    expect(pane.list().emptyView?.description).toContain('Reinstall Lam');
    expect(titles(pane)).toEqual(['Try Again', 'Back']);
    expectSound(pane);
  });

  it('tries again', async () => {
    const pane = await show(answer(notesPath()), 'late');
    expect(pane.list().emptyView?.description).toBe('The disk ‹b›sleeps‹/b›.');
    await pane.enter();
    await pane.waitFor(() => pane.list().items.length === 4);
    expect(titles(pane)).not.toContain('Try Again');
  });
});
