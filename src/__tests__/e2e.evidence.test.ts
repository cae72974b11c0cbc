import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import type { Turn } from '../lib/types';
import { copyBundle, type BundleCopy } from './support/bundle-copy';
import { ask, copied, drawn, questions, sourceEntries, untilTurn } from './support/chat-pane';
import { importFile, openList, untilToast } from './support/conversation-list';
import { WORDS } from './support/document-fixtures';
import {
  beside,
  besideRow,
  chooseFolder,
  evidenceRows,
  numberIn,
  showEvidence,
} from './support/document-pane';
import { createGate, type Step } from './support/model-server';
import type { Pane } from './support/pane';
import { papersStages } from './support/papers-stage';
import { expectSound } from './support/sound';
import type { Stage } from './support/stage';
import { storedConversation, untilTurnsStored } from './support/store-files';

const { stage, tempFolder, papers } = papersStages();

const KILN = 'Papers/notes/kiln.md';
const REPORT = 'Papers/report.pdf';
const VERBATIM = 'The Cloud Garden yielded nine crates of leaf';
const ALTERED = 'the dragon kiln reached 1,380 degrees after three days';
const CHANGED = 'The file has changed since; this is what it said.';
const GONE = 'The file is gone; this is what it said.';

const searchStep: Step = {
  calls: [{ name: 'search_documents', arguments: { query: 'dragon kiln degrees' } }],
};
const readStep: Step = {
  calls: [{ name: 'read_document', arguments: { path: REPORT, page: 2 } }],
};
/** Quotes the second page of the report as it is, and a note with one figure altered. */
const quotingStep: Step = ({ body }) => ({
  text: `Your report says “${VERBATIM}” [${numberIn(body, REPORT)}]. Your notes say “${ALTERED}” [${numberIn(body, KILN)}].`,
});
/** Says what a note says, in other words. */
const kilnStep: Step = ({ body }) => ({
  text: `After three days of firing the dragon kiln had 1,280 degrees [${numberIn(body, KILN)}].`,
});

const fetchStep = (url: string): Step => ({ calls: [{ name: 'web_fetch', arguments: { url } }] });

/** A stage whose person has chosen the folder of papers. */
async function chosen(
  steps: (origin: string) => readonly Step[],
  preferences: Record<string, unknown> = {},
): Promise<Stage> {
  return stage({ steps, preferences: { documents: papers.path, ...preferences } });
}

async function asked(pane: Pane, question: string, count = 1): Promise<void> {
  await ask(pane, question);
  await untilTurn(pane, 'done', count);
}

/** A new launch with the conversation of the one before. */
async function reopened({ open }: Pick<Stage, 'open'>, count = 1): Promise<Pane> {
  const pane = await open();
  await pane.waitFor(() => questions(pane).length === count, { label: 'the conversation' });
  return pane;
}

const backToChat = async (pane: Pane): Promise<void> => {
  await pane.back();
  await pane.waitFor(() => pane.depth === 1, { label: 'the chat' });
};

const storedTurns = ({ supportPath }: Pick<Stage, 'supportPath'>): Turn[] =>
  storedConversation(supportPath).turns;
/** What stood there before a note was added to it. */
const without = (note: string, text: string): string => text.replace(`\n\n${note}`, '');
const quotesOf = ({ evidence = [] }: Turn): string[] => evidence.map(({ quote }) => quote);

/** Runs an action that opens something, and gives what was opened. */
async function opened(pane: Pane, title: string): Promise<string | undefined> {
  const before = pane.opened.length;
  await pane.action(title);
  await pane.waitFor(() => pane.opened.length > before, { label: title });
  return pane.opened.at(-1);
}

