import { decodeString } from 'micromark-util-decode-string';
import { normalizeIdentifier } from 'micromark-util-normalize-identifier';

import { parse, type Node, type ParseOptions } from './parse';

/** A stretch of plain text inside one line: no escapes, entities, code, maths, links, images or HTML in it. */
interface Run {
  start: number;
  end: number;
  /** Text of a link, or between `<code>`, `<kbd>`, `<pre>`, `<samp>` or `<a>` tags: no link may begin in it. */
  isClosed: boolean;
}

/** A link or image of the text. `destination` is decoded; absent when a reference has no definition inside the text. */
export interface Link {
  kind: 'link' | 'image';
  form: 'inline' | 'full' | 'collapsed' | 'shortcut' | 'autolink';
  start: number;
  end: number;
  /** Where the text (or alternative text) stands. */
  label: { start: number; end: number };
  destination?: string;
  /** Normalised label of the definition that a reference names. */
  identifier?: string;
  /** Between HTML tags of code or of a link: an index of an array, not a reference. */
  isClosed: boolean;
  /** In the text of another link. */
  isInLink: boolean;
}

/** A link definition, which the parser takes out of the text it draws. */
export interface Definition {
  start: number;
  end: number;
  /** As written between the brackets. */
  label: string;
  identifier: string;
  destination: string;
  hasTitle: boolean;
}

interface Formula {
  start: number;
  end: number;
  tex: string;
  display: boolean;
}

/** One line of a paragraph, without the prefixes of quotes and list items around it. */
interface Line {
  start: number;
  /** Before the line ending. */
  end: number;
  /** The offset of the physical line's first character: prefixes included. */
  lineStart: number;
}

/** What one pass over a Markdown text found, by offset. Every later stage asks this; nobody parses again. */
export interface Scan {
  text: string;
  tree: Node;
  runs: Run[];
  links: Link[];
  definitions: Definition[];
  formulas: Formula[];
  /** Code spans and inline tags. */
  spans: { start: number; end: number }[];
  /** Lines of blocks that were too costly to look into: as written, and nothing in them may act. */
  unparsed: { start: number; end: number }[];
  /** Lines of paragraphs, in order; for rows that look like definitions to a reader but not to the parser. */
  lines: Line[];
}

const TAGS_OF_CODE = new Set(['code', 'kbd', 'pre', 'samp', 'a']);

const find = (node: Node, type: string): Node | undefined => {
  for (const child of node.children) {
    if (child.type === type) return child;
    const deeper = find(child, type);
    if (deeper) return deeper;
  }
  return undefined;
};

/** Text of a formula without its delimiters (the beginning and end of an environment are none) and without the prefixes of the containers around it. */
function texOf(text: string, node: Node): string {
  const isEnvironment = text.startsWith('\\begin{', node.start);
  return node.children
    .map((child) =>
      child.type === 'mathTextData' ||
      child.type === 'mathFlowValue' ||
      (child.type === 'mathFlowSequence' && isEnvironment)
        ? text.slice(child.start, child.end)
        : child.type === 'lineEnding'
          ? '\n'
          : child.type === 'mathTextSequence' &&
              child !== node.children[0] &&
              child !== node.children.at(-1)
            ? text.slice(child.start, child.end)
            : '',
    )
    .join('')
    .trim();
}

class Scanner {
  readonly runs: Run[] = [];
  readonly links: Link[] = [];
  readonly definitions: Definition[] = [];
  readonly formulas: Formula[] = [];
  readonly spans: Scan['spans'] = [];
  readonly unparsed: Scan['unparsed'] = [];
  readonly lines: Line[] = [];
  readonly text: string;
  #depthInTags = 0;
  #isInLink = false;

  constructor(text: string) {
    this.text = text;
  }

  visit(node: Node): void {
    switch (node.type) {
      case 'data':
        this.#run(node);
        return;
      case 'unparsed':
        this.unparsed.push({ start: node.start, end: node.end });
        return;
      case 'definition':
        this.#definition(node);
        return;
      case 'link':
      case 'image':
        this.#link(node, node.type);
        this.#label(node);
        return;
      case 'autolink': {
        const inner = node.children.find(
          (child) => child.type === 'autolinkProtocol' || child.type === 'autolinkEmail',
        );
        if (!inner) return;
        const label = { start: inner.start, end: inner.end };
        const address = this.text.slice(inner.start, inner.end);
        const destination = inner.type === 'autolinkEmail' ? `mailto:${address}` : address;
        this.links.push({
          kind: 'link',
          form: 'autolink',
          start: node.start,
          end: node.end,
          label,
          destination,
          isClosed: this.#depthInTags > 0,
          isInLink: this.#isInLink,
        });
        return;
      }
      case 'mathText':
      case 'mathFlow': {
        const display =
          node.type === 'mathFlow' ||
          /^(?:\$\$|\\\[)/.test(this.text.slice(node.start, node.start + 2));
        this.formulas.push({
          start: node.start,
          end: node.end,
          tex: texOf(this.text, node),
          display,
        });
        return;
      }
      case 'htmlText':
        this.spans.push({ start: node.start, end: node.end });
        this.#tag(node);
        return;
      case 'codeText':
        this.spans.push({ start: node.start, end: node.end });
        return;
      case 'codeFenced':
      case 'codeIndented':
      case 'htmlFlow':
        return;
      case 'paragraph':
        this.#paragraph(node);
        break;
      case 'content':
      case 'atxHeading':
      case 'setextHeading':
      case 'tableContent':
        this.#depthInTags = 0;
        break;
    }
    for (const child of node.children) this.visit(child);
  }

  #run(node: Node): void {
    const last = this.runs.at(-1);
    const isClosed = this.#depthInTags > 0 || this.#isInLink;
    if (last && last.end === node.start && last.isClosed === isClosed) last.end = node.end;
    else this.runs.push({ start: node.start, end: node.end, isClosed });
  }

