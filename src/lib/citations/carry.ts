import { applyEdits, markdownLink, prepare, scan, type Edit, type Node, type Scan } from '../code';
import { MAX_CARRIED } from '../constants';
import type { Source, Turn } from '../types';

import { analyse, type Analysis } from './analyse';
import type { SourceList } from './sources';
import { numberedSources, turnSources } from './turn';

type EarlierTurn = Pick<Turn, 'question' | 'response' | 'toolCalls'> &
  Partial<Pick<Turn, 'carried'>>;

export interface Carried {
  /** The earlier exchanges as the model may read them again, oldest first. */
  history: { question: string; response: string }[];
  /** The new question as the model may read it. */
  question: string;
  /** Sources of earlier turns under this turn's numbers, in number order. */
  carried: Source[];
}

/**
 * Takes the sources that the question and earlier answers name into a new turn's list (the question's first, then most
 * recent turns first, at most `MAX_CARRIED`) and rewrites the old markers, so that every `[n]` the model reads has this
 * turn's meaning. `turns` oldest first.
 *
 * In an answer, a marker whose source did not fit is taken out, and every other bracket of nothing but numbers stands in
 * round brackets: one that never was a source, the label of a note of the model's own, the text of a link elsewhere. In a
 * question, whose numbers are those of the answer before it, only markers are rewritten, and brackets in round ones that name
 * a page which this turn has no number for, or a number that is another page's now: the rest is the person's. Code and maths
 * stay.
 */
export function carrySources(
  turns: readonly EarlierTurn[],
  question: string,
  list: SourceList,
): Carried {
  const shown = turns.map(turnSources);
  const answers = turns.map((turn) => read(turn.response, numberedSources(turn)));
  const questions = [...turns.map((turn) => turn.question), question].map((text, n) =>
    // What the person sees last: an answer without sources leaves the numbers of the one before it on screen.
    readQuestion(text, shown.slice(0, n).findLast((sources) => sources.length > 0) ?? []),
  );

  const carried: Source[] = [];
  const offered = new Set<number>();
  const offer = (old: Source): void => {
    const known = list.indexOf(old.url);
    // A turn that is continued was offered these before: they count, or each Continue would offer more.
    if (known > 0) offered.add(known);
    if (known > 0 || offered.size >= MAX_CARRIED) return;
    const { index, source } = list.add(old.title, old.url, old);
    offered.add(index);
    if (source) carried.push(old.status ? { ...source, status: old.status } : source);
  };
  for (let n = turns.length; n >= 0; n -= 1) {
    for (const passage of [answers[n], questions[n]]) passage?.named.forEach(offer);
  }

  const asked = questions.map((passage) =>
    applyEdits(passage.text, [...markerEdits(passage, list), ...foreignNumbers(passage)]),
  );
  const history = answers.map((passage, n) => ({
    question: asked[n] ?? '',
    response: rewriteAnswer(passage, list),
  }));
  return { history, question: asked.at(-1) ?? question, carried };
}

/** A text with old numbers. */
interface Passage {
  text: string;
  scanned: Scan;
  analysis: Analysis;
  /** By old number. */
  sources: ReadonlyMap<number, Source>;
  markers: Analysis['markers'];
  /** The sources of the markers, in number order. */
  named: Source[];
  /** What stands for a marker none of whose sources has a number in this turn. */
  without: (numbers: readonly number[]) => string;
}

function read(text: string, sources: readonly Source[]): Passage {
  return passage(text, sources, () => '');
}

function readQuestion(text: string, sources: readonly Source[]): Passage {
  const read = passage(text, sources, (numbers) => `(${numbers.join(', ')})`);
  const { analysis, scanned } = read;
  const isOfPerson = ({ start }: { start: number }): boolean => !isSubscript(scanned, start);
  return {
    ...read,
    ...withMarkers([...analysis.markers.filter(isOfPerson), ...analysis.ownLinks], read.sources),
    analysis: { ...analysis, unresolved: analysis.unresolved.filter(isOfPerson) },
  };
}