describe('the evidence of an answer from documents', () => {
  it('has the passages with their places, and stays when the files change and go', async () => {
    const here = await stage({ steps: () => [searchStep, readStep, quotingStep] });
    const list = await here.open({ command: 'documents' });
    await chooseFolder(list, papers.path);
    await list.unload();

    const pane = await here.open();
    await asked(pane, 'What do my papers say?');
    expect(drawn(pane).links.map(({ href }) => href)).toEqual([
      papers.file('report.pdf'),
      papers.file('notes/kiln.md'),
      papers.file('notes/kiln.md'),
      papers.file('report.pdf'),
    ]);
    const [kiln = '', report = ''] = sourceEntries(pane).map((each) => each.replace(/ — .*/u, ''));
    expect([kiln, report]).toEqual(['[1] Kiln notes', '[2] The garden report']);
    expect(await opened(pane, `Open Source/${report}`)).toBe(papers.file('report.pdf'));
    expectSound(pane);

    // Nothing was reloaded in between.
    await showEvidence(pane);
    const rows = [
      ['Quotations', 'check-circle', `“${VERBATIM}”`, '[2]'],
      ['Quotations', 'warning', `“${ALTERED}”`, '[1]'],
      ['Claims', 'text', `Your report says “${VERBATIM}”.`, '[2]'],
      ['Claims', 'warning', `Your notes say “${ALTERED}”.`, '[1]'],
    ];
    expect(evidenceRows(pane)).toEqual(rows);
    const summary = 'Evidence: 2 cited · 2 read · 1 quotation not word for word';
    expect(pane.list().navigationTitle).toBe(summary);
    const first = beside(pane);
    expect(first).toContain('Word for word in what was read');
    expect(first).toContain(`report.pdf · p. 2 · holds the quotation\n\n${WORDS.pdf}`);
    expect(await opened(pane, 'Open File')).toBe(papers.file('report.pdf'));
    const second = await besideRow(pane, 1, 'kiln.md');
    expect(second).toContain('Close, not word for word');
    expect(second).toContain(`kiln.md · ¶2 · close to the quotation\n\n${WORDS.english}`);
    expect(await opened(pane, 'Open File')).toBe(papers.file('notes/kiln.md'));
    expect(await besideRow(pane, 2, 'report.pdf')).toContain('· p. 2 ·');
    expect((await copied(pane, 'Copy Passage')).text).toBe(
      `${WORDS.pdf}\n— The garden report, p. 2`,
    );
    expectSound(pane);
    await backToChat(pane);
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    const before = storedTurns(here);
    expect(before[0]?.evidence).toMatchObject([
      { index: 2, url: papers.file('report.pdf'), page: 2, quote: WORDS.pdf },
      { index: 1, url: papers.file('notes/kiln.md'), number: 2, quote: WORDS.english },
    ]);
    expect(before[0]?.quotes?.map(({ status }) => status)).toEqual(['exact', 'close']);
    // Where a person's files lie says who that person is.
    expect(JSON.stringify(here.model.requests)).not.toContain(papers.around);
    here.model.assertComplete();
    await pane.unload();

    appendFileSync(papers.file('notes/kiln.md'), '\nIt was rebuilt later.\n');
    const edited = await reopened(here);
    await showEvidence(edited);
    expect(edited.list().navigationTitle).toBe(`${summary} · 1 file changed since the answer`);
    expect(evidenceRows(edited)).toEqual(rows);
    expect(beside(edited)).toBe(first);
    expect(without(CHANGED, await besideRow(edited, 1, CHANGED))).toBe(second);
    expectSound(edited);
    await edited.unload();
    expect(storedTurns(here)).toEqual(before);

    rmSync(papers.file('notes/kiln.md'));
    rmSync(papers.file('report.pdf'));
    const gone = await reopened(here);
    await showEvidence(gone);
    expect(gone.list().navigationTitle).toBe(`${summary} · 2 files gone`);
    expect(evidenceRows(gone)).toEqual(rows);
    expect(without(GONE, beside(gone))).toBe(first);
    expect(gone.actions().map(({ title }) => title)).not.toContain('Open File');
    expect(without(GONE, await besideRow(gone, 1, GONE))).toBe(second);
    expectSound(gone);
    await gone.unload();
    expect(storedTurns(here)).toEqual(before);
  });

  it('is there in the view of one answer too', async () => {
    const { open } = await chosen(() => [searchStep, kilnStep]);
    const pane = await open();
    await asked(pane, 'How hot was it?');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && pane.top().type === 'detail', {
      label: 'the answer',
    });
    await pane.shortcut('ctrl+shift+s');
    await pane.waitFor(
      () => pane.depth === 3 && pane.top().type === 'list' && !pane.list().isLoading,
      { label: 'the evidence' },
    );
    expect(beside(pane)).toContain(WORDS.english);
    expectSound(pane);
    await pane.action('Back');
    await pane.waitFor(() => pane.depth === 2, { label: 'the answer' });
  });

  it('finds the passages of several languages', async () => {
    const { open, supportPath } = await chosen(() => [
      {
        calls: ['Felsentee', '龙井茶', 'lease crowns'].map((query) => ({
          name: 'search_documents',
          arguments: { query },
        })),
      },
      ({ body }) => {
        const number = (name: string) => String(numberIn(body, `Papers/${name}`));
        return {
          text: [
            `Der Felsentee wird zwölf Stunden über Holzkohle geröstet [${number('notes/röstung.md')}].`,
            `龙井茶的炒制温度约为八十度 [${number('notes/龙井.md')}]。`,
            `The lease costs “400 crowns a year” and runs until 2031 [${number('lease.docx')}].`,
          ].join('\n\n'),
        };
      },
    ]);
    const pane = await open();
    await asked(pane, 'What do they say?');
    await untilTurnsStored(supportPath, [{ state: 'done' }]);
    const [turn] = storedTurns({ supportPath });
    expect(turn && quotesOf(turn)).toEqual([WORDS.german, WORDS.chinese, WORDS.docx]);
    await showEvidence(pane);
    const claims = evidenceRows(pane).filter(([section]) => section === 'Claims');
    expect(claims.map(([, icon]) => icon)).toEqual(Array(3).fill('text'));
    expectSound(pane);
  });

  it('is copied as Markdown, BibTeX and CSL-JSON', async () => {
    const { open } = await chosen(() => [searchStep, readStep, quotingStep]);
    const pane = await open();
    await asked(pane, 'What do my papers say?');
    await showEvidence(pane);
    const evidence = await copied(pane, 'Copy Answer with Evidence');
    expect(evidence.said).toEqual(['Answer copied', 'with its evidence']);
    expect(evidence.text).toContain(`“${VERBATIM}” [^2]. Your notes say “${ALTERED}” [^1].`);
    expect(evidence.text).toContain(
      `[^1]: Kiln notes – closest passage, ¶2: “${WORDS.english}” – quotations: 1 not word for word (“${ALTERED.slice(0, 20)}`,
    );
    expect(evidence.text).toContain(
      `[^2]: The garden report – p. 2: “${WORDS.pdf}” – quotations: 1 verbatim`,
    );
    const bibtex = await copied(pane, 'Copy Sources as BibTeX');
    expect(bibtex.said).toEqual(['Sources copied', 'as BibTeX']);
    expect(bibtex.text).toMatch(
      /^@misc\{[\w-]+,\n {2}title = \{Kiln notes\},\n {2}note = \{kiln\.md\},\n {2}urldate = \{\d{4}-\d\d-\d\d\},\n\}\n\n@misc\{[\w-]+,\n {2}title = \{The garden report\},\n {2}note = \{report\.pdf\},/u,
    );
    const csl = await copied(pane, 'Copy Sources as CSL-JSON');
    expect(csl.said).toEqual(['Sources copied', 'as CSL-JSON']);
    expect(JSON.parse(csl.text)).toMatchObject([
      { type: 'document', title: 'Kiln notes', note: 'kiln.md' },
      { type: 'document', title: 'The garden report', note: 'report.pdf' },
    ]);
    for (const { text } of [bibtex, csl]) expect(text).not.toContain(papers.path);
    expectSound(pane);
  });
});

