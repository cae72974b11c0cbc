import { isDifferential, isIntegral } from './differentials';

/** What a piece does in its row; TeX's atom classes, and those that plain text needs on top. */
export type Role =
  | 'ord'
  | 'word' // several letters that are one name: never glued to a letter
  | 'op' // sin, ∑
  | 'bin'
  | 'rel'
  | 'sign' // a binary operator without a left operand
  | 'open'
  | 'close'
  | 'punct'
  | 'bar' // | or ‖ that may open, close or separate
  | 'dots'
  | 'space'
  | 'break'; // between two equations

/**
 * How a text holds together, from firm to loose: an atom takes a script, an indexed atom a root
 * or slash, a scripted one or a call a slash, a product only the upper side of a slash.
 */
type Hold = 'atom' | 'indexed' | 'scripted' | 'call' | 'product' | 'quotient' | 'loose';

/** A row of a formula that has become text. */
export interface Line {
  text: string;
  hold: Hold;
  /** One name of several letters. */
  isWord?: boolean;
}

export interface Piece extends Line {
  role: Role;
  /** Stands in brackets of its own. `sum`: with a plus or minus in them, so what precedes is a factor, not a function. */
  bracketed?: 'list' | 'sum';
  /** An operator that takes everything after it (∑, lim with a bound): no bracket is glued to it. */
  wide?: boolean;
  /** Ends in something that a following letter would join: an unlowered index, or a power or root. */
  tail?: 'index' | 'power';
  /** Begins with a raised index, which would join what stands before. */
  lead?: boolean;
  /** A comma with white space behind it in the source: it parts, it does not group digits. */
  apart?: boolean;
  /** The text without its own brackets, for a table that already stands between some. */
  bare?: string;
  /** A quotient of units, which belongs to the number before it: `4.2 kJ/kg`. */
  isUnit?: boolean;
  /** What stands at a brace over or under this, perhaps nothing. Neighbours decide whether brackets show what it spans. */
  label?: string;
  /** A letter with white space before it and none behind it in the source. */
  afterSpace?: boolean;
}

export const EM = '\u2003';

const BRACKETS = new Map([
  ['(', ')'],
  ['[', ']'],
]);

/** The line in brackets, unless it already is one bracket. */
export function fenced(line: Line): string {
  const first = line.text.charAt(0);
  const whole = line.hold === 'atom' && BRACKETS.get(first) === line.text.slice(-1);
  return whole && line.text.length > 1 ? line.text : `(${line.text})`;
}

const MULTIPLYING = new Set('+−±∓⋅×∗·∧∨∩∪');

/** Whether a slash may stand bare between these neighbours without taking one of them into the fraction. */
function standsAlone(pieces: readonly Piece[], at: number): boolean {
  const isUnit = pieces[at]?.isUnit === true;
  const ends = (next: number): boolean =>
    /^[.。，]$/.test(pieces[next]?.text ?? '') &&
    pieces.slice(next + 1).every(({ role }) => role === 'space');
  const side = (step: 1 | -1): boolean => {
    let next = at + step;
    let spaced = false;
    for (; pieces[next]?.role === 'space'; next += step) {
      if (pieces[next]?.text !== ' ') return true;
      spaced = true;
    }
    const piece = pieces[next];
    if (piece === undefined || (step === 1 && ends(next))) return true;
    if (step === -1 && spaced && isUnit && /\d$/.test(piece.text)) return true;
    switch (piece.role) {
      case 'rel':
      case 'punct':
      case 'dots':
      case 'break':
        return true;
      case 'sign':
      case 'open':
        return step === -1;
      case 'close':
        return step === 1 && piece.text !== '!';
      case 'bin':
        return MULTIPLYING.has(piece.text);
      case 'op':
        return step === -1 && piece.wide === true;
      case 'word':
        return spaced;
      case 'ord':
      case 'bar':
      case 'space':
        return false;
    }
  };
  return side(-1) && side(1);
}

/** Factors only, once its brackets are out of sight. */
const FACTORS = /^[\p{L}\p{N}\p{M}\s⋅×∇!′″^_.,°⁺⁻⁼⁽⁾₊₋₌₍₎]*$/u;

const SIDES = new Set<Role | undefined>([undefined, 'rel', 'open', 'close', 'punct', 'break']);

/** The piece with the label of its brace behind it; in brackets, if neighbours would seem to belong to it. */
export function withLabel(piece: Piece, isAlone: boolean): Piece {
  if (piece.label === undefined) return piece;
  let outside = piece.text;
  for (let before = ''; before !== outside;) {
    before = outside;
    outside = outside.replace(/\([^()[\]]*\)|\[[^()[\]]*\]/g, '');
  }
  const isFirm = isAlone || (piece.hold !== 'quotient' && FACTORS.test(outside));
  const { label, ...rest } = piece;
  if (label === '')
    return isFirm ? rest : { ...rest, text: fenced(piece), hold: 'atom', bracketed: 'sum' };
  return { ...rest, text: `${isFirm ? piece.text : fenced(piece)} [${label}]` };
}

