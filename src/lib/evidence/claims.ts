import { analyse } from '../citations';
import { prepare, scan, type Node } from '../code';
import type { Source } from '../types';

import { addBareMarkers, type BareMarkers } from './bare-markers';
import { blockAbove, blockAround } from './block-above';
import { blockQuotesOf } from './block-quotes';
import { hiddenIn, masked, type Hidden } from './mask';
import { ownListsOf } from './own-list';
import { sentencesOf, splitAtLines, type Span } from './sentences';
import { unitsOf, type Unit } from './units';

/** A place in the answer that cites sources. */
export interface Marker extends Span {
  numbers: number[];
}

/** A sentence of the answer, or a row or cell of a table, and the markers that stand in it or directly behind it. */
export interface Sentence extends Span {
  unit: Unit;
  markers: Marker[];
  /** Of a cell: the first cell of its row, which says what the row is about. */
  subject?: Span;
}

/** Whether a sentence with markers is a claim: a heading with one only says what the text below is from. */
export const isClaim = ({ unit, markers }: Sentence): boolean =>
  markers.length > 0 && unit.kind !== 'heading';

/** What was read of an answer. */
export interface AnswerReading {
  units: Unit[];
  /** Without the model's own list of sources, which says nothing. */
  sentences: Sentence[];
  /** Markers of that list. */
  listed: Marker[];
  /** Brackets that look like markers and lead nowhere, in order; without that list, and without numbers the model defines itself. */
  unresolved: Marker[];
  /** In the order in which they begin, nested ones too. */
  blockQuotes: Span[];
  /** The answer without markers, link targets, tags and code blocks, offsets unchanged: what is compared with sources. */
  words: string;
  /** The answer without code and formulas, offsets unchanged: where quotations are looked for. */
  prose: string;
}

/**
 * Markers of an answer that are looked at. Long reports have some three hundred; a text of nothing but markers is no
 * answer.
 */
const MAX_MARKERS = 1_000;

/**
 * Reads an answer: which sentence each marker belongs to. `sources` are all that its numbers can mean.
 *
 * @param options `isWhole`: true = sentences are told apart also where no marker is; otherwise a paragraph without one is one sentence
 */
export function readAnswer(
  response: string,
  sources: readonly Source[],
  { isWhole = false } = {},
): AnswerReading {
  const scanned = scan(prepare(response));
  const { text } = scanned;
  const { markers, ownLinks, drops, unresolved, rows } = analyse(scanned, sources);
  const defined = new Set(
    [
      ...scanned.definitions.map(({ identifier }) => identifier.replace('^', '')),
      ...rows.filter(({ isOwn }) => isOwn).map(({ number }) => String(number)),
    ].map(Number),
  );
  const cited = [...markers, ...ownLinks].sort((one, other) => one.start - other.start);
  const { signs, blocks, opaque, links } = hiddenIn(scanned);
  const gone = [...cited, ...drops].map(({ start, end }): Hidden => ({ start, end, as: ' ' }));
  const unknown = unresolved.map(({ start, end }): Hidden => ({ start, end, as: ' ' }));
  const units = unitsOf(scanned);
  const lists = ownListsOf(
    units,
    text,
    [...cited, ...drops, ...unresolved, ...scanned.links],
    sources,
  );
  const plain = masked(text, [...gone, ...signs, ...blocks]);
  const labels = lists.filter(
    (list) => list.isLabel && standsBelow(list, { tree: scanned.tree, text, plain, cited }),
  );
  const said = labels.map(({ start, end }): Hidden => ({ start, end, as: ' ' }));
  const words = masked(plain, said);
  const subjects = [...cited, ...unresolved]
    .filter((marker) => beginsSentence(text, marker))
    .map(({ start }): Hidden => ({ start, end: start + 1, as: 'X' }));
  // A capital stands for a marker that begins a sentence: before a small letter none would begin.
  const sentences = masked(
    masked(masked(text, [...gone, ...unknown, ...links, ...opaque, ...signs, ...blocks]), subjects),
    said,
  );
  const texts = { text, words, prose: sentences, isWhole };
  const { sentences: all, bare } = inUnits(units, texts, cited.slice(0, MAX_MARKERS));
  const own = lists.filter((list) => !labels.includes(list));
  const isOwn = ({ start }: Span): boolean =>
    own.some((list) => list.start <= start && start < list.end);
  const kept = all.filter((sentence) => !isOwn(sentence));
  const { code, left } = addBareMarkers(
    kept,
    bare.filter((each) => !isOwn(each)),
    {
      tree: scanned.tree,
      text,
      isEmpty: (span) => saysNothing(span, words),
      split: ({ unit }) => inUnit(unit, texts, []),
    },
  );
  return {
    units,
    sentences: kept,
    listed: [...[...all, ...bare].filter(isOwn).flatMap(({ markers }) => markers), ...left],
    unresolved: unresolved
      .filter((each) => !isOwn(each) && !each.numbers.some((number) => defined.has(number)))
      .sort((one, other) => one.start - other.start),
    blockQuotes: blockQuotesOf(scanned.tree),
    words: code.reduce(
      (before, { start, end }) =>
        before.slice(0, start) + text.slice(start, end) + before.slice(end),
      words,
    ),
    prose: masked(text, [...opaque, ...blocks]),
  };
}

