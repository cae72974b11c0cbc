import type { Line, Piece } from './pieces';
import { fenced, join, withLabel } from './pieces';
import { lowered, nucleus, primes, raised } from './scripts';
import type { Saying, Speaker } from './speaker';
import { delimiter } from './symbols';
import type { TexNode } from './tree';
import { nodesOf, stringOf, Unsayable } from './tree';

const SINGLE = /^\P{M}\p{M}*$/u;

interface Script {
  text: string;
  /** Every character has its own raised or lowered form, so brackets are not needed. */
  mapped: boolean;
  /** Plain characters without brackets: what follows must keep its distance. */
  open: boolean;
}

/** Two or three short indices: `x₁,₂` is read at once, commas among sums or many are not. */
const INDICES = /^\w{1,2}(?:,\w{1,2}){1,2}$/;

function indices(text: string): string | undefined {
  if (!INDICES.test(text)) return lowered(text);
  const parts = text.split(',').map(lowered);
  return parts.includes(undefined) ? undefined : parts.join(',');
}

function script(line: Line, mark: '^' | '_', bracket: boolean): Script {
  const text = mark === '^' ? raised(line.text) : indices(line.text);
  const isWord = line.isWord === true && /^\p{L}+$/u.test(line.text);
  if (text !== undefined) return { text, mapped: true, open: false };
  if (isWord && !bracket && mark === '_')
    return { text: mark + line.text, mapped: false, open: true };
  if (SINGLE.test(line.text) && !bracket)
    return { text: mark + line.text, mapped: false, open: true };
  return { text: mark + fenced(line), mapped: false, open: false };
}

const NONE: Script = { text: '', mapped: true, open: false };

/** An upper script: primes and the degree sign stand by themselves, the rest is raised or marked with `^`. */
function upper(line: Line): Script {
  const degree = /^∘([CFK]?)$/.exec(line.text);
  if (degree) return { text: `°${degree[1] ?? ''}`, mapped: true, open: false };
  // The transpose is often set as the sign of the top element, or in a sans-serif face.
  if (/^[⊤⊺]$/u.test(line.text)) return script({ ...line, text: 'T' }, '^', false);
  // So is the complement's c; of these letters Unicode raises only the plain ones.
  if (/^[\u{1D5A0}-\u{1D5D3}]$/u.test(line.text))
    return script({ ...line, text: line.text.normalize('NFKC') }, '^', false);
  // A star is raised by nature.
  if (line.text === '∗') return { text: '*', mapped: false, open: true };
  const marks = /^′+/.exec(line.text)?.[0].length ?? 0;
  if (marks === 0) return script(line, '^', false);
  const rest = line.text.slice(marks);
  const power = rest === '' ? NONE : script({ ...line, text: rest }, '^', true);
  return { ...power, text: primes(marks) + power.text };
}

/**
 * Base with its scripts: `x₁²`, `x_(i,j)^(a/b)`. The lower script comes first, as it is read;
 * it takes brackets if it stays plain and something raised follows.
 */
function attach(base: Piece, sub: Line | undefined, sup: Line | undefined): Piece {
  const above = sup === undefined || sup.text === '' ? NONE : upper(sup);
  // The bounds of an integral are told apart by their marks: `∫_N^∞`.
  const isBounds = base.role === 'op' && above.text.startsWith('^');
  const below =
    sub === undefined || sub.text === '' ? NONE : script(sub, '_', above.text !== '' && !isBounds);
  if (above.text === '' && below.text === '') return base;
  const firm = base.hold === 'atom' || base.hold === 'product' || base.role !== 'ord';
  const stem = firm ? base.text : `(${base.text})`;
  // Left of a base (`¹⁴₆C`) the mass number comes first.
  const marks = stem === '' ? above.text + below.text : below.text + above.text;
  const piece: Piece = {
    text: stem + marks,
    role: base.role === 'word' || base.role === 'dots' ? 'ord' : base.role,
    hold: above.text === '' && below.mapped ? 'indexed' : 'scripted',
  };
  if (base.wide === true) piece.wide = true;
  if (above.open) piece.tail = /[\p{L}\p{N}]$/u.test(above.text) ? 'power' : 'index';
  else if (below.open && above.text === '') piece.tail = 'index';
  return piece;
}

