import { addressOf, anchor, box, image } from './address';
import { isBlockElement, isCodeElement, keptTag } from './elements';
import { codeSpan, decodeEntities, escapeText, guardLine } from './text';
import type { HtmlElement, HtmlNode } from './tree';

/** A tag that shows nothing and can only be meant as an example. */
const isExample = ({ name, children }: HtmlElement): boolean =>
  name === 'link' ||
  name === 'meta' ||
  name === 'base' ||
  (name === 'script' && children.length === 0);

/** All text of some nodes, with entities decoded and white space as written. */
export function plainText(nodes: readonly HtmlNode[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.isVerbatim ? node.raw : decodeEntities(node.raw);
      return node.name === 'br' ? '\n' : plainText(node.children);
    })
    .join('');
}

interface Place {
  /** In a cell of a table a line break is a tag. */
  isCell: boolean;
  isInLink: boolean;
  isBold: boolean;
}

/** Inline Markdown, with one line break for each hard break. */
class Line {
  #out = '';

  /** Text whose white space collapses as in HTML. */
  text(raw: string): void {
    const collapsed = raw.replace(/[ \t\r\n\f]+/g, ' ');
    this.#out += /[ \n]$/.test(this.#out.slice(-1)) ? collapsed.replace(/^ /, '') : collapsed;
  }

  verbatim(markdown: string): void {
    this.#out += markdown;
  }

  break(): void {
    if (this.#out !== '' && !this.#out.endsWith('\n')) this.#out += '\n';
  }

  toString(): string {
    return this.#out;
  }
}

function write(nodes: readonly HtmlNode[], line: Line, place: Place): void {
  for (const node of nodes) {
    if (node.kind === 'text') {
      line.text(escapeText(node.isVerbatim ? node.raw : decodeEntities(node.raw)));
    } else writeElement(node, line, place);
  }
}

const inner = (nodes: readonly HtmlNode[], place: Place): string => {
  const line = new Line();
  write(nodes, line, place);
  return line.toString();
};

/** A pipe ends a cell even in code. */
const escapePipes = (code: string): string =>
  code.replace(/(\\*)\|/g, (pipe, backslashes: string) =>
    backslashes.length % 2 === 0 ? `${backslashes}\\|` : pipe,
  );

function writeElement(node: HtmlElement, line: Line, place: Place): void {
  const { name, attributes, children } = node;
  if (isExample(node)) {
    line.verbatim(escapeText(node.name === 'script' ? `${node.raw}</script>` : node.raw));
    return;
  }
  if (isCodeElement(name) || name === 'pre') {
    const code = codeSpan(plainText(children));
    line.verbatim(place.isCell ? escapePipes(code) : code);
    return;
  }
  if (isBlockElement(name)) {
    line.break();
    if (name === 'li') line.verbatim('• ');
    write(children, line, place);
    line.break();
    return;
  }
  const tag = keptTag(name);
  if (tag !== undefined) {
    const content = inner(
      children,
      place.isBold || tag === 'b' ? { ...place, isBold: true } : place,
    );
    const isPlain = content.trim() === '' || (tag === 'b' && place.isBold);
    line.verbatim(isPlain ? content : `<${tag}>${content}</${tag}>`);
    return;
  }
  switch (name) {
    case 'br':
      line.break();
      return;
    case 'img':
      line.verbatim(image(attributes, place.isInLink));
      return;
    case 'input':
      line.verbatim(box(attributes));
      return;
    case 'a': {
      const address = addressOf(attributes.get('href'));
      const label = inner(children, { ...place, isInLink: true })
        .trim()
        .replaceAll('\n', ' ');
      // What is drawn decides whom a reader believes: descriptions of images are among it.
      const text = label
        .replace(/[\\*_~`]/g, '')
        .replace(/\s+/g, ' ')
        .trim();
      line.verbatim(place.isInLink ? label : anchor(label, text, address));
      return;
    }
    case 'q':
      line.verbatim(`“${inner(children, place)}”`);
      return;
    case 'rt':
      line.verbatim(`(${inner(children, place)})`);
      return;
    case 'rp':
      return;
    default:
      write(children, line, place);
  }
}

const lines = (nodes: readonly HtmlNode[], place: Partial<Place> = {}): string[] =>
  inner(nodes, { isCell: false, isInLink: false, isBold: false, ...place })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Text of a paragraph as inline Markdown: lines that a hard break keeps apart, empty if nothing is drawn. */
export const paragraph = (nodes: readonly HtmlNode[]): string =>
  lines(nodes).map(guardLine).join('\n');

/** Text of a heading: one line. */
export const title = (nodes: readonly HtmlNode[]): string =>
  lines(nodes, { isBold: true }).join(' ');

/** Text in bold, one line. */
export const bold = (nodes: readonly HtmlNode[]): string => {
  const text = title(nodes);
  return text === '' ? '' : `**${text}**`;
};

/** Text of a table cell; no block may stand there. */
export const cell = (nodes: readonly HtmlNode[]): string =>
  lines(nodes, { isCell: true }).join('<br>');
