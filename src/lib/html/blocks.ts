import { isBlockElement } from './elements';
import { bold, paragraph, plainText, title } from './inline';
import { isTablePart, tableMarkdown } from './table';
import { codeBlock } from './text';
import type { HtmlElement, HtmlNode } from './tree';

/** What the pane draws as one block. Lines of a text are kept apart by hard breaks. */
export type Block = TextBlock | ItemBlock | { kind: 'other'; markdown: string };

interface TextBlock {
  kind: 'text';
  lines: string;
  /** The quote it stands in. */
  quote?: object;
}

export interface ItemBlock {
  kind: 'item';
  lines: string;
  list: object;
  depth: number;
  /** Absent in a list with bullets. */
  ordinal?: number;
}

interface Place {
  quote?: object;
  /** Of the list around, 0 outside of lists. */
  depth: number;
}

/** Lists inside of each other beyond which an item stands at the same depth. */
const MAX_LIST_DEPTH = 8;
const INDENT = '\u00A0\u00A0\u00A0';
const BULLETS = ['•', '◦', '▪'];

const isList = ({ name }: HtmlElement): boolean => /^(?:ul|ol|menu|dir)$/.test(name);

class Writer {
  readonly blocks: Block[] = [];

  /** A run of nodes. What stands in a line is a paragraph with its neighbours. */
  write(nodes: readonly HtmlNode[], place: Place): void {
    let run: HtmlNode[] = [];
    let parts: HtmlElement[] = [];
    const flush = (): void => {
      this.#text(paragraph(run), place);
      run = [];
      if (parts.length > 0) this.#table(parts, place);
      parts = [];
    };
    for (const node of nodes) {
      const isElement = node.kind === 'element';
      if (isElement && isTablePart(node)) {
        if (run.length > 0) flush();
        parts.push(node);
      } else if (!isElement && parts.length > 0 && node.raw.trim() === '') continue;
      else if (isElement && isBlock(node)) {
        flush();
        this.#element(node, place);
      } else {
        if (parts.length > 0) flush();
        run.push(node);
      }
    }
    flush();
  }