  #tag(node: Node): void {
    const tag = /^<(\/?)([a-z][a-z\d-]*)/i.exec(
      this.text.slice(node.start, Math.min(node.end, node.start + 40)),
    );
    if (!tag || !TAGS_OF_CODE.has((tag[2] ?? '').toLowerCase())) return;
    if (tag[1]) this.#depthInTags = Math.max(0, this.#depthInTags - 1);
    else if (this.text[node.end - 2] !== '/') this.#depthInTags++;
  }

  #paragraph(node: Node): void {
    let start = node.start;
    let lineStart = this.text.lastIndexOf('\n', node.start - 1) + 1;
    for (const child of node.children) {
      if (child.type === 'lineEnding') {
        this.lines.push({ start, end: child.start, lineStart });
        start = child.end;
        lineStart = child.end;
      } else if (
        child.start === start &&
        (child.type === 'linePrefix' ||
          child.type === 'blockQuotePrefix' ||
          child.type === 'listItemIndent')
      ) {
        start = child.end;
      }
    }
    this.lines.push({ start, end: node.end, lineStart });
  }

  /** What stands in the text of a link or in the alternative text of an image. */
  #label(node: Node): void {
    const label = node.type === 'link' ? find(node, 'labelText') : undefined;
    if (!label) return;
    const outer = this.#isInLink;
    this.#isInLink = true;
    for (const child of label.children) this.visit(child);
    this.#isInLink = outer;
  }

  #definition(node: Node): void {
    const slice = (type: string): string => {
      const part = find(node, type);
      return part ? this.text.slice(part.start, part.end) : '';
    };
    const label = slice('definitionLabelString');
    this.definitions.push({
      start: node.start,
      end: node.end,
      label,
      identifier: normalizeIdentifier(label),
      destination: decodeString(slice('definitionDestinationString')),
      hasTitle: find(node, 'definitionTitle') !== undefined,
    });
  }

  #link(node: Node, kind: 'link' | 'image'): void {
    const labelText = find(node, 'labelText');
    const label = labelText
      ? { start: labelText.start, end: labelText.end }
      : {
          start: node.start + (kind === 'image' ? 2 : 1),
          end: node.start + (kind === 'image' ? 2 : 1),
        };
    const base = {
      kind,
      start: node.start,
      end: node.end,
      label,
      isClosed: this.#depthInTags > 0,
      isInLink: this.#isInLink,
    };
    const resource = node.children.find((child) => child.type === 'resource');
    if (resource) {
      const destination = find(resource, 'resourceDestinationString');
      const raw = destination ? this.text.slice(destination.start, destination.end) : '';
      this.links.push({ ...base, form: 'inline', destination: decodeString(raw) });
      return;
    }
    const reference = node.children.find((child) => child.type === 'reference');
    const string = reference ? find(reference, 'referenceString') : undefined;
    const identifier = normalizeIdentifier(
      this.text.slice(string?.start ?? label.start, string?.end ?? label.end),
    );
    this.links.push({
      ...base,
      form: string ? 'full' : reference ? 'collapsed' : 'shortcut',
      identifier,
    });
  }
}

/**
 * Scans a Markdown text once. Total: any string gives a scan, nothing is thrown.
 * References are resolved against the definitions of the text (the first of a label wins, as in CommonMark).
 */
export function scan(text: string, options: ParseOptions = {}): Scan {
  const tree = parse(text, options);
  const scanner = new Scanner(text);
  scanner.visit(tree);
  const { runs, links, definitions, formulas, spans, unparsed, lines } = scanner;
  const byIdentifier = new Map<string, string>();
  for (const { identifier, destination } of definitions) {
    if (!byIdentifier.has(identifier)) byIdentifier.set(identifier, destination);
  }
  for (const link of links) {
    if (link.identifier === undefined) continue;
    const destination = byIdentifier.get(link.identifier);
    if (destination !== undefined) link.destination = destination;
  }
  return { text, tree, runs, links, definitions, formulas, spans, unparsed, lines };
}