function withLabels(pieces: readonly Piece[]): Piece[] {
  const real = pieces.filter(({ role, text }) => role !== 'space' || text.includes(EM));
  const place = new Map(real.map((piece, at) => [piece, at]));
  const isSide = (piece: Piece | undefined): boolean =>
    SIDES.has(piece?.role) || piece?.role === 'space';
  return pieces.map((piece) => {
    const at = place.get(piece);
    if (piece.label === undefined || at === undefined) return piece;
    return withLabel(piece, isSide(real[at - 1]) && isSide(real[at + 1]));
  });
}

/** Letters of scripts that come one by one from the parser and are read as a word. */
function isForeign(left: Piece, right: Piece): boolean {
  return /[^\0-\x7F]$/.test(left.text) && /^[^\0-\x7F]/.test(right.text);
}

/** Digits become numbers, letters of other scripts words, as far as nothing else stands between. */
function withNumbers(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  let counting = false; // the last piece is a number so far
  for (const piece of pieces) {
    const last = out.at(-1);
    const digits =
      piece.role === 'ord' &&
      /^[\d.,]/.test(piece.text) &&
      piece.hold !== 'quotient' &&
      piece.label === undefined;
    if (counting && digits && last !== undefined) {
      out[out.length - 1] = { ...piece, text: last.text + piece.text };
      counting = /^[\d.,]+$/.test(piece.text);
      continue;
    }
    counting = digits && /^\d[\d.,]*$/.test(piece.text);
    if (last?.role === 'word' && piece.role === 'word' && isForeign(last, piece)) {
      out[out.length - 1] = { ...piece, text: last.text + piece.text };
      continue;
    }
    out.push(piece);
  }
  return withGroups(out);
}

/** `1,000`: TeX spaces the comma as if it parted two numbers; a reader takes three digits after it as one number. */
function withGroups(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  pieces.forEach((piece, at) => {
    const comma = out.at(-1);
    const before = out.at(-2);
    const grouped =
      piece.role === 'ord' &&
      /^\d{3}(?!\d)/.test(piece.text) &&
      comma?.text === ',' &&
      comma.role === 'punct' &&
      comma.apart !== true &&
      pieces[at - 1] === comma &&
      before?.role === 'ord' &&
      /^[1-9]\d{0,2}(?:,\d{3})*$/.test(before.text);
    if (grouped) out.splice(-2, 2, { ...piece, text: `${before.text},${piece.text}` });
    else out.push(piece);
  });
  return out;
}

/** Bars open and close in turn when they come in pairs; a lone one separates (`P(A|B)`), or relates inside braces. */
function withBars(pieces: readonly Piece[], inBraces: boolean): Piece[] {
  const count = pieces.filter((piece) => piece.role === 'bar').length;
  let open = false;
  return pieces.map((piece) => {
    if (piece.role !== 'bar') return piece;
    if (count === 1 && inBraces) return { ...piece, role: 'rel' };
    if (count % 2 === 1) return { ...piece, role: 'ord' };
    open = !open;
    return { ...piece, role: open ? 'open' : 'close' };
  });
}

const NO_LEFT = new Set<Role | undefined>([
  undefined,
  'open',
  'bin',
  'rel',
  'sign',
  'punct',
  'break',
]);
const NO_RIGHT = new Set<Role | undefined>([undefined, 'close', 'rel', 'punct', 'break']);

/** TeXbook appendix G, rules 5 and 6: a binary operator without two operands is none. */
function withOperands(pieces: readonly Piece[]): Piece[] {
  const real = pieces.filter((piece) => piece.role !== 'space');
  const place = new Map(real.map((piece, at) => [piece, at]));
  return pieces.map((piece) => {
    const at = place.get(piece);
    if (piece.role !== 'bin' || at === undefined) return piece;
    // The arrows of a gas and of a precipitate stand behind what they mark.
    const isMarked = /^[↑↓]$/.test(real[at - 1]?.text ?? '') && at > 1;
    if (NO_LEFT.has(real[at - 1]?.role) && !isMarked) return { ...piece, role: 'sign' };
    if (NO_RIGHT.has(real[at + 1]?.role)) return { ...piece, role: 'ord' };
    return piece;
  });
}

function withTables(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece, at) =>
    piece.bare !== undefined && pieces[at - 1]?.role === 'open' && pieces[at + 1]?.role === 'close'
      ? { ...piece, text: piece.bare }
      : piece,
  );
}

const WORDLIKE = /[a-z]/i;

function isBracket(piece: Piece): boolean {
  return piece.role === 'open' || piece.bracketed !== undefined;
}

function isFactor(piece: Piece): boolean {
  return piece.role === 'ord' || piece.role === 'word' || isBracket(piece);
}