describe('the evidence of an answer from the web', () => {
  const ABOUT = 'The growers founded the Gardeners’ League in 1903';

  it('opens the page at the passage', async () => {
    const { open, supportPath, site } = await stage({
      steps: (origin) => [
        fetchStep(`${origin}/history`),
        { text: `${ABOUT} [1]. “Tea has grown on the island of Verdel since 1781” [1].` },
      ],
    });
    const pane = await open();
    await asked(pane, 'Since when?');
    await untilTurnsStored(supportPath, [{ state: 'done' }]);
    const [turn] = storedTurns({ supportPath });
    const [quotation, claim] = ['1781', '1903'].map((year) =>
      turn?.evidence?.find(({ quote }) => quote.includes(year)),
    );
    expect(quotation?.fragment).toMatch(/^text=/u);
    expect(claim?.fragment).toMatch(/^text=The%20growers%20founded/u);
    expect(turn?.quotes?.map(({ status }) => status)).toEqual(['exact']);
    await showEvidence(pane);
    expect(evidenceRows(pane)).toEqual([
      ['Quotations', 'check-circle', '“Tea has grown on the island of Verdel since 1781”', '[1]'],
      ['Claims', 'text', `${ABOUT}.`, '[1]'],
      ['Claims', 'text', '“Tea has grown on the island of Verdel since 1781”.', '[1]'],
    ]);
    const at = (fragment = '') => `${site.origin}/history#:~:${fragment}`;
    expect(await opened(pane, 'Open Passage')).toBe(at(quotation?.fragment));
    await besideRow(pane, 1, '1903');
    expect(await opened(pane, 'Open Passage')).toBe(at(claim?.fragment));
    const { text } = await copied(pane, 'Copy Answer with Evidence');
    expect(text).toContain(`(${at(claim?.fragment)})`);
    expect((await copied(pane, 'Copy Sources as BibTeX')).text).toContain(`@online{`);
    expect(JSON.parse((await copied(pane, 'Copy Sources as CSL-JSON')).text)).toMatchObject([
      { type: 'webpage', title: 'How tea came to Verdel', URL: `${site.origin}/history` },
    ]);
    // What was read is kept: nothing is asked for again.
    expect(site.requests).toEqual(['GET /history']);
    expectSound(pane);
  });

  it('tells a page that was only a search hit, and one that could not be read', async () => {
    const { open } = await stage({
      steps: (origin) => [
        {
          calls: [
            { name: 'web_search', arguments: { query: 'growing tea' } },
            { name: 'web_fetch', arguments: { url: `${origin}/nowhere` } },
          ],
        },
        { text: 'Tea on Verdel grows on terraces [1]. In 1846 the salt pans silted up.' },
      ],
    });
    const pane = await open();
    await asked(pane, 'Where?');
    await showEvidence(pane);
    expect(evidenceRows(pane).map(([section]) => section)).toEqual([
      'Cited but Not Read',
      'Claims',
      'Without a Source',
    ]);
    expect(pane.list().navigationTitle).toBe(
      'Evidence: 1 cited · 0 read · 1 sentence without a source',
    );
    await besideRow(pane, 0, 'Only a search hit; the page was not read.');
    expectSound(pane);
  });
});

