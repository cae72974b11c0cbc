import type { Node, Scan } from '../code';
import { lengthBeforeOpenTag } from '../html';
import { isStartOpen, mayBeShutOpening, MAX_EMPHASIS, openLiteral } from './passes';

/**
 * Where the tail of an unfinished text may still change its meaning. What is shown only ever grows, so nothing behind
 * that place is shown yet.
 */

/** Characters after which an opener that found no partner is taken as plain text; no formula or link is longer. */
const MAX_HOLD = 2000;

/** A line of only such characters may become a heading, rule, list, quote, table, fence or HTML block with the next one. */
const STRUCTURAL_LINE = /^(?:[\s#>*+\-=|`~<$_:\\[]|\d{1,9}[.)]\s)*(?:\d{1,9}[.)]?\s*)?$/;

/** A line that begins with a tag or a pipe, behind the marks of its containers. */
const MARKED_LINE = /^(?:[\s>*+-]|\d{1,9}[.)]\s)*[<|]/;

/** `h`, `htt`, `https://exa`: a bare address that is still being written. Escapes, entities and tildes can be part of it. */
const OPEN_ADDRESS = /(?:^|[^\w/])(h(?:t(?:t(?:ps?(?::(?:\/(?:\/\S*)?)?)?)?)?)?)$/i;

/** Where a formula may begin; these environments hold text. */
const OPEN_FORMULA =
  /\\(?:[([]|(?:ce|pu)\{[^\n`$]{0,300}$|(?:ce?|pu?)$|begin\{(?!(?:tabular|table|itemize|enumerate|figure|document|verbatim|lstlisting|center)\b)|b(?:e(?:g(?:in?)?)?)?$)/g;

const matching = (text: string, from: number, open: string, close: string): number => {
  let depth = 0;
  for (let at = from; at < text.length && at - from <= MAX_HOLD; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === open) depth++;
    else if (text[at] === close && --depth === 0) return at;
  }
  return -1;
};

const lineEnd = (text: string, from: number): number => {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
};

/** Whether a `[` that is plain text so far can still become a marker, link, reference or note. */
function bracketIsOpen(text: string, at: number): boolean {
  const close = matching(text, at, '[', ']');
  if (close < 0) return text.length - at <= MAX_HOLD;
  const next = text[close + 1];
  if (next === undefined) return true;
  const end = lineEnd(text, close);
  if (next === '(') {
    // `(not a` is no destination and title, so no link can come of it.
    const isText = /^\([^\s<>]*\s+[^\s"'()]/.test(text.slice(close + 1, end));
    return !isText && end === text.length && end - close <= MAX_HOLD;
  }
  if (next === '[') return bracketIsOpen(text, close + 1);
  // `[^1]: …` may be dropped as a repeat, `[1]: …` may be a definition: decided when the block is complete.
  return next === ':' && /^\s*\\?$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
}

/** Whether the character at `at`, plain text so far, may still open something. */
function isOpen(text: string, at: number): boolean {
  const next = text[at + 1];
  const rest = text.length - at;
  switch (text.charAt(at)) {
    case '`':
      return rest <= MAX_HOLD;
    case '[':
      return bracketIsOpen(text, at);
    case '【':
    case '［':
      return lineEnd(text, at) === text.length && rest <= 210 && !/[】］]/.test(text.slice(at));
    case '<':
      if (next === undefined) return true;
      return /[a-z/!?]/i.test(next) && rest <= MAX_HOLD && !text.slice(at).includes('\n\n');
    case '$':
      if (next === undefined) return true;
      if (next === '$') return rest <= MAX_HOLD;
      return (
        !/\s/.test(next) &&
        !/[\da-z$]/i.test(text[at - 1] ?? '') &&
        lineEnd(text, at) === text.length
      );
    case '!':
      return next === undefined || (next === '[' && bracketIsOpen(text, at + 1));
    case '*':
      return rest <= MAX_EMPHASIS && text[at - 1] !== '*' && mayBeShutOpening(text, at);
    case '~':
      return /^~+$/.test(text.slice(at));
    case '\\':
    case '&':
      return next === undefined;
    default:
      return false;
  }
}

const BESIDE_BLOCKS = /^(?:lineEnding|lineEndingBlank|linePrefix|blockQuotePrefix|listItemIndent)$/;

/** The last block of HTML, if nothing stands behind it; else some other node. */
const lastBlock = (node: Node): Node => {
  if (node.type === 'htmlFlow') return node;
  const last = node.children.findLast(({ type }) => !BESIDE_BLOCKS.test(type));
  return last ? lastBlock(last) : node;
};

/**
 * The offset up to which the open block may be shown. `scanned` is the scan of the block as far as it has arrived;
 * `from` is where its last paragraph begins (nothing before it can change any more).
 */
export function safeLength(scanned: Scan, from: number): number {
  const { text } = scanned;
  let limit = text.length;

  const lastLine = text.lastIndexOf('\n') + 1;
  const line = text.slice(lastLine);
  // `<div` starts an HTML block and `<divx` does not; a table row is one piece.
  if (STRUCTURAL_LINE.test(line) || MARKED_LINE.test(line)) limit = lastLine;
  // The first line of a table looks like a paragraph until the second one is complete.
  const first = lineEnd(text, from);
  if (text.slice(from, first).includes('|') && lineEnd(text, first + 1) === text.length)
    limit = Math.min(limit, from);

  // A line below a table is one of its rows if it holds a pipe, and a paragraph if not (`tables.ts`).
  if (scanned.tree.children.at(-1)?.type === 'table' && !line.includes('|'))
    limit = Math.min(limit, lastLine);

  // The last line of a paragraph may turn out to be the first one of a table.
  const last = scanned.lines.at(-1);
  const above = scanned.lines.findLast(({ lineStart }) => lineStart < lastLine);
  if (
    above &&
    above.lineStart > from &&
    /^[\s>|:-]*$/.test(line) &&
    text.slice(above.start, above.end).includes('|') &&
    lastLine - above.end <= 2
  )
    limit = Math.min(limit, above.lineStart);

  // What a line begins with tells whether the line ending before it was meant.
  if (last && lastLine > from && last.lineStart === lastLine && isStartOpen(text.slice(last.start)))
    limit = Math.min(limit, lastLine);

  // A heading in a list or quote is drawn in bold: its end is known when its line is complete. Of the words behind a fence
  // some are kept and some not.
  if (/^(?:[\s>\d.)*+-]+#|[\s>\d.)*+-]*(?:`{3}|~{3}))/.test(line))
    limit = Math.min(limit, lastLine);

  // How a block of HTML is drawn is known when it is complete.
  const block = lastBlock(scanned.tree);
  if (block.type === 'htmlFlow')
    limit = Math.min(limit, text.lastIndexOf('\n', block.start - 1) + 1);

  // A definition can still get a title, or turn out to be a sentence.
  for (const { start, end } of scanned.definitions) {
    if (text.slice(end).trim() === '') limit = Math.min(limit, start);
  }
  for (const { start, end } of scanned.runs) {
    if (end <= from || start >= limit) continue;
    for (let at = Math.max(start, from); at < Math.min(end, limit); at++) {
      if (isOpen(text, at)) limit = Math.min(limit, at);
    }
  }
  const tail = scanned.runs.findLast(({ end }) => end >= limit);
  if (tail && tail.start < limit) {
    const lineStart = text.lastIndexOf('\n', limit - 1) + 1;
    const address = OPEN_ADDRESS.exec(
      text.slice(Math.max(from, limit - MAX_HOLD, lineStart), limit),
    );
    if (address?.[1]) limit -= address[1].length;
  }
  // `\(`, `\[` and `\begin` are escapes to the parser until their partner arrives.
  for (const match of text.slice(from, limit).matchAll(OPEN_FORMULA)) {
    const at = from + match.index;
    const inFormula = scanned.formulas.some((formula) => formula.start <= at && at < formula.end);
    if (!inFormula && text[at - 1] !== '\\' && text.length - at <= MAX_HOLD) {
      limit = Math.min(limit, at);
      break;
    }
  }
  // Half of a construct means something else than the whole.
  for (const { start, end } of [...scanned.formulas, ...scanned.links, ...scanned.spans]) {
    if (start < limit && limit < end) limit = start;
  }
  // Behind punctuation, stars end emphasis only if no letter follows.
  const stars = /(?:\[[^[\]\n]{0,200}\]|[\p{P}\p{S}])(\*{1,3})$/u.exec(text.slice(-210));
  if (stars)
    limit = Math.min(
      limit,
      text.length - (stars[0].startsWith('[') ? stars[0] : (stars[1] ?? '')).length,
    );
  limit = Math.min(limit, text.length - openLiteral(text));
  // A digit behind `$A$` makes a cell reference of the formula.
  const formula = scanned.formulas.at(-1);
  if (formula?.end === text.length && text.endsWith('$')) limit = Math.min(limit, formula.start);
  // Whether these are escaped depends on what follows them.
  if (limit < text.length && /[<!\]]/.test(text[limit - 1] ?? '')) limit--;
  limit = lengthBeforeOpenTag(scanned, from, limit);
  return withoutBareMarks(text, limit);
}

/** Marks of lists and quotes at the end, without text behind them: the block that follows may be drawn without them. */
function withoutBareMarks(text: string, limit: number): number {
  let end = limit;
  for (;;) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const line = text.slice(start, end);
    const isBare = end === limit ? STRUCTURAL_LINE.test(line) : /^[\s>]*$/.test(line);
    if (!isBare) return end === limit ? limit : end + 1;
    if (start <= 1) return 0;
    end = start - 1;
  }
}