function scriptLine(value: unknown, say: Speaker): Line | undefined {
  const nodes = nodesOf(value);
  if (nodes.length === 0) return undefined;
  const pieces = say.with({ tight: true }).pieces(nodes);
  const [only] = pieces;
  const line = join(pieces, true);
  return pieces.length === 1 && only?.role === 'word' ? { ...line, isWord: true } : line;
}

function basePiece(nodes: readonly TexNode[], say: Speaker): Piece {
  const pieces = say.pieces(nodes);
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const line = join(pieces, say.tight);
  // `\mathrm{m/s}^2` is drawn m/s²: brackets would square the metres too.
  return { ...line, hold: line.hold === 'quotient' ? 'product' : line.hold, role: 'ord' };
}

function scripts(node: TexNode, say: Speaker): Piece[] {
  const nodes = nodesOf(node.base);
  const [only] = nodes;
  if (nodes.length === 1 && only?.type === 'horizBracket') return labelled(only, node, say);
  const base = basePiece(nodes, say);
  const [sub, sup] = [scriptLine(node.sub, say), scriptLine(node.sup, say)];
  if (base.role === 'rel' && SIDEWAYS.has(base.text)) return [labelledArrow(base, sup, sub)];
  const piece = attach(base, sub, sup);
  if (piece.text === '') return [];
  if (base.role === 'op' && piece.text !== base.text && hasLimits(node.base)) piece.wide = true;
  return [piece];
}

/** Bounds of lim and max stand below them: what follows is their operand, bracketed or not. */
function hasLimits(value: unknown): boolean {
  return nodesOf(value).some(
    (node) =>
      node.limits === true || (node.type === 'operatorname' && node.alwaysHandleSupSub === true),
  );
}

/** Scripts on the left (`\prescript`, `\sideset`). */
function prescripts(node: TexNode, say: Speaker): Piece[] {
  const [before] = nodesOf(node.prescripts);
  const [after] = nodesOf(node.postscripts);
  const [sub, sup] = [scriptLine(before?.sub, say), scriptLine(before?.sup, say)];
  const empty: Piece = { text: '', role: 'ord', hold: 'atom' };
  // mathtools writes \prescript{upper}{lower}{base}; temml 0.13.5 expands it the other way round.
  const left = node.isSideset === true ? attach(empty, sub, sup) : attach(empty, sup, sub);
  if (left.tail !== undefined) throw new Unsayable('prescript');
  const base = basePiece(nodesOf(node.base), say);
  const right = attach(base, scriptLine(after?.sub, say), scriptLine(after?.sup, say));
  return [{ ...right, text: left.text + right.text, hold: 'scripted', lead: true }];
}

const VULGAR = new Map([
  ['1/2', '½'],
  ['1/3', '⅓'],
  ['2/3', '⅔'],
  ['1/4', '¼'],
  ['3/4', '¾'],
  ['1/5', '⅕'],
  ['2/5', '⅖'],
  ['3/5', '⅗'],
  ['4/5', '⅘'],
  ['1/6', '⅙'],
  ['5/6', '⅚'],
  ['1/7', '⅐'],
  ['1/8', '⅛'],
  ['3/8', '⅜'],
  ['5/8', '⅝'],
  ['7/8', '⅞'],
  ['1/9', '⅑'],
  ['1/10', '⅒'],
]);

/** `d/dx`, `∂f/∂x`, `Δy/Δx`: the one product that everybody reads as one thing below a slash. */
function isDifferential(above: string, below: Line): boolean {
  const sign = /^[d∂Δδ]/.exec(below.text)?.[0];
  if (sign === undefined || !above.startsWith(sign)) return false;
  const variable = nucleus(below.text.slice(sign.length))?.letter;
  return variable !== undefined && /^\p{L}/u.test(variable);
}

function quotient(above: Line, below: Line): Piece {
  const vulgar = VULGAR.get(`${above.text}/${below.text}`);
  if (vulgar !== undefined) return { text: vulgar, role: 'ord', hold: 'scripted' };
  const top = above.hold === 'loose' || above.hold === 'quotient' ? fenced(above) : above.text;
  const firm =
    isDifferential(above.text, below) ||
    ['atom', 'indexed', 'scripted', 'call'].includes(below.hold);
  return { text: `${top}/${firm ? below.text : fenced(below)}`, role: 'ord', hold: 'quotient' };
}

