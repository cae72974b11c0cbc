import { moreOf } from './count';

/** Levels that are indented; deeper ones stay at this one, or hostile nesting would make megabytes of blanks. */
const MAX_INDENT = 12;
/** Items of one array or keys of one object that can be shown; the rest is only counted. */
const MAX_KEPT = 20_000;
/** Levels that are laid out; what is deeper is shown as it is written, or not at all. */
const MAX_LEVELS = 200;
/** Values, arrays and objects of one text that are kept; a full layout of the longest that is shown has half of them. */
const MAX_NODES = 200_000;
/** UTF-16 units below which a share of the room is not worth having: a key and a few words. */
const MIN_SHARE = 120;
/** UTF-16 units kept free in a container for its end and the line that counts what was left out. */
const NOTE_CHARS = 40;

/** An array, an object, or a bare value as it is written; `size` is its length when laid out. */
type JsonNode =
  | { kind: 'value'; text: string; size: number }
  | {
      kind: 'array' | 'object';
      items: JsonItem[];
      /** Further items that were not kept. */
      more: number;
      /** Its end did not arrive. */
      open: boolean;
      size: number;
      /** Where it stands in the text. */
      start: number;
      end: number;
    };

interface JsonItem {
  /** `"key": ` in an object, else empty. */
  key: string;
  node: JsonNode;
}

type Container = Exclude<JsonNode, { kind: 'value' }>;

/** A valid JSON text is a row of these tokens and white space; a torn one may end in a string without its quote. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[^\s"[\]{}:,]+|[[\]{}:,]/g;

/**
 * JSON laid out for reading, two blanks a level; text that is not JSON comes back as it is.
 *
 * Only white space changes: numbers too long for a double and repeated keys survive, which
 * `JSON.stringify(JSON.parse(…))` would lose. What would be longer than `maxChars` (UTF-16 units) is cut by its structure:
 * whole items and keys stay, and a line like `… 1,234 more items` stands for those that do not. `torn` is JSON whose end
 * did not arrive: what is complete is shown, and where it ends is said.
 */
