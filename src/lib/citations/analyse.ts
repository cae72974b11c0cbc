import { emittedAddress, isOpenable, markdownLink, type Edit, type Link, type Scan } from '../code';
import type { Source } from '../types';

import { findCandidates } from './marker';
import { readNotes, type NoteRow } from './notes';
import { pageKey } from './page-key';

/** A place in the text that cites sources. */
interface Marker {
  start: number;
  end: number;
  /** In the order written. */
  numbers: number[];
}

/** The one decision about an answer: pane, list, copy, export and what the model reads again all come from it. */
export interface Analysis {
  /** Turn markers into links and take out footnotes that only repeat a source. */
  edits: Edit[];
  /** Keep notes from being swallowed as link definitions, for a text whose definitions stay where they are (the pane has none). */
  escapes: Edit[];
  cited: Set<number>;
  markers: Marker[];
  /** Links the model wrote itself with a number as text, to the page of that number. */
  ownLinks: Marker[];
  /** Brackets that look like markers and are none here: an unknown number, or one that belongs to the model. */
  unresolved: Marker[];
  /** Rows that only repeat a source, taken out; among `edits` too. */
  drops: Edit[];
  /** The rows with a number that stay. */
  rows: NoteRow[];
  /** References by number to another page than that of the number (`[tea][1]`): where `[1]` stands, and what it leads to. */
  references: { start: number; end: number; destination: string }[];
}

const citation = (source: Source): string =>
  markdownLink(`\\[${String(source.index)}\\]`, source.url);

const NUMBER_LABEL = /^(?:<sup>)?(?:\\?\[)?\^?([1-9]\d{0,3})(?:\\?\])?(?:<\/sup>)?$/i;

/** The number a link shows, if it leads to the page of that source. */
function citedByLink(
  scan: Scan,
  link: Link,
  sources: ReadonlyMap<number, Source>,
): number | undefined {
  if (link.kind === 'image' || link.destination === undefined) return undefined;
  const shown = NUMBER_LABEL.exec(scan.text.slice(link.label.start, link.label.end).trim());
  const source = sources.get(Number(shown?.[1] ?? 0));
  if (!source || !isOpenable(source)) return undefined;
  // An address with a lone parenthesis reads back encoded: it is still the link Lam writes for this source.
  const same =
    link.destination === emittedAddress(source.url) ||
    pageKey(link.destination) === pageKey(source.url);
  return same ? source.index : undefined;
}

const NUMBER = /^\^?([1-9]\d{0,3})$/;

/** Whether an offset is in one of the ranges, which are in text order; to be asked in text order. */
function inRanges(ranges: readonly { start: number; end: number }[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while (next < ranges.length && (ranges[next]?.end ?? 0) <= at) next++;
    const range = ranges[next];
    return range !== undefined && range.start <= at;
  };
}

/** A label of nothing but numbers and what stands between them. */
const NUMBERS = /^\^?\d[\d\s^,;:./–—-]*$/;

/**
 * The bracket of a reference that is decided like a marker. `isText`: its definition is a note, so that the reference is
 * text as well, whatever it is to the parser.
 */
function bracketOf(link: Link, isText: boolean): { start: number; end: number } | undefined {
  const { kind, form, start, end, label, isInLink } = link;
  if (form === 'shortcut' && kind === 'link') return { start, end };
  if (!isText || isInLink) return undefined;
  const opening = kind === 'image' ? start + 1 : start;
  if (form === 'shortcut') return { start: opening, end };
  return form === 'collapsed' ? { start: opening, end: label.end + 1 } : undefined;
}

/**
 * Decides every marker of an answer. `scan` is the scan of the answer as the model wrote it.
 *
 * A bracket becomes links only when every number in it is a source this window may open; a definition of the model's own
 * that names another page keeps its number; code, maths, HTML, links and images are opaque.
 */