const LETTER = /[\p{L}\p{N}]/u;

/**
 * Whether a line like `Source: [1]` is about what stands right above, and not the list of sources of the whole answer: what
 * stands above has no markers, and is no paragraph if the line is the last of several.
 */
function standsBelow(
  { start, end }: Span,
  { tree, text, plain, cited }: { tree: Node; text: string; plain: string; cited: readonly Span[] },
): boolean {
  const hasMarker = (from: number, to: number): boolean =>
    cited.some((marker) => marker.start >= from && marker.start < to);
  for (const kind of ['paragraph', 'table'] as const) {
    const own = blockAround(tree, start, kind);
    if (own && LETTER.test(plain.slice(own.start, start))) return !hasMarker(own.start, start);
  }
  const isLast = !LETTER.test(plain.slice(end));
  const above = blockAbove(tree, start, (span) => saysNothing(span, plain));
  if (!above || above.kind === 'heading') return !isLast;
  if (hasMarker(above.start, above.end)) return false;
  const isAside = /^[\s*_]*[(（[【]/u.test(text.slice(start, end));
  const isOnly = !LETTER.test(plain.slice(0, above.start));
  return above.kind !== 'paragraph' || isAside || isOnly || !isLast;
}

const SMALL_LETTER = /^[ \t]+\p{Ll}/u;
const SENTENCE_END = /[.!?…]["'”’»)\]]*\s+$/u;

/** `… dry. [2] says that …`: a marker that is the subject of a sentence. */
const beginsSentence = (text: string, { start, end }: Span): boolean =>
  SMALL_LETTER.test(text.slice(end, end + 20)) &&
  SENTENCE_END.test(text.slice(Math.max(0, start - 20), start));

/** The answer as it is, and without what is no word and no sentence, offsets unchanged. */
interface Texts {
  text: string;
  words: string;
  prose: string;
  isWhole: boolean;
}

const saysNothing = ({ start, end }: Span, words: string): boolean =>
  !LETTER.test(words.slice(start, end));

function inUnits(
  units: readonly Unit[],
  texts: Texts,
  markers: readonly Marker[],
): { sentences: Sentence[]; bare: BareMarkers[] } {
  const sentences: Sentence[] = [];
  const bare: BareMarkers[] = [];
  let next = 0;
  for (const unit of units) {
    const own: Marker[] = [];
    for (let marker = markers[next]; marker && marker.start < unit.end; marker = markers[next]) {
      if (marker.start >= unit.start) own.push(marker);
      next += 1;
    }
    if (own.length === 0 && !texts.isWhole) {
      sentences.push({ start: unit.start, end: unit.end, unit, markers: [] });
      continue;
    }
    const lazy = lastLineOf(unit, texts);
    if (lazy && own.some(({ start }) => start >= lazy.start)) {
      const below = own.filter(({ start }) => start >= lazy.start);
      const rest = { ...unit, end: lazy.start };
      sentences.push(...inUnit(rest, texts, own.slice(0, own.length - below.length)));
      bare.push({ ...lazy, markers: below, holder: 'list' });
      continue;
    }
    for (const sentence of inUnit(unit, texts, own)) {
      // In a cell they belong to its row.
      const isInRow = unit.kind === 'cell' && sentence.markers.length > 0;
      if (isInRow || !saysNothing(sentence, texts.words)) sentences.push(sentence);
      else if (sentence.markers.length > 0) {
        const { start, end, markers: alone } = sentence;
        bare.push({ start, end, markers: alone });
      }
    }
  }
  const rows = byRows(sentences, texts.words);
  return {
    sentences: rows.filter((row) => !isBareRow(row, texts.words)),
    bare: [
      ...bare,
      ...rows
        .filter((row) => isBareRow(row, texts.words))
        .map(({ start, end, markers: own }): BareMarkers => ({
          start,
          end,
          markers: own,
          holder: 'table',
        })),
    ].sort((one, other) => one.start - other.start),
  };
}

/** A row of nothing but markers: Markdown reads a line right below a table as one. */
const isBareRow = ({ start, end, unit, markers }: Sentence, words: string): boolean =>
  unit.row !== undefined && markers.length > 0 && saysNothing({ start, end }, words);

/** The last line of a list item if it says nothing and is not indented: it stands below the list. */
function lastLineOf({ kind, start, end }: Unit, { text, words }: Texts): Span | undefined {
  if (kind !== 'item') return undefined;
  const at = text.lastIndexOf('\n', end - 1) + 1;
  const isBelow = at > start && /^\S/u.test(text.slice(at, end));
  return isBelow && saysNothing({ start: at, end }, words) ? { start: at, end } : undefined;
}

/** UTF-16 units of a list item that is one claim: a longer one is a text of several. */
const MAX_ITEM_UNITS = 600;

function inUnit(unit: Unit, { text, prose }: Texts, markers: readonly Marker[]): Sentence[] {
  const { kind, start, end } = unit;
  const [only] = markers;
  const isItem =
    kind === 'item' &&
    markers.length === 1 &&
    end - start <= MAX_ITEM_UNITS &&
    !/[\p{L}\p{N}]/u.test(text.slice(only?.end, end));
  if (kind === 'heading' || kind === 'cell' || isItem)
    return [{ start, end, unit, markers: [...markers] }];
  let next = 0;
  const spans = sentencesOf(prose.slice(start, end), start, markers).flatMap((span) =>
    splitAtLines(text, span, markers),
  );
  return spans.flatMap((span) => {
    const own: Marker[] = [];
    for (let marker = markers[next]; marker && marker.start < span.end; marker = markers[next]) {
      own.push(marker);
      next += 1;
    }
    const whole = text.slice(span.start, span.end);
    const from = span.start + whole.length - whole.trimStart().length;
    const to = span.start + whole.trimEnd().length;
    return from < to ? [{ start: from, end: to, unit, markers: own }] : [];
  });
}

/**
 * A row is one claim if only one of its cells has markers, or if one has nothing but markers; else each cell that has a marker
 * is, together with the first cell of its row. A row without markers counts as one sentence.
 */
function byRows(sentences: readonly Sentence[], words: string): Sentence[] {
  const rows = new Map<number, Sentence[]>();
  for (const sentence of sentences) {
    const row = sentence.unit.row?.number;
    if (row !== undefined) rows.set(row, [...(rows.get(row) ?? []), sentence]);
  }
  const out: Sentence[] = [];
  for (const sentence of sentences) {
    const { row } = sentence.unit;
    const cells = row && rows.get(row.number);
    if (!row || !cells) {
      out.push(sentence);
      continue;
    }
    const [first] = cells;
    const markers = cells.flatMap((cell) => cell.markers);
    const isWhole =
      cells.filter((cell) => cell.markers.length > 0).length <= 1 ||
      cells.some((cell) => saysNothing(cell, words));
    if (isWhole) {
      if (sentence === first) out.push({ ...sentence, start: row.start, end: row.end, markers });
    } else if (sentence.markers.length > 0) {
      const subject = sentence === first || !first ? undefined : first;
      out.push({
        ...sentence,
        ...(subject ? { subject: { start: subject.start, end: subject.end } } : {}),
      });
    }
  }
  return out;
}
