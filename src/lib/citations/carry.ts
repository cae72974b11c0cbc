import { applyEdits, markdownLink, scan, type Edit, type Scan } from '../code';
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
 * In an answer, a marker whose source did not fit is taken out; a bracketed number that never was a source becomes `(n)`,
 * and so does the label of a note of the model's own. In a question, whose numbers are those of the answer before it, only
 * markers are rewritten: the rest is the person's. Code stays.
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
    const { index, source } = list.add(old.title, old.url, old.kind ? { kind: old.kind } : {});
    offered.add(index);
    if (source) carried.push(old.status ? { ...source, status: old.status } : source);
  };
  for (let n = turns.length; n >= 0; n -= 1) {
    for (const passage of [answers[n], questions[n]]) passage?.named.forEach(offer);
  }

  const asked = questions.map((passage) => applyEdits(passage.text, markerEdits(passage, list)));
  const history = answers.map((passage, n) => ({
    question: asked[n] ?? '',
    response: rewriteAnswer(passage, list),
  }));
  return { history, question: asked.at(-1) ?? question, carried };
}

/** A text with old numbers. */
interface Passage {
  text: string;
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
  const analysis = analyse(scan(text), sources);
  const markers = [...analysis.markers, ...analysis.ownLinks];
  return passage(text, sources, analysis, markers, () => '');
}

function readQuestion(text: string, sources: readonly Source[]): Passage {
  const scanned = scan(text);
  const analysis = analyse(scanned, sources);
  const markers = [
    ...analysis.markers.filter(({ start }) => !isSubscript(scanned, start)),
    ...analysis.ownLinks,
  ];
  return passage(text, sources, analysis, markers, (numbers) => `(${numbers.join(', ')})`);
}

function passage(
  text: string,
  sources: readonly Source[],
  analysis: Analysis,
  markers: Analysis['markers'],
  without: Passage['without'],
): Passage {
  const byIndex = new Map(sources.map((each) => [each.index, each]));
  const numbers = new Set(markers.flatMap((marker) => marker.numbers));
  const named = [...numbers].sort((a, b) => a - b).flatMap((number) => byIndex.get(number) ?? []);
  return { text, analysis, sources: byIndex, markers, named, without };
}

/** `list[1]`, `grid[2][1]`: a person who asks about code without marking it as such means no source. */
function isSubscript({ text }: Scan, at: number): boolean {
  return /\w(?:\[[^[\]\n]{0,20}\]){0,4}$/.test(text.slice(Math.max(0, at - 100), at));
}

function markerEdits({ sources, markers, without }: Passage, list: SourceList): Edit[] {
  return markers.map(({ start, end, numbers }) => {
    const renumbered = numbers
      .map((number) => list.indexOf(sources.get(number)?.url ?? ''))
      .filter((number) => number > 0)
      .map((number) => `[${String(number)}]`)
      .join('');
    return { start, end, text: renumbered || without(numbers) };
  });
}

function rewriteAnswer(passage: Passage, list: SourceList): string {
  const { text, analysis, sources } = passage;
  const labels = analysis.rows.map(({ start, end, number, caret, isOwn }): Edit => {
    const index = isOwn ? 0 : list.indexOf(sources.get(number)?.url ?? '');
    const label = index > 0 ? `[${caret}${String(index)}]` : `(${String(number)})`;
    return { start, end, text: label };
  });
  const unresolved = analysis.unresolved.map(({ start, end }) => ({
    start,
    end,
    text: `(${text.slice(start + 1, end - 1)})`,
  }));
  // The row that such a reference needs has another label from now on.
  const references = analysis.references.map(({ start, end, destination }) => ({
    start,
    end,
    text: markdownLink('', destination).slice('[]'.length),
  }));
  return applyEdits(text, analysis.drops, [
    ...markerEdits(passage, list),
    ...labels,
    ...unresolved,
    ...references,
  ]);
}
