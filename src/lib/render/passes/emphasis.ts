import type { Edit, Node } from '../../code';
import { nodes, type Pass } from './pass';

/** Draws nothing, and is neither white space nor punctuation to a parser. */
const ZERO_WIDTH_SPACE = '\u200B';

/** UTF-16 units from stars to stars. Longer emphasis is a paragraph's business, not a word's. */
export const MAX_EMPHASIS = 300;

/** As CommonMark counts it; the launcher's parser counts no symbols, but the added character does no harm there. */
const PUNCTUATION = /[\p{P}\p{S}]/u;

interface Place {
  start: number;
  end: number;
}

type Kind = 'space' | 'punctuation' | 'letter';

interface Stars {
  start: number;
  end: number;
  /** What stands around them, counted by the rules for emphasis (CommonMark 0.31.2, section 6.2). */
  before: Kind;
  after: Kind;
}

function kindOf(character: string | undefined): Kind {
  if (character === undefined || character === '' || /\s/u.test(character)) return 'space';
  return PUNCTUATION.test(character) ? 'punctuation' : 'letter';
}

const characterBefore = (text: string, at: number): string =>
  /(?:[\uD800-\uDBFF][\uDC00-\uDFFF]|[\s\S])$/.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? '';

const characterAt = (text: string, at: number): string => {
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
};

const starsAt = (text: string, start: number, end: number): Stars => ({
  start,
  end,
  before: kindOf(characterBefore(text, start)),
  after: kindOf(characterAt(text, end)),
});

/** Stars between a letter and punctuation: no beginning of emphasis to a parser. */
const isShutOpening = ({ before, after }: Stars): boolean =>
  before === 'letter' && after === 'punctuation';

/** Stars between punctuation and a letter: no end of emphasis to a parser. */
const isShutClosing = ({ before, after }: Stars): boolean =>
  before === 'punctuation' && after === 'letter';

const ASCII_WORD = /\w/;

/** Two stars behind a letter of a script without spaces: what else should they be? */
const isSureOpening = (text: string, stars: Stars): boolean =>
  isShutOpening(stars) &&
  stars.end - stars.start === 2 &&
  !ASCII_WORD.test(text.charAt(stars.start - 1));

/** Whether stars at `at` may turn out to be the beginning of emphasis that the parser does not see. */
export const mayBeShutOpening = (text: string, at: number): boolean => {
  const length = /^\*{1,3}(?!\*)/.exec(text.slice(at, at + 4))?.[0].length;
  if (length === undefined) return false;
  const stars = starsAt(text, at, at + length);
  return isShutOpening(stars) && !isSureOpening(text, stars);
};

/** Whether two runs of stars are a pair; in Latin script `f*(x)` is a product and `x**(y)` a power. */
function isPair(text: string, opening: Stars, closing: Stars): boolean {
  const length = opening.end - opening.start;
  if (closing.end - closing.start !== length || closing.before === 'space') return false;
  if (isFar(text, opening.end, closing.start)) return false;
  if (!isShutOpening(opening) || !ASCII_WORD.test(text.charAt(opening.start - 1))) return true;
  return length > 1 && closing.before === 'punctuation';
}

const space = (at: number): Edit => ({ start: at, end: at, text: ZERO_WIDTH_SPACE });

const isFar = (text: string, from: number, to: number): boolean =>
  to - from > MAX_EMPHASIS || /\n[ \t>]*\r?\n/.test(text.slice(from, to));

const BLOCKS = new Set(['paragraph', 'atxHeadingText', 'setextHeadingText', 'tableContent']);
const MARKS = new Set(['strongSequence', 'emphasisSequence']);

/** The runs of at most three stars of a block, whatever the parser made of them. `free`: those it left as text. */
function starsOf(text: string, block: Node, free: readonly Place[]): Stars[] {
  const places = [...free, ...allNodes(block, MARKS).filter(({ start }) => text[start] === '*')];
  places.sort((a, b) => a.start - b.start);
  const runs: Place[] = [];
  for (const { start, end } of places) {
    const last = runs.at(-1);
    if (last?.end === start) last.end = end;
    else runs.push({ start, end });
  }
  return runs
    .filter(({ start, end }) => end - start <= 3)
    .map(({ start, end }) => starsAt(text, start, end));
}

/** Runs of stars that may wait for their end at once; a line of thousands would take quadratic time. */
const MAX_OPEN = 8;

/** Pairs stars from the left, the inner pairs first. */
function pairEdits(text: string, all: readonly Stars[]): Edit[] {
  const edits: Edit[] = [];
  const open: Stars[] = [];
  for (const stars of all) {
    const at = open.findLastIndex((opening) => isPair(text, opening, stars));
    const opening = open[at];
    if (opening) {
      open.length = at;
      if (isShutOpening(opening) && !isSureOpening(text, opening)) edits.push(space(opening.end));
      if (isShutClosing(stars)) edits.push(space(stars.start));
    } else if (stars.after !== 'space') {
      open.push(stars);
      if (open.length > MAX_OPEN) open.shift();
      // Its end may be still to come; what is shown by then cannot be changed.
      if (isSureOpening(text, stars)) edits.push(space(stars.end));
    }
  }
  return edits;
}

function allNodes(tree: Node, types: ReadonlySet<string>): Node[] {
  return tree.children.flatMap((each) => [
    ...(types.has(each.type) ? [each] : []),
    ...allNodes(each, types),
  ]);
}

/**
 * Emphasis beside letters: `**「重要」**です` is text to a parser, because stars between punctuation and a letter count as
 * the other end (commonmark/commonmark-spec#650), and of several in a line it takes ends for beginnings. Scripts without
 * spaces between words write it all the time. A character that draws nothing, put inside the stars, makes emphasis of it.
 */
export const emphasisPass: Pass = ({ text, tree, runs }) => {
  if (!text.includes('*')) return [];
  const free = runs.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/\*+/g)].map(({ 0: stars, index }) => ({
      start: start + index,
      end: start + index + stars.length,
    })),
  );
  let next = 0;
  return nodes(tree, BLOCKS).flatMap((block) => {
    while ((free[next]?.start ?? Infinity) < block.start) next++;
    const from = next;
    while ((free[next]?.end ?? Infinity) <= block.end) next++;
    return pairEdits(text, starsOf(text, block, free.slice(from, next)));
  });
};