function passage(text: string, sources: readonly Source[], without: Passage['without']): Passage {
  const scanned = scan(prepare(text));
  const analysis = analyse(scanned, sources);
  const byIndex = new Map(sources.map((each) => [each.index, each] as const).reverse());
  const { markers, ownLinks } = analysis;
  const read = { text, scanned, analysis, sources: byIndex, without };
  return { ...read, ...withMarkers([...markers, ...ownLinks], byIndex) };
}

function withMarkers(
  markers: Analysis['markers'],
  sources: Passage['sources'],
): Pick<Passage, 'markers' | 'named'> {
  const numbers = new Set(markers.flatMap((marker) => marker.numbers));
  const named = [...numbers].sort((a, b) => a - b).flatMap((number) => sources.get(number) ?? []);
  return { markers, named };
}

/** `list[1]`, `grid[2][1]`: a person who asks about code without marking it as such means no source. */
function isSubscript({ text }: Scan, at: number): boolean {
  return /\w(?:\[[^[\]\n]{0,20}\]){0,4}$/.test(text.slice(Math.max(0, at - 100), at));
}

/** A bracket of nothing but numbers and what stands between them, as a reader sees it: also where it is no marker. */
const NUMBER_BRACKET =
  /(?:[[［【]|&(?:#0*91|#x0*5b|lbrack|lsqb);)(\s*\^?\d[\d\s^,;:./&+|–—‐，、；：．-]{0,198}(?:†[^[\]［］【】\n]{0,198})?)(?:[\]］】]|&(?:#0*93|#x0*5d|rbrack|rsqb);)/gi;

/** All of them outside of code, formulas, tags and addresses, in round brackets. One that is escaped stays. */
function roundBrackets(scanned: Scan): Edit[] {
  const opaque = opaqueRanges(scanned);
  const { text } = scanned;
  let next = 0;
  return [...text.matchAll(NUMBER_BRACKET)].flatMap(({ index: start, 0: whole, 1: inner = '' }) => {
    const end = start + whole.length;
    while (next < opaque.length && (opaque[next]?.end ?? 0) <= start) next += 1;
    if ((opaque[next]?.start ?? Infinity) < end) return [];
    const backslashes = /\\*$/.exec(text.slice(Math.max(0, start - 64), start))?.[0].length ?? 0;
    return backslashes % 2 === 1 ? [] : [{ start, end, text: `(${inner.trim()})`, isApart: true }];
  });
}

const CODE_TAG = /^<(?:code|kbd|pre|samp|script|style|textarea)\b/i;
const CODE_BLOCK = /<(?:code|kbd|pre|samp|script|style|textarea)\b/i;
const END_OF_CODE = /^<\/(?:code|kbd|pre|samp|script|style|textarea)\b/i;

const OPAQUE = new Set([
  'codeText',
  'codeFenced',
  'codeIndented',
  'mathText',
  'mathFlow',
  'autolink',
  'resourceDestination',
  'definitionDestination',
]);

/** Where a bracket in round ones would be another code, formula, tag or address; in text order. */
function opaqueRanges({ text, tree }: Scan): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  /** Where the code tags that are open in this block begin. */
  let open: number[] = [];
  const visit = (node: Node): void => {
    const { type, start, end } = node;
    if (OPAQUE.has(type)) ranges.push({ start, end });
    else if (type === 'htmlFlow') {
      const words = text.slice(start, end);
      if (CODE_BLOCK.test(words)) ranges.push({ start, end });
      else
        for (const { index, 0: tag } of words.matchAll(/<[^<>]*>/g))
          ranges.push({ start: start + index, end: start + index + tag.length });
    } else if (type === 'htmlText') {
      const tag = text.slice(start, end);
      ranges.push({ start, end });
      if (CODE_TAG.test(tag) && !tag.endsWith('/>')) open.push(start);
      const from = END_OF_CODE.test(tag) ? open.pop() : undefined;
      if (from !== undefined) ranges.push({ start: from, end });
    } else if (/^(?:resource|definition)Title$/.test(type) && text[start] === '(') {
      // Round brackets in round brackets would end the title.
      ranges.push({ start, end });
    } else node.children.forEach(visit);
    if (type === 'paragraph' || type === 'tableContent' || type === 'atxHeading') {
      if (open[0] !== undefined) ranges.push({ start: open[0], end });
      open = [];
    }
  };
  visit(tree);
  ranges.sort((a, b) => a.start - b.start || b.end - a.end);
  const outer: typeof ranges = [];
  for (const range of ranges) if (range.end > (outer.at(-1)?.end ?? 0)) outer.push(range);
  return outer;
}

const NUMBER_LABEL =
  /^(?:<sup>)?(?:\\?\[)?(\^?\d[\d\s^,;:./&+|–—‐，、；：．-]*)(?:\\?\])?(?:<\/sup>)?$/i;

/** The text of links elsewhere that is nothing but a number: it stays a link, under a text that is no marker. */
function linkLabels({ text, links }: Scan): Edit[] {
  return links.flatMap(({ kind, form, label: { start, end } }) => {
    const isBracket = form === 'autolink' || (form === 'shortcut' && kind === 'link');
    if (isBracket || end - start > 200) return [];
    const number = NUMBER_LABEL.exec(text.slice(start, end).trim());
    return number ? [{ start, end, text: `(${(number[1] ?? '').trim()})` }] : [];
  });
}

/** With a space at its end where a bracket would join what follows: `【2】(see)` is no link, and `[1](see)` is one. */
function apart({ text }: Passage, edit: Edit, links: ReadonlySet<number>): Edit {
  const next = text.charAt(edit.end);
  const joins = next === '(' || (next === '[' && links.has(edit.end));
  const isBehind = edit.text.endsWith(']') || (edit.text === '' && text[edit.start - 1] === ']');
  return joins && isBehind ? { ...edit, text: `${edit.text} ` } : edit;
}

function markerEdits(passage: Passage, list: SourceList): Edit[] {
  const { scanned, sources, markers, without } = passage;
  const replaced = new Set(markers.map(({ start }) => start));
  const links = new Set(
    scanned.links.map(({ start }) => start).filter((start) => !replaced.has(start)),
  );
  return markers.map(({ start, end, numbers }) => {
    const renumbered = numbers
      .map((number) => list.indexOf(sources.get(number)?.url ?? ''))
      .filter((number) => number > 0)
      .map((number) => `[${String(number)}]`)
      .join('');
    const text = renumbered || without(numbers);
    const edit = { start, end, text, isApart: text.startsWith('(') };
    return apart(passage, edit, links);
  });
}

/** Brackets of a question that are no markers although they name a page of the old list: one that must not be opened, or with an unknown number beside it. */
function foreignNumbers({ text, analysis, sources }: Passage): Edit[] {
  const own = new Set(analysis.rows.map(({ number }) => number));
  return analysis.unresolved
    .filter(
      ({ numbers }) =>
        numbers.some((number) => sources.has(number)) && !numbers.some((number) => own.has(number)),
    )
    .map(({ start, end }) => ({
      start,
      end,
      text: `(${text.slice(start + 1, end - 1)})`,
      isApart: true,
    }));
}

function rewriteAnswer(passage: Passage, list: SourceList): string {
  const { text, scanned, analysis, sources } = passage;
  const labels = analysis.rows.map(({ start, end, number, caret, isOwn }): Edit => {
    const index = isOwn ? 0 : list.indexOf(sources.get(number)?.url ?? '');
    const label = index > 0 ? `[${caret}${String(index)}]` : `(${String(number)})`;
    return { start, end, text: label };
  });
  // The row that such a reference needs has another label from now on.
  const references = analysis.references.map(({ start, end, destination }) => ({
    start,
    end,
    text: markdownLink('', destination).slice('[]'.length),
  }));
  return applyEdits(
    text,
    analysis.drops,
    [...markerEdits(passage, list), ...labels, ...references],
    linkLabels(scanned),
    roundBrackets(scanned),
  );
}
