import { parse as createParser } from 'micromark';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { normalizeIdentifier } from 'micromark-util-normalize-identifier';
import { subtokenize } from 'micromark-util-subtokenize';
import type { Event, Token } from 'micromark-util-types';

import { documentEvents } from './document-events';
import { createInlineBudget, type InlineBudget } from './inline-budget';
import { affordableLength } from './line-budget';
import { mathsSyntax } from './maths-syntax';

/** A node of the syntax tree. `type` is micromark's token name; `start` and `end` are UTF-16 offsets into the text. */
export interface Node {
  type: string;
  start: number;
  end: number;
  children: Node[];
  /** Columns of a tab at its beginning that belong to it; the others belong to what stands before. Absent = none. */
  virtualSpaces?: number;
}

export interface ParseOptions {
  /** Labels of link definitions that stand outside of `text` (earlier blocks of the same answer). */
  definedLabels?: Iterable<string>;
}

// micromark's own tables say: strikethrough with one tilde is on by default, as in the launcher's cmark-gfm.
const dialect = [gfmTable(), gfmStrikethrough()];

/**
 * A tag with an unquoted value that holds a slash (`<img src=https://t.example/p>`): a tag for CommonMark and for the launcher,
 * text for micromark 4.0.3, which ends an unquoted value at the slash.
 */