export function analyse(scan: Scan, sources: readonly Source[]): Analysis {
  const byIndex = new Map<number, Source>();
  for (const source of sources) if (!byIndex.has(source.index)) byIndex.set(source.index, source);
  const notes = readNotes(scan, byIndex);
  const result: Analysis = {
    edits: [...notes.drops],
    escapes: notes.escapes,
    cited: new Set(),
    markers: [],
    ownLinks: [],
    unresolved: [],
    drops: notes.drops,
    rows: notes.rows,
    references: [],
  };
  const labels = new Set(notes.rows.map(({ start }) => start));

  const resolve = (numbers: readonly number[], labels: readonly string[]): Source[] | undefined => {
    const found = numbers.map((number) => byIndex.get(number));
    const usable = found.filter((source) => source !== undefined && isOpenable(source));
    return usable.length === numbers.length && !labels.some((label) => notes.owned.has(label))
      ? usable.filter((source) => source !== undefined)
      : undefined;
  };
  const cite = (start: number, end: number, found: readonly Source[]): void => {
    result.markers.push({ start, end, numbers: found.map((source) => source.index) });
    for (const source of found) result.cited.add(source.index);
    result.edits.push({ start, end, text: found.map(citation).join(', ') });
  };

  /** A bracket with one number. */
  const citeOne = ({ start, end }: { start: number; end: number }, label: string): boolean => {
    const number = Number(label.replace('^', ''));
    const found = resolve([number], [label]);
    if (found) cite(start, end, found);
    else result.unresolved.push({ start, end, numbers: [number] });
    return found !== undefined;
  };
  /** `[tea][1]`, a reference to the parser, whose definition `[1]: yes` is text. */
  const citeBoth = ({ start, end, label, identifier = '' }: Link): void => {
    const bracket = { start, end: label.end + 1 };
    const [inner] = findCandidates(scan.text.slice(bracket.start, bracket.end));
    const isGroup = inner?.start === 0 && inner.end === bracket.end - start;
    const found = isGroup ? resolve(inner.numbers, inner.labels) : undefined;
    if (found) cite(bracket.start, bracket.end, found);
    else if (isGroup) result.unresolved.push({ ...bracket, numbers: inner.numbers });
    if (!citeOne({ start: label.end + 1, end }, identifier) || found) return;
    // They keep their brackets, which whoever draws links would take off.
    result.edits.push({ start, end: label.start, text: '[' });
    result.edits.push({ start: label.end, end: label.end + 1, text: ']' });
  };

  const definitions = new Map(
    scan.definitions.map((each) => [each.identifier, each] as const).reverse(),
  );
  const isWord = ({ kind, form, isClosed, identifier = '' }: Link): boolean => {
    const definition = definitions.get(identifier);
    const isNote = definition !== undefined && notes.texts.has(definition);
    return isNote && !isClosed && kind === 'link' && form !== 'shortcut';
  };
  const isInWord = inRanges(scan.links.filter(isWord).map(({ label }) => label));

  let isSilent = inRanges(notes.silent);
  for (const run of scan.runs) {
    if (run.isClosed && !isInWord(run.start)) continue;
    for (const candidate of findCandidates(scan.text.slice(run.start, run.end))) {
      const start = run.start + candidate.start;
      const end = run.start + candidate.end;
      if (isSilent(start)) {
        if (!labels.has(start)) result.unresolved.push({ start, end, numbers: candidate.numbers });
        continue;
      }
      const found = resolve(candidate.numbers, candidate.labels);
      if (found) cite(start, end, found);
      else result.unresolved.push({ start, end, numbers: candidate.numbers });
    }
  }

  isSilent = inRanges(notes.silent);
  const isDropped = inRanges(notes.drops);
  for (const link of scan.links.filter(({ isClosed }) => !isClosed)) {
    if (isDropped(link.start)) continue;
    const isInRow = isSilent(link.start);
    const definition = definitions.get(link.identifier ?? '');
    const isText = definition !== undefined && notes.texts.has(definition);
    if (isText && link.kind === 'link' && link.form === 'full') {
      if (!isInRow) citeBoth(link);
      continue;
    }
    const bracket = definition && bracketOf(link, isText);
    if (bracket) {
      const label = scan.text.slice(link.label.start, link.label.end);
      const number = NUMBER.exec(label)?.[1];
      if (number === undefined) continue;
      if (!isInRow) {
        citeOne(bracket, label);
        continue;
      }
      // In a row it stays what it is: a link to the page of its number, or none.
      const isLink = !isText && !label.startsWith('^') && citedByLink(scan, link, byIndex);
      if (!isLink) {
        if (!labels.has(bracket.start))
          result.unresolved.push({ ...bracket, numbers: [Number(number)] });
        continue;
      }
    }
    const index = citedByLink(scan, link, byIndex);
    if (index === undefined) {
      const { identifier, destination } = link;
      if (destination !== undefined && NUMBERS.test(identifier ?? ''))
        result.references.push({ start: link.label.end + 1, end: link.end, destination });
      continue;
    }
    result.cited.add(index);
    result.ownLinks.push({ start: link.start, end: link.end, numbers: [index] });
  }
  return result;
}
