import { analyse } from '../citations';
import { prepare, scan } from '../code';
import type { Source } from '../types';

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
  const words = masked(text, [...gone, ...signs, ...blocks]);
  const subjects = cited
    .filter((marker) => beginsSentence(text, marker))
    .map(({ start }): Hidden => ({ start, end: start + 1, as: 'X' }));
  // A capital stands for a marker that begins a sentence: before a small letter none would begin.
  const sentences = masked(
    masked(text, [...gone, ...links, ...opaque, ...signs, ...blocks]),
    subjects,
  );
  const units = unitsOf(scanned);
  const all = inUnits(
    units,
    { text, words, prose: sentences, isWhole },
    cited.slice(0, MAX_MARKERS),
  );
  const own = ownListsOf(
    units,
    text,
    [...cited, ...drops, ...unresolved, ...scanned.links],
    sources,
  );
  const isOwn = ({ start }: Span): boolean =>
    own.some((list) => list.start <= start && start < list.end);
  return {
    units,
    sentences: all.filter((sentence) => !isOwn(sentence)),
    listed: all.filter(isOwn).flatMap((sentence) => sentence.markers),
    unresolved: unresolved
      .filter((each) => !isOwn(each) && !each.numbers.some((number) => defined.has(number)))
      .sort((one, other) => one.start - other.start),
    words,
    prose: masked(text, [...opaque, ...blocks]),
  };
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
  !/[\p{L}\p{N}]/u.test(words.slice(start, end));

function inUnits(units: readonly Unit[], texts: Texts, markers: readonly Marker[]): Sentence[] {
  const sentences: Sentence[] = [];
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
    for (const sentence of inUnit(unit, texts, own)) {
      // A marker on a line of its own belongs to what stands above it.
      const isBare = saysNothing(sentence, texts.words);
      // In a cell it belongs to its row.
      if (!isBare || (unit.kind === 'cell' && sentence.markers.length > 0)) {
        sentences.push(sentence);
        continue;
      }
      let last = sentences.at(-1);
      if (!last || last.unit.kind === 'cell') continue;
      if (!texts.isWhole && last.markers.length === 0 && last.unit !== unit) {
        sentences.pop();
        sentences.push(...inUnit(last.unit, texts, []));
        last = sentences.at(-1);
      }
      last?.markers.push(...sentence.markers);
    }
  }
  return byRows(sentences, texts);
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
 * A row with one marker, at its end, is one claim, and so is one that has a cell of nothing but markers; else each cell that
 * has a marker is, together with the first cell of its row. A row without markers counts as one sentence.
 */
function byRows(sentences: readonly Sentence[], { text, words }: Texts): Sentence[] {
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
    const [only] = markers;
    const isWhole =
      !only ||
      (markers.length === 1 && !/[\p{L}\p{N}]/u.test(text.slice(only.end, row.end))) ||
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