/** `\text{kJ}`, `\mathrm{kg\,K}`, `\text{m}^2`. */
function isUnitName(nodes: readonly TexNode[]): boolean {
  return nodes.every(
    ({ type, font, base, body }) =>
      type === 'text' ||
      type === 'spacing' ||
      type === 'kern' ||
      (type === 'font' && font === 'mathrm') ||
      (type === 'ordgroup' && isUnitName(nodesOf(body))) ||
      (type === 'supsub' && isUnitName(nodesOf(base))),
  );
}

function fraction(node: TexNode, say: Speaker): Piece[] {
  const above = say.line(nodesOf(node.numer));
  const below = say.line(nodesOf(node.denom));
  const [left, right] = [node.leftDelim, node.rightDelim].map((delim) =>
    delim === null || delim === undefined ? '' : delimiter(delim),
  );
  if (node.hasBarLine !== true) {
    // Without a line only the binomial has a reading of its own.
    if (left !== '(' || right !== ')') throw new Unsayable('stack');
    return [
      { text: `(${above.text} choose ${below.text})`, role: 'ord', hold: 'atom', bracketed: 'sum' },
    ];
  }
  if (above.text === '' || below.text === '') throw new Unsayable('empty fraction');
  const piece = quotient(above, below);
  const isUnit =
    say.font === 'mathrm' || (isUnitName(nodesOf(node.numer)) && isUnitName(nodesOf(node.denom)));
  if (left === '' || right === '') return [isUnit ? { ...piece, isUnit } : piece];
  return [{ text: `${left ?? ''}${piece.text}${right ?? ''}`, role: 'ord', hold: 'atom' }];
}

/** `\sfrac12` keeps its parts as strings. */
function slanted(node: TexNode): Piece[] {
  const [above, below] = [stringOf(node.numerator), stringOf(node.denominator)];
  if (!/^\w+$/.test(above) || !/^\w+$/.test(below)) throw new Unsayable('sfrac');
  return [quotient({ text: above, hold: 'atom' }, { text: below, hold: 'atom' })];
}

function root(node: TexNode, say: Speaker): Piece[] {
  const body = say.line(nodesOf(node.body));
  const index = scriptLine(node.index, say);
  const degree = index === undefined || index.text === '2' ? '' : index.text;
  const fixed = new Map([
    ['', '√'],
    ['3', '∛'],
    ['4', '∜'],
  ]).get(degree);
  const sign = fixed ?? `${raised(degree) ?? ''}√`;
  if (fixed === undefined && sign === '√') throw new Unsayable('root');
  const bare = body.hold === 'atom' || body.hold === 'indexed';
  const piece: Piece = {
    text: sign + (bare ? body.text : fenced(body)),
    role: 'ord',
    hold: 'scripted',
  };
  if (bare && body.text !== '' && fenced(body) !== body.text) piece.tail = 'power';
  if (fixed === undefined) piece.lead = true;
  return [piece];
}

const ADDING = /[+−±∓]/;

/** Brackets with what they hold, `\left … \right` or plain. */
function brackets(node: TexNode, say: Speaker): Piece[] {
  const body = nodesOf(node.body);
  let left = delimiter(node.left);
  let right = delimiter(node.right);
  const pieces = say.pieces(body);
  const [only] = pieces;
  const table = pieces.length === 1 ? only?.bare : undefined;
  const array = body.some((inner) => inner.type === 'array');
  // A case distinction is open on one side; in a row its end must be seen.
  if (array && left === '{' && right === '') right = '}';
  if (array && left === '' && right === '}') left = '{';
  const line = join(pieces, say.tight, left === '{');
  let text = table ?? line.text;
  // The bar of "evaluated at" says where its operand ends, not where it begins.
  if (left === '' && right !== '' && (line.hold === 'loose' || line.hold === 'quotient'))
    text = `(${text})`;
  const whole = left !== '' && right !== '';
  return [
    {
      text: left + text + right,
      role: 'ord',
      hold: whole || (left === '' && right !== '') ? 'atom' : 'loose',
      ...(left === '' ? {} : { bracketed: ADDING.test(text) ? 'sum' : 'list' }),
    },
  ];
}

