import type TemmlModule from 'temml';

/** A node of temml's parse tree. Only its type is sure: every other field is checked where it is read. */
export interface TexNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Thrown inside this folder for what plain Unicode cannot say; the door turns it into `undefined`. */
export class Unsayable extends Error {}

type Temml = Pick<typeof TemmlModule, '__parse' | '__renderToMathMLTree'>;

let loaded: Temml | undefined;

function isTemml(value: unknown): value is Temml {
  return (
    typeof value === 'object' &&
    value !== null &&
    '__parse' in value &&
    typeof value.__parse === 'function' &&
    '__renderToMathMLTree' in value &&
    typeof value.__renderToMathMLTree === 'function'
  );
}

function temml(): Temml {
  if (loaded === undefined) {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded with the first formula and synchronously: a static import would cost every launch, import() would make rendering asynchronous
    const module: unknown = require('temml');
    if (!isTemml(module)) throw new Unsayable('temml has no parser');
    loaded = module;
  }
  return loaded;
}

export function isNode(value: unknown): value is TexNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

/** A field that holds one node or a list of them, as a list. A missing one is empty; anything else cannot be said. */
export function nodesOf(value: unknown): TexNode[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every(isNode)) throw new Unsayable('not a node');
  return list;
}

/** A field that must be a string. */
export function stringOf(value: unknown): string {
  if (typeof value !== 'string') throw new Unsayable('not a string');
  return value;
}

/** Commands that temml lacks and that mean the same here as others. It may write into the object: a copy a call. */
const ALIASES = {
  '\\mbox': '\\text',
  '\\nicefrac': '\\frac',
  // The packages physics and mathtools.
  '\\abs': '\\left|#1\\right|',
  '\\norm': '\\left\\|#1\\right\\|',
  '\\dv': '\\frac{d#1}{d#2}',
  '\\pdv': '\\frac{\\partial #1}{\\partial #2}',
  '\\dd': 'd',
  // The package siunitx.
  '\\SI': '#1\\,\\mathrm{#2}',
  '\\qty': '#1\\,\\mathrm{#2}',
  '\\si': '\\mathrm{#1}',
  '\\unit': '\\mathrm{#1}',
  '\\num': '#1',
  '\\ang': '#1^\\circ',
  ...units(
    'meter:m metre:m second:s gram:g ampere:A kelvin:K mole:mol candela:cd hertz:Hz newton:N pascal:Pa',
    'joule:J watt:W volt:V ohm:Ω farad:F tesla:T coulomb:C liter:L litre:L hour:h minute:min day:d',
    'electronvolt:eV nano:n micro:µ milli:m centi:c kilo:k mega:M giga:G per:/',
    'degreeCelsius:^\\circ\\text{C} celsius:^\\circ\\text{C} squared:^2 cubed:^3',
  ),
};

function units(...rows: string[]): Record<string, string> {
  const names = rows.join(' ').split(' ');
  return Object.fromEntries(
    names.map((row) => {
      const [name = '', sign = ''] = row.split(':');
      return [`\\${name}`, sign];
    }),
  );
}

/** The dot of a radical behind its atom. mhchem would set it as the dot of an addition compound, which has a formula behind it. */
function withRadicals(tex: string): string {
  if (!tex.includes('\\ce{')) return tex;
  return tex.replace(/\\ce\{(?:[^{}]|\{[^{}]*\})*\}/g, (formula) =>
    formula.replace(/((?:[A-Z][a-z]?|[)\]])\d*)\.(?=[\s}])/g, '$1^{\\bullet}'),
  );
}

/**
 * The parse tree of a formula.
 *
 * Throws temml's ParseError for what it does not know, and a RangeError when it nests beyond the stack.
 */
export function parseTex(tex: string, display: boolean): TexNode[] {
  return nodesOf(
    temml().__parse(withRadicals(tex), {
      throwOnError: true,
      displayMode: display,
      trust: false,
      macros: { ...ALIASES },
    }),
  );
}

const glyphs = new Map<string, string>();

/** Where the sign temml's fonts prefer is not the one readers of plain text know. */
const PREFERRED = new Map([
  ['\\varnothing', '∅'], // temml: U+2300, the diameter sign
  ['\\mid', '|'],
]);

const PRIVATE_USE = /[\uE000-\uF8FF\u{F0000}-\u{10FFFF}]/u;

/**
 * The character behind a symbol of the tree (`\alpha`, `*`, `\&`).
 *
 * temml does not export its symbol table, so each symbol is asked for once, alone; the layout of
 * a formula never comes from there. There are about a thousand symbols, so the memory is bounded.
 */
export function glyph(symbol: string, mode: 'math' | 'text'): string {
  if (/^[\p{L}\p{N}]$/u.test(symbol) || /^[^\0-\x7F]+$/u.test(symbol))
    return symbol.normalize('NFC');
  const preferred = PREFERRED.get(symbol);
  if (preferred !== undefined) return preferred;
  const key = `${mode} ${symbol}`;
  let found = glyphs.get(key);
  if (found === undefined) {
    found = askFor(mode === 'text' ? `\\text{${symbol}}` : symbol);
    glyphs.set(key, found);
  }
  return found;
}

function askFor(tex: string): string {
  const tree: unknown = temml().__renderToMathMLTree(tex, { throwOnError: true });
  if (typeof tree !== 'object' || tree === null) throw new Unsayable(tex);
  const text = leaves(tree)
    .replace(/\uFE0E/g, '')
    .normalize('NFC')
    .trim();
  if (text === '' || /\\[a-z]/i.test(text) || PRIVATE_USE.test(text)) throw new Unsayable(tex);
  return text;
}

function leaves(tree: object): string {
  if ('children' in tree && Array.isArray(tree.children)) {
    const children: unknown[] = tree.children;
    return children
      .map((child) => (typeof child === 'object' && child !== null ? leaves(child) : ''))
      .join('');
  }
  return 'text' in tree && typeof tree.text === 'string' ? tree.text : '';
}
