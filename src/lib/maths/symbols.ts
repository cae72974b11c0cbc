import { inFont, isPlain } from './fonts';
import type { Piece, Role } from './pieces';
import { EM, join } from './pieces';
import type { Saying, Speaker } from './speaker';
import type { TexNode } from './tree';
import { glyph, nodesOf, stringOf, Unsayable } from './tree';

const OPENING = /^[([{⟨⌊⌈⟦⟮⌜⌞⎰〈]$/u;
const CLOSING = /^[)\]}⟩⌋⌉⟧⟯⌝⌟⎱〉]$/u;
const BARS = /^[|‖∣∥]$/u;

function one(text: string, role: Role): Piece {
  return { text, role, hold: 'atom' };
}

/** Where in the source a token stands. The tree keeps the place, not the white space around it. */
function placeOf(place: unknown): { before: string; after: string } {
  const nowhere = { before: '', after: '' };
  if (typeof place !== 'object' || place === null || !('start' in place && 'end' in place))
    return nowhere;
  const { start, end } = place;
  const lexer = 'lexer' in place ? place.lexer : undefined;
  if (typeof lexer !== 'object' || lexer === null || !('input' in lexer)) return nowhere;
  const { input } = lexer;
  if (typeof start !== 'number' || typeof end !== 'number' || typeof input !== 'string')
    return nowhere;
  return { before: input.charAt(start - 1), after: input.charAt(end) };
}

/** Whether white space follows a token in the source. */
const isApart = (place: unknown): boolean => /\s/.test(placeOf(place).after);

/** Whether a token has white space before it and none behind it. */
function isAfterSpace(place: unknown): boolean {
  const { before, after } = placeOf(place);
  return /\s/.test(before) && !/\s/.test(after);
}

/** A single character of the formula. */
function ordinary(node: TexNode, say: Speaker): Piece[] {
  const text = stringOf(node.text);
  const mode = node.mode === 'text' ? 'text' : 'math';
  if (mode === 'text' && text.trim() === '') return [one(' ', 'space')];
  let char = glyph(text, mode);
  if (BARS.test(char) && mode === 'math') return [one(char, 'bar')];
  if (say.font !== undefined && mode === 'math') char = inFont(char, say.font);
  // Outside \text, the parser calls letters of other scripts text: they form words (`速度`).
  const word = /^\p{L}{2,}$/u.test(char) || (mode === 'text' && /^[\p{L}\p{M}]$/u.test(char));
  const piece = one(char, word ? 'word' : 'ord');
  return [char === 'd' && isAfterSpace(node.loc) ? { ...piece, afterSpace: true } : piece];
}

const FAMILIES = new Map<unknown, Role>([
  ['bin', 'bin'],
  ['rel', 'rel'],
  ['close', 'close'],
  ['punct', 'punct'],
]);

function atom(node: TexNode): Piece[] {
  const char = glyph(stringOf(node.text), node.mode === 'text' ? 'text' : 'math');
  if (node.family === 'inner') return [one(char, char === '⋯' ? 'dots' : 'ord')];
  if (node.family === 'open')
    return [one(char, OPENING.test(char) || BARS.test(char) ? 'open' : 'sign')];
  // A star is the one product that people type without spaces and that reads well so.
  if (node.text === '*') return [one(char, 'ord')];
  const role = FAMILIES.get(node.family);
  if (role === undefined) throw new Unsayable('atom');
  if (char === ',' && isApart(node.loc)) return [{ ...one(char, role), apart: true }];
  return [one(char, role)];
}

/** A delimiter's character. `.` is none; angle brackets may be written as less and greater. */
export function delimiter(value: unknown): string {
  const text = stringOf(value);
  if (text === '.') return '';
  if (text === '<') return '⟨';
  if (text === '>') return '⟩';
  return glyph(text, 'math');
}