/** The space that must stand between two neighbours. */
function gap(left: Piece, right: Piece, tight: boolean): '' | ' ' {
  if (right.text === '!' && left.tail === 'power') return ' ';
  if (left.role === 'open' || right.role === 'close' || right.role === 'punct') return '';
  const words = left.role === 'word' || right.role === 'word';
  if (words && /[a-z]$/i.test(left.text) && /^[a-z]/i.test(right.text))
    return /^(?:st|nd|rd|th)$/.test(right.text) ? '' : ' '; // n\text{th}
  if (left.bracketed === 'sum' && right.role === 'word' && /^\p{L}/u.test(right.text))
    return /^(?:st|nd|rd|th)$/.test(right.text) ? '' : ' ';
  const spaced = (piece: Piece): boolean => !tight || WORDLIKE.test(piece.text);
  if (left.role === 'rel' || right.role === 'rel') {
    if (left.role === right.role) return '';
    return spaced(left.role === 'rel' ? left : right) ? ' ' : '';
  }
  if (left.role === 'bin' || right.role === 'bin')
    return spaced(left.role === 'bin' ? left : right) ? ' ' : '';
  if (left.role === 'punct') return tight ? '' : ' ';
  if (left.role === 'op') {
    if (isBracket(right) && left.wide !== true) return '';
    return spaced(left) ? ' ' : '';
  }
  if (right.role === 'op') return left.role === 'sign' || !spaced(right) ? '' : ' ';
  if (left.role === 'dots' || right.role === 'dots')
    return tight || left.role === 'sign' ? '' : ' ';
  if (left.role === 'sign') return '';
  if (left.tail !== undefined && /^[/.。]$/.test(right.text)) return '';
  if (left.tail === 'power' && isFactor(right)) return ' ';
  if (left.tail === 'index' && isFactor(right) && !isBracket(right)) return ' ';
  if (right.lead === true && (isFactor(left) || left.role === 'close')) return ' ';
  return /[\u00BC-\u00BE\u2150-\u215E]$/.test(left.text) && /^\d/.test(right.text) ? ' ' : '';
}

function isFence(piece: Piece): boolean {
  return piece.role === 'open' || piece.role === 'close';
}

function holdOf(pieces: readonly Piece[], spaced: boolean): Hold {
  const [first, second] = pieces;
  if (first === undefined) return 'atom';
  if (pieces.length === 1) return first.hold;
  if (pieces.length === 2 && !spaced) {
    if (second?.text === '!' && (first.hold === 'atom' || first.hold === 'indexed'))
      return 'scripted';
    const name = first.role === 'op' || /^\p{L}/u.test(first.text);
    const firm = first.hold !== 'loose' && first.hold !== 'quotient';
    if (second?.bracketed === 'list' && name && firm) return 'call';
  }
  const closed = first.role === 'open' && pieces.at(-1)?.role === 'close';
  if (closed && pieces.filter(isFence).length === 2) return 'atom';
  const factors = (piece: Piece): boolean => isFactor(piece) || isFence(piece);
  if (spaced || !pieces.every(factors)) return 'loose';
  if (pieces.some((piece) => piece.text === '/' || piece.hold === 'quotient')) return 'quotient';
  return 'product';
}

/** One row as text. `tight`: no spaces around operators, as TeX sets scripts. `inBraces`: `{x | x > 0}`. */
export function join(row: readonly Piece[], tight: boolean, inBraces = false): Line {
  const pieces = withLabels(withOperands(withTables(withBars(withNumbers(row), inBraces))));
  const real: Piece[] = [];
  let text = '';
  let pending = '';
  let spaced = false;
  let left: Piece | undefined;
  let inIntegral = false;
  pieces.forEach((piece, at) => {
    if (piece.role === 'space') {
      if (left === undefined) return; // at an end, or behind a break
      if (piece.text.length > pending.length || piece.text > pending) pending = piece.text;
      return;
    }
    const right: Piece =
      piece.hold === 'quotient' && !standsAlone(pieces, at)
        ? { ...piece, text: `(${piece.text})`, hold: 'atom', bracketed: 'list' }
        : piece;
    if (right.role === 'break') {
      pending = text === '' ? '' : /[,;.]$/.test(text) ? ' ' : '; ';
      left = undefined;
      inIntegral = false;
      spaced = true;
      return;
    }
    let between = pending;
    if (left !== undefined) {
      const needed = gap(left, right, tight);
      if (between === '') between = needed;
      else if (left.role === 'open' || right.role === 'close' || right.role === 'punct')
        between = '';
      if (between === '' && (isFactor(left) || left.role === 'close') && left.role !== 'open')
        between = isDifferential(pieces, at, inIntegral) ? ' ' : '';
    }
    if (right.role === 'rel') inIntegral = false;
    else inIntegral ||= isIntegral(right);
    text += between + right.text;
    spaced ||= between !== '';
    pending = '';
    real.push(right);
    left = right;
  });
  return { text, hold: holdOf(real, spaced) };
}