describe('evidence is kept', () => {
  it('of each version when an answer is made again', async () => {
    const here = await chosen(() => [
      searchStep,
      kilnStep,
      readStep,
      ({ body }) => ({
        text: `In a spring of heavy fog the Cloud Garden yielded nine crates [${numberIn(body, REPORT)}].`,
      }),
    ]);
    const pane = await here.open();
    await asked(pane, 'What do they say?');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    await pane.shortcut('ctrl+r');
    await pane.waitFor(() => drawn(pane).text.includes('nine crates'), { label: 'the new answer' });
    await untilTurn(pane, 'done');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }, { state: 'done' }]);
    expect(storedTurns(here).map(quotesOf)).toEqual([[WORDS.english], [WORDS.pdf]]);
    await showEvidence(pane);
    expect(beside(pane)).toContain(WORDS.pdf);
    await backToChat(pane);
    await pane.unload();
    const next = await reopened(here);
    await next.shortcut('ctrl+[');
    await next.waitFor(() => drawn(next).text.includes('1,280'), { label: 'the version before' });
    await showEvidence(next);
    expect(beside(next)).toContain(WORDS.english);
    expectSound(next);
  });

  it('for a number that an earlier answer has read', async () => {
    const here = await chosen(() => [
      searchStep,
      kilnStep,
      { text: 'Pine wood was burned at the end, since its long flame carries the heat [1].' },
    ]);
    const first = await here.open();
    await asked(first, 'How hot was it?');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    await first.unload();
    rmSync(papers.file('notes/kiln.md'));
    const pane = await reopened(here);
    await asked(pane, 'And the wood?', 2);
    expect(drawn(pane).links[0]?.href).toBe(papers.file('notes/kiln.md'));
    await showEvidence(pane);
    expect(beside(pane)).toContain('Pine wood was burned at the end: its long flame');
    expect(beside(pane)).toContain(GONE);
    await untilTurnsStored(here.supportPath, [{ state: 'done' }, { state: 'done' }]);
    expect(storedTurns(here)[1]?.toolCalls).toEqual([]);
    expect(JSON.stringify(here.model.requests)).not.toContain(papers.around);
    expectSound(pane);
  });

  it('of an old answer when a newer one is written from the changed file', async () => {
    const newer = WORDS.english.replace('1,280', '1,310');
    const here = await chosen(() => [
      searchStep,
      kilnStep,
      searchStep,
      { text: 'After three days of firing the dragon kiln had 1,310 degrees [1].' },
    ]);
    const first = await here.open();
    await asked(first, 'How hot was it?');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    await first.unload();
    const file = papers.file('notes/kiln.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace(WORDS.english, newer));
    const pane = await reopened(here);
    await asked(pane, 'And now?', 2);
    await untilTurnsStored(here.supportPath, [{ state: 'done' }, { state: 'done' }]);
    expect(storedTurns(here).map(quotesOf)).toEqual([[WORDS.english], [newer]]);
    await showEvidence(pane);
    expect(beside(pane)).toContain(newer);
    expect(pane.list().navigationTitle).toBe('Evidence: 1 cited · 1 read');
    await backToChat(pane);
    await pane.select(1);
    await showEvidence(pane);
    expect(beside(pane)).toContain(WORDS.english);
    expect(beside(pane)).toContain(CHANGED);
    expectSound(pane);
  });

  it('of an answer that was stopped and continued', async () => {
    const gate = createGate();
    const here = await chosen(() => [
      searchStep,
      { text: ['After three days of firing ', gate, 'nobody reads this'] },
      ({ body }) => ({ text: `the dragon kiln had 1,280 degrees [${numberIn(body, KILN)}].` }),
    ]);
    const pane = await here.open();
    await ask(pane, 'How hot was it?');
    await pane.waitFor(() => drawn(pane).text.includes('three days of firing'), {
      label: 'the beginning',
    });
    await pane.shortcut('ctrl+.');
    await untilTurn(pane, 'stopped');
    await untilTurnsStored(here.supportPath, [{ state: 'stopped' }]);
    await pane.shortcut('ctrl+shift+return');
    await pane.waitFor(() => drawn(pane).text.includes('1,280 degrees'), { label: 'the rest' });
    await untilTurn(pane, 'done');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    const [turn] = storedTurns(here);
    expect(turn && quotesOf(turn)).toEqual([WORDS.english]);
    expect(turn?.evidence?.[0]?.markers).toEqual([turn?.response.indexOf('[1]')]);
    await showEvidence(pane);
    expect(beside(pane)).toContain(WORDS.english);
    gate.open();
    expectSound(pane);
  });

  it('of an answer that was stopped, as far as it had come', async () => {
    const gate = createGate();
    const here = await chosen(() => [
      searchStep,
      { text: ['After three days the dragon kiln had 1,280 degrees [1]. And ', gate] },
    ]);
    const pane = await here.open();
    await ask(pane, 'How hot was it?');
    await pane.waitFor(() => drawn(pane).text.includes('And'), { label: 'the beginning' });
    expect(pane.actions().map(({ title }) => title)).not.toContain('Show Evidence…');
    await pane.shortcut('ctrl+.');
    await untilTurn(pane, 'stopped');
    await showEvidence(pane);
    expect(beside(pane)).toContain(WORDS.english);
    gate.open();
    expectSound(pane);
  });

  it('through export and import, without the paths of this machine', async () => {
    const here = await chosen((origin) => [
      searchStep,
      fetchStep(`${origin}/history`),
      ({ body }) => ({
        text: `Your notes say “${ALTERED}” [${numberIn(body, KILN)}]. The growers founded the League in 1903 [2].`,
      }),
    ]);
    const pane = await here.open();
    await asked(pane, 'What do they say?');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    await pane.unload();
    const list = await openList(here);
    await list.action('Export/As JSON, to Import Again');
    await untilToast(list, 'Exported');
    const [name = ''] = here.downloads.names();

    const there = await stage();
    const other = await openList(there);
    await importFile(other, here.downloads.path(name));
    await other.waitFor(() => other.depth === 1 && other.list().items.length === 1, {
      label: 'what was imported',
    });
    const [before] = storedTurns(here);
    const [after] = storedTurns(there);
    expect(after && quotesOf(after)).toEqual(before && quotesOf(before));
    expect(after?.quotes).toEqual(before?.quotes);
    expect(after?.evidence?.map(({ url }) => url)).toEqual([
      'kiln.md',
      `${here.site.origin}/history`,
    ]);
    expect(JSON.stringify(after)).not.toContain(papers.path);
    await other.enter();
    await other.waitFor(() => other.depth === 2 && questions(other).length === 1, {
      label: 'the conversation',
    });
    expect(drawn(other).links.map(({ href }) => href)).toEqual(
      Array(2).fill(`${here.site.origin}/history`),
    );
    await other.shortcut('ctrl+shift+s');
    await other.waitFor(() => other.depth === 3 && !other.list().isLoading, {
      label: 'the evidence',
    });
    expect(beside(other)).toContain(WORDS.english);
    expect(other.actions().map(({ title }) => title)).not.toContain('Open File');
    expectSound(list);
    expectSound(other);
  });
});