export function layOutJson(
  text: string,
  maxChars: number,
  { torn = false }: { torn?: boolean } = {},
): { text: string; cut: boolean } {
  if (!torn && !isJson(text)) return { text, cut: false };
  const root = parse(text, torn);
  if (root === undefined) return { text, cut: torn };
  const printer = createPrinter(text);
  const out = printer.print(root, 0, maxChars);
  return { text: out, cut: torn || printer.isCut() };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const indent = (depth: number): string => '  '.repeat(Math.min(depth, MAX_INDENT));

/**
 * The tree of a valid text, or of the beginning of one. Without recursion: nesting is a stranger's choice. What is deeper
 * than is laid out has no nodes, and past `MAX_NODES` further items are only counted, except those of the root.
 */
function parse(text: string, torn: boolean): JsonNode | undefined {
  let root: JsonNode | undefined;
  const stack: Container[] = [];
  let key = '';
  let last = '';
  let nodes = 0;
  /** Brackets that are open within a container that was not kept. */
  let skipped = 0;
  /** False when there is no room for the node. */
  const place = (node: JsonNode): boolean => {
    const parent = stack.at(-1);
    const item = { key, node };
    key = '';
    if (parent === undefined) {
      root ??= node;
      return true;
    }
    if (stack.length > MAX_LEVELS) return false;
    if (parent.items.length >= MAX_KEPT || (nodes >= MAX_NODES && stack.length > 1)) {
      parent.more += 1;
      return false;
    }
    parent.items.push(item);
    nodes += 1;
    return true;
  };
  const close = (end: number): void => {
    const node = stack.pop();
    if (node === undefined) return;
    node.open = false;
    node.end = end;
    measure(node, stack.length);
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const parent = stack.at(-1);
    // Several values one after the other, such as one a line, are no JSON text.
    if (root !== undefined && parent === undefined) return undefined;
    // The last word of a torn text may be half of one: half a number or key misleads, half a text is worth having.
    if (torn && index + token.length === text.length && !/^[[\]{}:,"]/.test(token)) break;
    if (skipped > 0) {
      if (token === '{' || token === '[') skipped += 1;
      else if (token === '}' || token === ']') skipped -= 1;
    } else if (token === '{' || token === '[') {
      const kind = token === '{' ? 'object' : 'array';
      const node: Container = {
        kind,
        items: [],
        more: 0,
        open: true,
        size: 0,
        start: index,
        end: text.length,
      };
      if (place(node)) stack.push(node);
      else skipped = 1;
    } else if (token === '}' || token === ']') close(index + 1);
    else if (token === ':') key = `${last}: `;
    else if (token !== ',') {
      last = token;
      // In an object a string is a key unless one stands before it; its colon follows.
      if (parent?.kind !== 'object' || key !== '')
        place({ kind: 'value', text: token, size: token.length });
    }
  }
  for (let depth = stack.length - 1; depth >= 0; depth -= 1) {
    const node = stack[depth];
    if (node !== undefined) measure(node, depth);
  }
  return root;
}

/** The length of a container at its depth: brackets, and for each item line end, indentation, key and comma. */
function measure(node: Container, depth: number): void {
  if (depth >= MAX_LEVELS) {
    node.size = node.end - node.start;
    return;
  }
  const margin = 2 * Math.min(depth + 1, MAX_INDENT) + 2;
  node.size = 2;
  for (const item of node.items) node.size += margin + item.key.length + item.node.size;
  if (node.items.length > 0) node.size += 1 + 2 * Math.min(depth, MAX_INDENT);
  if (node.more > 0) node.size += margin + NOTE_CHARS;
}

interface Printer {
  /** A node in at most `room` characters, or a little more where the notes take it. */
  print(node: JsonNode, depth: number, room: number): string;
  isCut(): boolean;
}

function createPrinter(source: string): Printer {
  let cut = false;

  function print(node: JsonNode, depth: number, room: number): string {
    if (node.kind === 'value') return value(node.text, room);
    const [open, close] = node.kind === 'array' ? ['[', ']'] : ['{', '}'];
    const fits = node.size <= room;
    if (depth >= MAX_LEVELS) {
      const asWritten = source.slice(node.start, node.end);
      if (asWritten.length <= room) return asWritten;
      cut = true;
      return `${open} … ${close}`;
    }
    const kept = fits ? node.items.map(({ node: { size } }) => size) : rooms(node, room);
    const lines = node.items
      .slice(0, kept.length)
      .map((item, index) => item.key + print(item.node, depth + 1, kept[index] ?? 0));
    const more = node.items.length - kept.length + node.more;
    if (more > 0) lines.push(moreOf(more, node.kind === 'array' ? 'item' : 'key'));
    else if (node.open) lines.push('… the rest was not received');
    if (more > 0 || node.open) cut = true;
    if (lines.length === 0) return open + close;
    const margin = `\n${indent(depth + 1)}`;
    return `${open}${margin}${lines.join(`,${margin}`)}\n${indent(depth)}${close}`;
  }

  function value(text: string, room: number): string {
    if (text.length <= room) return text;
    cut = true;
    const kept = Math.max(0, room - NOTE_CHARS);
    return `${text.slice(0, kept).replace(/\p{Surrogate}$|\\u?[\da-f]{0,3}$/iu, '')}${moreOf(text.length - kept, 'character')}`;
  }

  return { print, isCut: () => cut };
}

/**
 * The room of each item that is shown, in order. An object of few keys shows them all: small ones whole, and the large ones
 * share what is left. Of arrays, and of objects that are lists in disguise, the first items are shown whole.
 */
function rooms({ kind, items }: Container, room: number): number[] {
  const sizes = items.map(({ key, node }) => key.length + node.size + 2 * MAX_INDENT + 2);
  let left = room - NOTE_CHARS;
  const least = sizes.reduce((sum, size) => sum + Math.min(size, MIN_SHARE), 0);
  if (kind === 'object' && least <= left) {
    const shares = new Map<number, number>();
    const order = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size);
    order.forEach(({ size, index }, done) => {
      const share = Math.min(size, Math.floor(left / (order.length - done)));
      shares.set(index, Math.max(0, share - (size - (items[index]?.node.size ?? 0))));
      left -= share;
    });
    return items.map((_, index) => shares.get(index) ?? 0);
  }
  const kept: number[] = [];
  for (const [index, size] of sizes.entries()) {
    const own = items[index]?.node.size ?? 0;
    if (size <= left) kept.push(own);
    else {
      // A large item is shown in part rather than not at all.
      if (left > room / 2) kept.push(Math.max(0, left - (size - own)));
      break;
    }
    left -= size;
  }
  return kept;
}