/** `\big(` and its like: the size says nothing, the character what it does. */
function sized(node: TexNode): Piece[] {
  const char = delimiter(node.delim);
  if (char === '') return [];
  if (OPENING.test(char)) return [one(char, 'open')];
  if (CLOSING.test(char)) return [one(char, 'close')];
  if (!BARS.test(char)) return [one(char, 'ord')];
  const role = new Map<unknown, Role>([
    ['mopen', 'open'],
    ['mclose', 'close'],
    ['mrel', 'rel'],
  ]).get(node.mclass);
  return [one(char, role ?? 'bar')];
}

/** `\bmod`, `\colon`, `\mathrel{…}`: a row that takes part in the outer row as one symbol. */
function classed(node: TexNode, say: Speaker): Piece[] {
  const line = say.line(nodesOf(node.body));
  if (line.text === '') return [];
  switch (node.mclass) {
    case 'mbin':
      return [{ ...line, role: 'bin' }];
    case 'mrel':
      return [{ ...line, role: 'rel' }];
    case 'mopen':
      return [{ ...line, role: 'open' }];
    case 'mclose':
      return [{ ...line, role: 'close' }];
    case 'mpunct':
      return [{ ...line, role: 'punct' }];
    case 'minner': {
      const closed = /^[⟨|].*[⟩|]$/su.test(line.text);
      return [{ text: line.text, role: 'ord', hold: closed ? 'atom' : line.hold }];
    }
    default:
      return [{ ...line, role: 'ord' }];
  }
}

/** `\sin`, `\sum`, `\mathop{…}` and the base of `\overset`. */
function operator(node: TexNode, say: Speaker): Piece[] {
  if (typeof node.name === 'string') {
    if (node.symbol === true)
      return [{ text: glyph(node.name, 'math'), role: 'op', hold: 'atom', wide: true }];
    return [one(node.name.replace(/^\\/, ''), 'op')];
  }
  const pieces = say.pieces(nodesOf(node.body));
  if (node.fromMathOp === true) return [{ ...join(pieces, say.tight), role: 'op' }];
  return pieces;
}

function named(node: TexNode, say: Speaker): Piece[] {
  const line = say.with({ tight: false }).line(nodesOf(node.body));
  return line.text === '' ? [] : [one(line.text, 'op')];
}

/** Widths are in em; TeX has 18 mu to the em. Less than a tenth moves signs, it parts nothing. */
function widthInEm(value: unknown): number {
  if (typeof value !== 'object' || value === null || !('number' in value) || !('unit' in value))
    return 0;
  const size = typeof value.number === 'number' ? value.number : 0;
  const units = new Map<unknown, number>([
    ['mu', 1 / 18],
    ['em', 1],
    ['ex', 0.43],
    ['pt', 0.1],
    ['cm', 2.8],
    ['mm', 0.28],
  ]);
  return size * (units.get(value.unit) ?? 0.1);
}

function kern(node: TexNode, say: Speaker): Piece[] {
  const width = widthInEm(node.dimension);
  if (width < 0.1 || (say.tight && width < 0.8)) return [];
  if (width < 0.8) return [one(' ', 'space')];
  return [one(EM.repeat(width < 1.5 ? 1 : 2), 'space')];
}

function spacing(node: TexNode): Piece[] {
  const text = stringOf(node.text);
  return text === '\\allowbreak' || text === '\\nobreak' ? [] : [one(' ', 'space')];
}

/** Struts have no width and are not seen; a rule that is seen is a drawing. */
function rule(node: TexNode): Piece[] {
  if (widthInEm(node.width) === 0) return [];
  throw new Unsayable('rule');
}

/** Words: letters stand side by side as written, and formulas among them (`\text{if $x$}`) are formulas. */
function prose(nodes: readonly TexNode[], say: Speaker): string {
  return nodes
    .map((node) => {
      if (node.mode !== 'text') return say.line([node]).text;
      if (node.type === 'spacing') return ' ';
      if (node.type === 'textord' || node.type === 'atom') {
        const text = stringOf(node.text);
        return text.trim() === '' ? ' ' : glyph(text, 'text');
      }
      if (node.type === 'ordgroup' || node.type === 'text' || node.type === 'styling')
        return prose(nodesOf(node.body), say);
      return say.line([node]).text;
    })
    .join('');
}