describe('the line under the sources', () => {
  const good: Step = ({ body }) => ({
    text: `“${VERBATIM}” [${numberIn(body, REPORT)}].`,
  });
  const bad: Step = { text: '“The Low Terrace sold forty wagons of salt” [1].' };
  const FINE = ' cited · 1 read';
  const BAD = ' cited · 1 read · 1 quotation not found';

  it.each<[string, string | undefined, string | undefined, string | undefined]>([
    ['is there when a quotation was not found, unless set', undefined, undefined, BAD],
    ['is there when a quotation was not found', 'problems', undefined, BAD],
    ['is always there', 'always', FINE, BAD],
    ['is never there', 'never', undefined, undefined],
  ])('%s', async (_name, evidenceLine, fine, wrong) => {
    const { open } = await chosen(
      () => [readStep, good, bad],
      evidenceLine === undefined ? {} : { evidenceLine },
    );
    const pane = await open();
    /** What stands under the list of sources. */
    const line = () => / cited · [^\n]*$/u.exec(drawn(pane).text)?.[0];
    await asked(pane, 'What does it say?');
    expect(line()).toBe(fine);
    await asked(pane, 'What else?', 2);
    expect(line()).toBe(wrong);
    await showEvidence(pane);
    expect(pane.list().navigationTitle).toBe(`Evidence: 1${BAD}`);
    expect(beside(pane)).toContain('Not found in what was read');
    expect(beside(pane)).toContain('No passage is clearly close to it.');
    expectSound(pane);
  });
});