  #text(lines: string, { quote }: Place): void {
    if (lines !== '') this.blocks.push({ kind: 'text', lines, ...(quote ? { quote } : {}) });
  }

  #other(markdown: string): void {
    if (markdown !== '') this.blocks.push({ kind: 'other', markdown });
  }

  #element(node: HtmlElement, place: Place): void {
    const { name, children } = node;
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      this.#heading(Number(level), children, place);
      return;
    }
    if (isList(node)) {
      this.#list(node, place);
      return;
    }
    switch (name) {
      case 'summary':
      case 'legend':
      case 'caption':
        this.#text(bold(children), place);
        return;
      case 'table':
        this.#table(children, place);
        return;
      case 'blockquote':
        this.write(children, { ...place, quote: place.quote ?? {} });
        return;
      case 'hr':
        this.#other('---');
        return;
      case 'dl':
        this.#terms(children, place);
        return;
      case 'li':
        this.#list({ ...node, name: 'ul', children: [node] }, place);
        return;
      case 'pre':
      case 'listing':
      case 'xmp':
      case 'plaintext':
      case 'script':
      case 'style':
        this.#code(node);
        return;
      default:
        this.write(children, place);
    }
  }

  #heading(level: number, children: readonly HtmlNode[], place: Place): void {
    if (place.quote || place.depth > 0) {
      this.#text(bold(children), place);
      return;
    }
    const text = title(children);
    if (text !== '') this.#other(`${'#'.repeat(level)} ${text.replace(/(#+)$/, '\\$1')}`);
  }

  #code(node: HtmlElement): void {
    const { name, children } = node;
    const code = plainText(children).replace(/^\n|\n[ \t]*$/g, '');
    if (code.trim() !== '') this.#other(codeBlock(code, languageOf(name, node)));
  }

  #table(nodes: readonly HtmlNode[], place: Place): void {
    const { captions, others, table, isText } = tableMarkdown(nodes);
    for (const caption of captions) this.#text(caption, place);
    this.write(others, place);
    if (isText) this.#text(table, { depth: 0 });
    else this.#other(table);
  }

  #terms(children: readonly HtmlNode[], place: Place): void {
    let term: TextBlock | undefined;
    for (const node of children) {
      const from = this.blocks.length;
      if (node.kind === 'element' && node.name === 'dt') {
        this.#text(bold(node.children), place);
        const last = this.blocks.at(-1);
        term = this.blocks.length > from && last?.kind === 'text' ? last : undefined;
        continue;
      }
      this.write([node], place);
      const first = this.blocks[from];
      if (!first) continue;
      // A term and what it means stand under each other.
      if (term && first.kind === 'text') {
        term.lines += `\n${first.lines}`;
        this.blocks.splice(from, 1);
      }
      term = undefined;
    }
  }

  #list(list: HtmlElement, place: Place): void {
    const start = Number(/^\d{1,9}/.exec(list.attributes.get('start') ?? '')?.[0] ?? 1);
    let ordinal = list.name === 'ol' ? start : undefined;
    let loose: HtmlNode[] = [];
    const inner: Place = { ...place, depth: Math.min(place.depth + 1, MAX_LIST_DEPTH) };
    for (const node of list.children) {
      if (node.kind === 'text' || node.name !== 'li') {
        loose.push(node);
        continue;
      }
      this.write(loose, inner);
      loose = [];
      if (this.#item(node, list, ordinal, inner) && ordinal !== undefined) ordinal++;
    }
    this.write(loose, inner);
  }

  /** Whether the item shows anything. */
  #item(item: HtmlElement, list: object, ordinal: number | undefined, place: Place): boolean {
    const from = this.blocks.length;
    this.write(item.children, place);
    const own = this.blocks.splice(from);
    const first = own[0];
    if (!first) return false;
    const rest = first.kind === 'text' ? own.slice(1) : own;
    let lines = first.kind === 'text' ? first.lines : '';
    // Further paragraphs stand below the first one, as far as nothing else stands between them.
    while (lines !== '' && rest[0]?.kind === 'text') {
      lines += `\n${rest[0].lines}`;
      rest.shift();
    }
    const { quote } = place;
    const numbered = ordinal === undefined ? {} : { ordinal };
    const depth = place.depth - 1;
    if (quote) {
      const mark = ordinal === undefined ? (BULLETS[Math.min(depth, 2)] ?? '•') : `${ordinal}\\.`;
      const last = this.blocks.at(-1);
      const shown = `${INDENT.repeat(depth)}${mark} ${lines}`;
      if (last?.kind === 'text' && last.quote === quote) last.lines += `\n${shown}`;
      else this.blocks.push({ kind: 'text', lines: shown, quote });
      for (const each of rest) {
        const above = this.blocks.at(-1);
        if (each.kind === 'text' && above?.kind === 'text') above.lines += `\n${each.lines}`;
        else this.blocks.push(each);
      }
      return true;
    }
    if (lines !== '') this.blocks.push({ kind: 'item', lines, list, depth, ...numbered });
    else if (ordinal !== undefined) this.blocks.push({ kind: 'text', lines: `${ordinal}\\.` });
    this.blocks.push(...rest);
    return true;
  }
}

/** Whether a node stands on lines of its own: by its name, or because something in it does. A link is one line. */
function isBlock({ name, hasBlock, children }: HtmlElement): boolean {
  if (name === 'script' || name === 'style') return children.length > 0;
  return isBlockElement(name) || (hasBlock && name !== 'a');
}

function languageOf(name: string, node: HtmlElement): string {
  if (name === 'script') return 'js';
  if (name === 'style') return 'css';
  const inner = node.children.find((child) => child.kind === 'element' && child.name === 'code');
  const code = inner?.kind === 'element' ? inner : node;
  return /(?:^|\s)lang(?:uage)?-(\S+)/.exec(code.attributes.get('class') ?? '')?.[1] ?? '';
}

/** The blocks of a piece of HTML, in order. */
export function blocksOf(nodes: readonly HtmlNode[]): Block[] {
  const writer = new Writer();
  writer.write(nodes, { depth: 0 });
  return writer.blocks;
}
