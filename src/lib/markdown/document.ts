import { analyse } from '../citations';
import { prepare, scan, type Node } from '../code';
import type { Source } from '../types';

import { Inlines, type Inline } from './document/inlines';

export type { Inline } from './document/inlines';

/**
 * What an answer says, for formats that are no Markdown: blocks and inlines with everything decided (markers, links,
 * formulas, definitions), so that a format only spells them.
 */
export type Block =
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'heading'; level: number; children: Inline[] }
  /** Every line with its line ending, except that the last may have none. */
  | { kind: 'code'; lines: string[] }
  | { kind: 'quote'; children: Block[] }
  | { kind: 'list'; start?: number; isLoose: boolean; items: Block[][] }
  | { kind: 'table'; rows: Inline[][][] }
  | { kind: 'rule' }
  /** A block of HTML, as written, without its comments. */
  | { kind: 'html'; text: string };

export interface Document {
  blocks: Block[];
  cited: Set<number>;
}

/** HTML without its comments. An open comment hides nothing. */
function withoutComments(html: string): string {
  const out: string[] = [];
  let at = 0;
  for (;;) {
    const start = html.indexOf('<!--', at);
    const end = start < 0 ? -1 : html.indexOf('-->', start + 4);
    if (end < 0) return out.join('') + html.slice(at);
    out.push(html.slice(at, start));
    at = end + 3;
  }
}

class Builder {
  readonly #text: string;
  readonly #inlines: Inlines;

  constructor(text: string, inlines: Inlines) {
    this.#text = text;
    this.#inlines = inlines;
  }

  blocks(nodes: readonly Node[]): Block[] {
    return nodes.flatMap((node) => this.#block(node));
  }

  #block(node: Node): Block[] {
    switch (node.type) {
      case 'content':
        return this.#content(node.children);
      case 'mathFlow':
        return this.#paragraph([node]);
      case 'atxHeading': {
        const level = node.children[0];
        const text = node.children.find((child) => child.type === 'atxHeadingText');
        const children = this.#inlines.read(text?.children ?? []);
        return [{ kind: 'heading', level: level ? level.end - level.start : 1, children }];
      }
      case 'setextHeading': {
        const [text, ...others] = node.children;
        const line = others.find((child) => child.type === 'setextHeadingLine');
        const level = line && this.#text[line.start] === '-' ? 2 : 1;
        return [{ kind: 'heading', level, children: this.#inlines.read(text?.children ?? []) }];
      }
      case 'codeFenced':
      case 'codeIndented':
        return [{ kind: 'code', lines: this.#lines(node, 'codeFlowValue') }];
      case 'htmlFlow': {
        const text = withoutComments(this.#lines(node, 'htmlFlowData').join('')).trim();
        return text === '' ? [] : [{ kind: 'html', text }];
      }
      case 'thematicBreak':
        return [{ kind: 'rule' }];
      case 'blockQuote':
        return [{ kind: 'quote', children: this.blocks(node.children) }];
      case 'listOrdered':
      case 'listUnordered':
        return [this.#list(node)];
      case 'table':
        return [{ kind: 'table', rows: this.#rows(node) }];
      default:
        return [];
    }
  }

  /** Paragraphs and definitions. Rows of definitions under each other stay lines of one paragraph. */
  #content(nodes: readonly Node[]): Block[] {
    const out: Block[] = [];
    let rows: Inline[] | undefined;
    for (const node of nodes) {
      if (node.type === 'definition') {
        const row = this.#inlines.definition(node);
        if (row.length === 0) continue;
        if (rows) rows.push({ kind: 'line' }, ...row);
        else out.push({ kind: 'paragraph', children: (rows = row) });
      } else if (node.type === 'paragraph') {
        out.push(...this.#paragraph(node.children));
      }
    }
    return out;
  }

  #paragraph(nodes: readonly Node[]): Block[] {
    const children = this.#inlines.read(nodes);
    const isEmpty = children.every(
      (each) => each.kind === 'line' || (each.kind === 'text' && each.text.trim() === ''),
    );
    return isEmpty ? [] : [{ kind: 'paragraph', children }];
  }

  /** The lines of a block of code or HTML, without the prefixes of the containers around it. */
  #lines(node: Node, value: string): string[] {
    const lines: string[] = [];
    let line = '';
    let isOpening = node.type === 'codeFenced';
    for (const child of node.children) {
      if (child.type === value)
        line += ' '.repeat(child.virtualSpaces ?? 0) + this.#text.slice(child.start, child.end);
      else if (child.type === 'lineEnding') {
        // The token may reach over the prefix of the next line.
        const ending = /^\r?\n|^\r/.exec(this.#text.slice(child.start, child.start + 2));
        if (!isOpening) lines.push(line + (ending?.[0] ?? '\n'));
        isOpening = false;
        line = '';
      }
    }
    if (line !== '') lines.push(line);
    return lines;
  }

  #list(node: Node): Block {
    const items: Node[][] = [];
    let isLoose = false;
    let isAfterMarker = false;
    for (const child of node.children) {
      if (child.type === 'listItemPrefix') {
        items.push([]);
        isAfterMarker = true;
      } else if (child.type === 'lineEndingBlank') {
        isLoose ||= !isAfterMarker;
        isAfterMarker = false;
      } else if (child.type !== 'linePrefix') {
        isAfterMarker = false;
        items.at(-1)?.push(child);
      }
    }
    const value = node.children[0]?.children.find((child) => child.type === 'listItemValue');
    return {
      kind: 'list',
      isLoose,
      items: items.map((nodes) => this.blocks(nodes)),
      ...(value ? { start: Number(this.#text.slice(value.start, value.end)) } : {}),
    };
  }

  #rows(table: Node): Inline[][][] {
    const rows = table.children.flatMap((part) =>
      part.children.filter((child) => child.type === 'tableRow'),
    );
    return rows.map((row) =>
      row.children
        .filter((child) => child.type === 'tableHeader' || child.type === 'tableData')
        .map((cell) => {
          const content = cell.children.find((child) => child.type === 'tableContent');
          return this.#inlines.read(content?.children ?? [], true);
        }),
    );
  }
}

/** Reads an answer. Total: never throws. */
export function readDocument(markdown: string, sources: readonly Source[]): Document {
  const scanned = scan(prepare(markdown));
  const analysis = analyse(scanned, sources);
  const builder = new Builder(markdown, new Inlines(scanned, analysis, sources));
  return { blocks: builder.blocks(scanned.tree.children), cited: analysis.cited };
}