describe('assets/evidence.js', () => {
  const FILE = 'evidence.js';
  let bundle: BundleCopy;
  beforeEach(() => {
    bundle = copyBundle(tempFolder());
  });

  it.each<[string, () => void, string]>([
    [
      'missing',
      () => {
        bundle.remove(FILE);
      },
      'is missing (assets/evidence.js)',
    ],
    [
      'cut off',
      () => {
        bundle.cut(FILE);
      },
      'cannot be loaded (assets/evidence.js: ',
    ],
    [
      'failing',
      () => {
        bundle.replace(FILE, 'throw new Error("no such part");\n');
      },
      'cannot be loaded (assets/evidence.js: no such part)',
    ],
  ])('%s: the view says what to do, and nothing is lost', async (_name, spoil, said) => {
    const here = await chosen(() => [searchStep, kilnStep]);
    spoil();
    const pane = await here.open({ bundleDir: bundle.bundleDir });
    await asked(pane, 'How hot was it?');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    const before = storedTurns(here);
    expect(before.map(quotesOf)).toEqual([[WORDS.english]]);
    await showEvidence(pane);
    const { title, description = '' } = pane.list().emptyView ?? {};
    expect(title).toBe('The evidence cannot be shown');
    expect(description).toContain(said);
    expect(description).toContain('Reinstall Lam, or run npm run prepare.');
    expectSound(pane);
    expect(pane.actions().map(({ title }) => title)).toEqual(['Try Again', 'Back']);
    bundle.repair(FILE);
    await pane.action('Try Again');
    await pane.waitFor(() => !pane.list().isLoading && beside(pane).includes(WORDS.english), {
      label: 'the evidence',
    });
    expect(z.string().parse(pane.list().navigationTitle)).toBe('Evidence: 1 cited · 1 read');
    expect(storedTurns(here)).toEqual(before);
    expectSound(pane);
  });
});