const SLASHED_TAG =
  /<[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?: ?= ?(?:[^\s"'=<>`]+|'[^'\n]*'|"[^"\n]*"))?)*\s*\/?>/gi;

/** The same text for the parser's eyes, offsets unchanged, with such tags in a form that it takes for tags too. */
const hideSlashes = (text: string): string =>
  text.includes('<')
    ? text.replace(SLASHED_TAG, (tag) => tag.slice(0, -2).replaceAll('/', 'x') + tag.slice(-2))
    : text;

/**
 * A line with a hundred container markers, and what follows them. The parser's time is quadratic in the depth of nesting:
 * a million `>` would take hours.
 */
const DEEP_LINE = /^((?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){100})(.*)$/gm;

/** The same text for the parser's eyes, offsets unchanged, without containers deeper than a hundred. */
const limitNesting = (text: string): string =>
  text.replace(
    DEEP_LINE,
    (_line, markers: string, rest: string) => markers + rest.replace(/[>\-+*\d]/g, 'x'),
  );

function events(text: string, flowMaths: boolean, options: ParseOptions): Event[] {
  const parser = createParser({ extensions: [...dialect, mathsSyntax(flowMaths)] });
  indexLabels(parser.defined);
  for (const label of options.definedLabels ?? []) parser.defined.push(normalizeIdentifier(label));
  const events = documentEvents(parser, text);
  const budget = createInlineBudget();
  let isDone = false;
  while (!isDone) {
    capInline(events, text, budget);
    isDone = subtokenize(events);
  }
  return events;
}

/** The parser looks labels up in an array, for each bracket and each definition: a set behind the same two methods. */
function indexLabels(defined: string[]): void {
  const labels = new Set<string>();
  defined.includes = (label) => labels.has(label);
  defined.push = (...more) => {
    for (const label of more) labels.add(label);
    return labels.size;
  };
}

/** Takes text that would cost too much out of the next pass of the tokenizer; it stays one `chunkText` a line. */
function capInline(events: readonly Event[], text: string, budget: InlineBudget): void {
  for (const [kind, token] of events) {
    if (kind !== 'enter' || token.contentType !== 'text' || token.previous) continue;
    if (budget.admits(token, lengthOf(token), () => textOf(token, text))) continue;
    for (let line: Token | undefined = token; line; line = line.next) delete line.contentType;
  }
}

function lengthOf(first: Token): number {
  let length = 0;
  for (let line: Token | undefined = first; line; line = line.next)
    length += line.end.offset - line.start.offset;
  return length;
}

function textOf(first: Token, text: string): string {
  let out = '';
  for (let line: Token | undefined = first; line; line = line.next) {
    out += text.slice(line.start.offset, line.end.offset);
  }
  return out;
}

/** Where what is left of a tab can begin, once the containers have taken their columns of it. */
const MAY_SPLIT_TAB = new Set(['codeFlowValue', 'linePrefix']);

/** micromark's code for a column of a tab behind its first one. */
const VIRTUAL_SPACE = -1;

function leadingVirtualSpaces(chunks: readonly unknown[]): number {
  const end = chunks.findIndex((chunk) => chunk !== VIRTUAL_SPACE);
  return end < 0 ? chunks.length : end;
}

function toTree(list: Event[], shift: number, length: number): Node {
  const root: Node = { type: 'root', start: 0, end: length, children: [] };
  const open: Node[] = [root];
  for (const [kind, token, context] of list) {
    if (kind === 'enter') {
      const node: Node = {
        type: token.type === 'chunkText' ? 'unparsed' : token.type,
        start: token.start.offset + shift,
        end: token.end.offset + shift,
        children: [],
      };
      if (MAY_SPLIT_TAB.has(token.type)) {
        const spaces = leadingVirtualSpaces(context.sliceStream(token));
        if (spaces > 0) node.virtualSpaces = spaces;
      }
      open.at(-1)?.children.push(node);
      open.push(node);
    } else open.pop();
  }
  return root;
}

/** A `$$` line without its partner would swallow the rest of the answer as one formula; three are an environment with words behind it. */
const hasOpenFormula = (node: Node): boolean =>
  node.type === 'mathFlow'
    ? node.children.filter((child) => child.type === 'mathFlowSequence').length !== 2
    : node.children.some(hasOpenFormula);

/** The table that a text which ends at `end` would go on with, were there another line. */
function openTable(node: Node, end: number): Node | undefined {
  if (node.type === 'table') return node;
  const last = node.children.findLast((child) => child.type !== 'lineEnding');
  return last && last.end >= end - 2 ? openTable(last, end) : undefined;
}

/** Takes everything from `at` on out of a tree. */
function prune(node: Node, at: number): void {
  node.children = node.children.filter(({ start }) => start < at);
  node.end = Math.min(node.end, at);
  const last = node.children.at(-1);
  if (last && last.end > at) prune(last, at);
}

/** A fence of the tree's own that is still open at its end goes on, unread, to its closing line. Where that is. */
function continueFence(root: Node, text: string, at: number): number {
  const code = root.children.findLast((child) => child.type !== 'lineEnding');
  const fences = code?.children.filter((child) => child.type === 'codeFencedFence') ?? [];
  const opener = fences[0]?.children.find((child) => child.type === 'codeFencedFenceSequence');
  if (code?.type !== 'codeFenced' || fences.length !== 1 || !opener) return at;
  const closing = new RegExp(
    `^ {0,3}${text.charAt(opener.start)}{${String(opener.end - opener.start)},}[ \\t]*$`,
    'gm',
  );
  closing.lastIndex = at;
  const found = closing.exec(text);
  const add = (type: string, start: number, end: number): void => {
    code.children.push({ type, start, end, children: [] });
    code.end = end;
  };
  add('codeFlowValue', at, found ? found.index : text.length);
  if (found) add('codeFencedFence', found.index, closing.lastIndex);
  root.children.length = root.children.indexOf(code) + 1;
  return code.end;
}

/**
 * Lines that may be one piece: escaping looks at the beginning of a piece only, so a line that could begin a list or an
 * underline there begins a piece of its own. Half a million pieces would cost more than the parse.
 */
const LINES = /[^\r\n]+(?:[\r\n]+(?![\s\-=\d])[^\r\n]+){0,200}/g;

/** Adds what follows the first `length` characters to their tree, as `unparsed` nodes of whole lines. */
function addRest(root: Node, text: string, length: number): void {
  const table = openTable(root, length);
  // Lines under a table would be its rows for the launcher, which holds out few cells.
  if (table) prune(root, table.start);
  const from = table ? table.start : continueFence(root, text, length);
  root.end = text.length;
  for (const { 0: lines, index } of text.slice(from).matchAll(LINES)) {
    const start = from + index;
    root.children.push({ type: 'unparsed', start, end: start + lines.length, children: [] });
  }
}

/**
 * The one parse: CommonMark with GFM tables and strikethrough (the launcher's dialect) and maths, as a tree with exact
 * offsets into `source`. Never throws on any string.
 */
export function parse(source: string, options: ParseOptions = {}): Node {
  const limited = limitNesting(source);
  const length = affordableLength(limited);
  const text = hideSlashes(limited.slice(0, length));
  // micromark drops a byte order mark without counting it.
  const shift = text.startsWith('\uFEFF') ? 1 : 0;
  const treeOf = (flowMaths: boolean): Node =>
    toTree(events(text, flowMaths, options), shift, text.length);
  let tree = treeOf(true);
  if (/\$\$|\\\[|\\begin\{/.test(text) && hasOpenFormula(tree)) tree = treeOf(false);
  if (length < source.length) addRest(tree, source, length);
  return tree;
}