const ARROWS = new Map(
  Object.entries({
    '→': 'xrightarrow yields',
    '←': 'xleftarrow yieldsLeft',
    '⇒': 'xRightarrow',
    '⇐': 'xLeftarrow',
    '↔': 'xleftrightarrow mesomerism',
    '⇔': 'xLeftrightarrow',
    '↪': 'xhookrightarrow',
    '↩': 'xhookleftarrow',
    '↦': 'xmapsto',
    '⇁': 'xrightharpoondown',
    '⇀': 'xrightharpoonup longrightharpoonup',
    '↽': 'xleftharpoondown longleftharpoondown',
    '↼': 'xleftharpoonup',
    '=': 'xlongequal',
    '↠': 'xtwoheadrightarrow',
    '↞': 'xtwoheadleftarrow',
    '⇄': 'xtofrom yieldsLeftRight',
    '⇋': 'xleftrightharpoons',
    '⇌': 'xrightleftharpoons chemequilibrium equilibriumRight equilibriumLeft',
  }).flatMap(([sign, names]) =>
    names.split(' ').map((name): [string, string] => [`\\${name}`, sign]),
  ),
);

/** Arrows to the side. */
const SIDEWAYS = new Set(Array.from('←→↔⇐⇒⇔⟵⟶⟷⟸⟹⟺↦⟼↩↪↞↠↼↽⇀⇁⇄⇋⇌⇝'));

/** An arrow with what stands above and below it, never as a power: `→[heat]`. */
function labelledArrow(arrow: Piece, above: Line | undefined, below: Line | undefined): Piece {
  const labels = [above?.text ?? '', below?.text ?? ''].filter((text) => text !== '');
  return labels.length === 0 ? arrow : { ...arrow, text: `${arrow.text}[${labels.join(', ')}]` };
}

function arrow(node: TexNode, say: Speaker): Piece[] {
  const sign = ARROWS.get(stringOf(node.name));
  if (sign === undefined) throw new Unsayable('arrow');
  const base: Piece = { text: sign, role: 'rel', hold: 'atom' };
  return [labelledArrow(base, scriptLine(node.body, say), scriptLine(node.below, say))];
}

const BRACES = new Set(['\\overbrace', '\\underbrace', '\\overbracket', '\\underbracket']);

/** `1 + ⋯ + 1 [n times]`: what a brace spans, and its label behind. */
function spanned(node: TexNode, label: string, say: Speaker): Piece {
  if (!BRACES.has(stringOf(node.label))) throw new Unsayable('brace');
  const line = say.line(nodesOf(node.base));
  return {
    ...line,
    role: 'ord',
    hold: label === '' ? line.hold : 'loose',
    lead: true,
    tail: 'power',
    label,
  };
}

function brace(node: TexNode, say: Speaker): Piece[] {
  return [spanned(node, '', say)];
}

/** The label of a brace stands on its side; a script on the other side is an ordinary one. */
function labelled(node: TexNode, { sub, sup }: TexNode, say: Speaker): Piece[] {
  const isOver = node.isOver === true;
  const label = say.with({ tight: false }).line(nodesOf(isOver ? sup : sub)).text;
  const piece = spanned(node, label, say);
  const other = scriptLine(isOver ? sub : sup, say);
  if (other === undefined) return [piece];
  const whole = withLabel(piece, true);
  return [isOver ? attach(whole, other, undefined) : attach(whole, undefined, other)];
}

/** Sayings of everything that TeX draws in two dimensions, except tables and accents. */
export const LAYOUTS: readonly (readonly [string, Saying])[] = [
  ['supsub', scripts],
  ['multiscript', prescripts],
  ['genfrac', fraction],
  ['sfrac', slanted],
  ['sqrt', root],
  ['leftright', brackets],
  ['delimiter', brackets],
  ['xArrow', arrow],
  ['stackedArrow', arrow],
  ['horizBracket', brace],
];