describe('an answer', () => {
  it('from before evidence was kept says how to get some', async () => {
    const here = await stage({
      steps: (origin) => [fetchStep(`${origin}/history`), { text: 'Since 1781 [1].' }],
    });
    const pane = await here.open();
    await asked(pane, 'Since when?');
    await untilTurnsStored(here.supportPath, [{ state: 'done' }]);
    await pane.unload();
    const folder = join(here.supportPath, 'conversations');
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.json'));
    const { evidence, ...turn } = storedTurns(here)[0] ?? {};
    expect(evidence).toBeDefined();
    writeFileSync(
      join(folder, name),
      JSON.stringify({ ...storedConversation(here.supportPath), turns: [turn] }),
    );
    const next = await reopened(here);
    await showEvidence(next);
    expect(next.list().emptyView?.title).toBe('No evidence was kept');
    expect(next.list().emptyView?.description).toContain('Regenerate makes it anew');
    expectSound(next);
  });

  it('that cites nothing has nothing to show, and offers no copy', async () => {
    const { open } = await stage({ steps: () => [{ text: 'Because it likes fog.' }] });
    const pane = await open();
    await asked(pane, 'Why?');
    await showEvidence(pane);
    expect(pane.list().emptyView?.title).toBe('This answer cites nothing');
    expect(pane.actions().map(({ title }) => title)).toEqual(['Back']);
    expectSound(pane);
  });
});