function words(node: TexNode, say: Speaker): Piece[] {
  const text = prose(nodesOf(node.body), say.with({ tight: false, font: undefined }));
  const inner = text.trim().replace(/\s+/g, ' ');
  const space = one(' ', 'space');
  if (inner === '') return text === '' ? [] : [space];
  const piece: Piece = {
    text: inner,
    role: 'word',
    hold: inner.includes(' ') ? 'loose' : 'atom',
  };
  return [...(/^\s/.test(text) ? [space] : []), piece, ...(/\s$/.test(text) ? [space] : [])];
}

function verbatim(node: TexNode): Piece[] {
  return [one(stringOf(node.body), 'word')];
}

/** A font command. Upright letters in a row (`\mathrm{kg}`) are one name. */
function font(node: TexNode, say: Speaker): Piece[] {
  const name = stringOf(node.font);
  const pieces = say.with({ font: name }).pieces(nodesOf(node.body));
  const letters = pieces.every((piece) => /^\p{L}$/u.test(piece.text));
  if (pieces.length < 2 || !letters || !isPlain(name)) return pieces;
  return [one(pieces.map((piece) => piece.text).join(''), 'word')];
}

/** A braced group is drawn without its braces; a lone operator in it is an ordinary sign (`1{,}5`). */
function group(node: TexNode, say: Speaker): Piece[] {
  const pieces = say.pieces(nodesOf(node.body));
  const [only] = pieces;
  const lone =
    pieces.length === 1 &&
    only !== undefined &&
    (only.role === 'bin' || only.role === 'rel' || only.role === 'sign' || only.role === 'punct');
  return lone ? [{ ...only, role: 'ord' }] : pieces;
}

function through(node: TexNode, say: Speaker): Piece[] {
  return say.pieces(nodesOf(node.body));
}

function nothing(): Piece[] {
  return [];
}

/** `\not`: the parser has already put the stroke on a single sign; on anything wider it would say nothing. */
function negated(node: TexNode): Piece[] {
  if (node.isCharacterBox !== true) throw new Unsayable('not');
  return nodesOf(node.body).flatMap((inner) => {
    const text = stringOf(inner.text).normalize('NFC');
    return inner.type === 'atom' ? atom({ ...inner, text }) : [one(text, 'ord')];
  });
}

function tag(node: TexNode, say: Speaker): Piece[] {
  return [...say.pieces(nodesOf(node.body)), one(EM, 'space'), ...say.pieces(nodesOf(node.tag))];
}

/** Which of four styles is drawn; plain text has one. */
function choice(node: TexNode, say: Speaker): Piece[] {
  return say.pieces(nodesOf(node.text));
}

function separator(node: TexNode): Piece[] {
  const char = delimiter(node.delim);
  return char === '' ? [] : [one(char, 'rel')];
}

/** Sayings of symbols, words, spaces, and of what is drawn through or not at all. */
export const SYMBOLS: readonly (readonly [string, Saying])[] = [
  ['mathord', ordinary],
  ['textord', ordinary],
  ['atom', atom],
  ['op', operator],
  ['operatorname', named],
  ['mclass', classed],
  ['delimsizing', sized],
  ['middle', separator],
  ['kern', kern],
  ['spacing', spacing],
  ['rule', rule],
  ['text', words],
  ['verb', verbatim],
  ['font', font],
  ['ordgroup', group],
  ['not', negated],
  ['tag', tag],
  ['mathchoice', choice],
  ...['styling', 'sizing', 'color', 'smash', 'lap', 'raise', 'vcenter', 'hbox'].map(
    (type): [string, Saying] => [type, through],
  ),
  ...['phantom', 'hphantom', 'vphantom', 'label', 'noTag', 'internal'].map(
    (type): [string, Saying] => [type, nothing],
  ),
  ['pmb', (node, say) => say.with({ font: 'boldsymbol' }).pieces(nodesOf(node.body))],
  ['cr', () => [one('', 'break')]],
];
