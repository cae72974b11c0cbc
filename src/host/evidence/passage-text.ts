import { cleanTitle, isOpenable } from '../../lib/citations';
import { escapeMarkdown, markdownLink } from '../../lib/code';
import { MAX_EVIDENCE_QUOTE_CHARS } from '../../lib/constants';
import { evidencePlace, passageAddress } from '../../lib/evidence';
import { inertText, plain } from '../../lib/render';
import type { Evidence, Source } from '../../lib/types';
import type { FileState, FileStates } from './changed';
import type { Facts } from './facts';
import { headingAbove } from './heading-above';
import { passageLines } from './plain-words';
import type { RowPassage } from './rows';
import { originOf, textForm, type TextForm } from './source-form';

/** UTF-16 units of a passage that are drawn. No more are kept; a record may have been changed by somebody else's hand. */
const MAX_UNITS = MAX_EVIDENCE_QUOTE_CHARS + 1;

/** Said of a passage that was found by nothing but its words. */
const CLOSEST_NOTE = '_Closest by its words: where to look, not proof._';

/**
 * Foreign text as a block quote in which nothing acts and every word is drawn. The pane draws nothing but paragraphs in a quote, so
 * the lines of a list or a table are kept apart by hard breaks; other lines run on, as those of a PDF file should.
 */
export function quoted(text: string, form: TextForm): string {
  const lines = passageLines(text.slice(0, MAX_UNITS), form).map((line) => ({
    ...line,
    text: cleanTitle(line.text, MAX_UNITS),
  }));
  return lines
    .map((line, place) => {
      if (line.text === '') return '>';
      const next = lines[place + 1];
      const isBroken = next !== undefined && next.text !== '' && (line.isOwn || next.isOwn);
      return `> ${escapeMarkdown(line.text)}${isBroken ? '\\' : ''}`;
    })
    .join('\n');
}

/** What became of the file of a passage, and of one of which there is none. */
const STATE_NOTES: Record<FileState, { passage: string; source: string }> = {
  same: { passage: '', source: '' },
  changed: {
    passage: 'The file has changed since; this is what it said.',
    source: 'The file has changed since.',
  },
  gone: { passage: 'The file is gone; this is what it said.', source: 'The file is gone.' },
  unknown: { passage: '', source: '' },
};

const stateOf = (states: FileStates, { kind, url }: Pick<Source, 'kind' | 'url'>): FileState =>
  kind === 'document' ? (states.get(url) ?? 'unknown') : 'unknown';

const bold = (note: string): string[] => (note === '' ? [] : [`**${note}**`]);

/** Title of a source in bold, behind its number, which is a link where it may be opened. */
function headMarkdown({ index, title, url }: Source, address: string | undefined): string {
  const number = `\\[${index}\\]`;
  const link = address === undefined ? number : markdownLink(number, address);
  return `${link} **${escapeMarkdown(cleanTitle(title) || cleanTitle(url))}**`;
}

/** Where a passage opens; undefined where the window may not open it, or its file is gone. */
function openedAt(passage: Evidence, states: FileStates): string | undefined {
  return stateOf(states, passage) === 'gone' ? undefined : passageAddress(passage);
}

/** The same of a source of which there is no passage. */
function sourceOpenedAt(source: Source, states: FileStates): string | undefined {
  return stateOf(states, source) === 'gone' || !isOpenable(source) ? undefined : source.url;
}

/**
 * A passage as it stands beside its row: which source, where in it, its words, and what became of the file.
 *
 * @param said `is`: what it is to the row, '' = nothing; `why`: why its page was not read, if it was not; `isByWords`: whether
 * nothing but its words tells that it is meant
 */
export function passageMarkdown(
  passage: Evidence,
  { turn, states }: Pick<Facts, 'turn' | 'states'>,
  { is, why, isByWords }: { is: string; why?: string | undefined; isByWords: boolean },
): string {
  const facts = [
    originOf(passage),
    cleanTitle(headingAbove(turn, passage) ?? '', 60),
    evidencePlace(passage),
    is,
  ].filter((fact, n) => fact !== '' && !(n === 1 && fact === cleanTitle(passage.title, 60)));
  return [
    headMarkdown(passage, openedAt(passage, states)),
    facts.map((fact) => escapeMarkdown(cleanTitle(fact))).join(' · '),
    ...(why === undefined ? [] : [why]),
    quoted(wordsOf(passage), textForm(passage)),
    ...(isByWords ? [CLOSEST_NOTE] : []),
    ...bold(STATE_NOTES[stateOf(states, passage)].passage),
  ].join('\n\n');
}

const wordsOf = ({ quote, cut }: Evidence): string => (cut === true ? `${quote}…` : quote);

/** The same for the action panel and the clipboard. */
export function rowPassage(passage: Evidence, states: FileStates): RowPassage {
  const place = evidencePlace(passage);
  const address = openedAt(passage, states);
  const { page, number, start } = passage;
  const isLine = page === undefined && number === undefined && start === undefined;
  const name = cleanTitle(passage.title) || originOf(passage);
  const from = isLine || place === '' ? name : `${name}, ${place}`;
  return {
    label: labelOf(passage, place),
    text: `${wordsOf(passage)}\n— ${from}`,
    ...(address === undefined ? {} : { address }),
  };
}

/** A source of which there is no passage. `why` is Lam's own sentence; '' = nothing is said. */
export function sourceMarkdown(source: Source, why: string, states: FileStates): string {
  return [
    headMarkdown(source, sourceOpenedAt(source, states)),
    ...(why === '' ? [] : [why]),
    ...bold(STATE_NOTES[stateOf(states, source)].source),
  ].join('\n\n');
}

/** A source of which there is no passage, to be opened. */
export function rowSource(source: Source, states: FileStates): RowPassage {
  const label = labelOf(source, '');
  const address = sourceOpenedAt(source, states);
  return { label, text: '', ...(address === undefined ? {} : { address }) };
}

/** Characters of an entry of the action panel, which shows about forty. */
const MAX_LABEL = 40;

function labelOf({ index, title, url }: Source, place: string): RowPassage['label'] {
  const around = plain`[${index}] ${place === '' ? '' : `, ${place}`}`;
  const name = inertText(title === '' ? url : title, MAX_LABEL - around.length);
  return plain`[${index}] ${name}${place === '' ? '' : `, ${place}`}`;
}
