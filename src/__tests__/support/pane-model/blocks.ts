import { imageEffect } from './addresses';
import { cutAtStrayEnd, readWellFormed } from './html-block';
import { destinationOf, richHtml, unescapeToHtml, type InlineContext } from './inline';
import { drawPlainText } from './plain-text';
import { decodeHtml, drawRichText } from './rich-text';
import { definitionsOf, find, parseTokens, type Definitions, type Token } from './tokens';

/** A block of the document as the launcher lists it; `text` is what is read there. */
export type PaneBlock = Drawn & {
  /** What can be clicked in it, if anything. The blocks of a paragraph that images divide share those of the paragraph. */
  links?: PaneLink[];
};

interface PaneLink {
  /** Visible text. */
  text: string;
  /** Decoded address. */
  href: string;
}

type Drawn =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; info: string; text: string }
  | { kind: 'list'; rows: PaneListRow[]; text: string }
  | { kind: 'quote'; callout?: string; text: string }
  | { kind: 'table'; rows: string[][]; text: string }
  | { kind: 'rule'; text: '' }
  | { kind: 'image'; url: string; text: string }
  | { kind: 'html'; text: string };

interface PaneListRow {
  /** `• `, or the number with its dot. */
  label: string;
  /** 0 for the outermost list. */
  depth: number;
  text: string;
}

interface PaneImage {
  url: string;
  alt: string;
  /** True where the launcher draws a broken box instead: in lists, tables, headings, quotes and emphasis. */
  broken: boolean;
}

/** What the launcher draws for a Markdown string, and what it does on the way. */
export interface PaneDrawing {
  /** Everything that can be read, blocks joined by blank lines, list labels as `1. ` and `• `. */
  text: string;
  blocks: PaneBlock[];
  /** What can be clicked, in order. */
  links: PaneLink[];
  /** Contents of code blocks, byte for byte, with their last line end. */
  code: string[];
  /** Contents of inline code as drawn. */
  codeSpans: string[];
  /** Info strings of fences that have one. */
  infos: string[];
  /** Texts struck through. */
  strikes: string[];
  /** Table cells drawn, short rows filled up. */
  cells: number;
  /** True when the cells are more than the launcher bears. */
  freezes: boolean;
  images: PaneImage[];
  /** Addresses loaded without a click. */
  fetches: string[];
  /** What was in the Markdown and is not drawn, as written: blocks, hidden text, unknown tags. Definitions are not listed here. */
  dropped: string[];
  /** Why drawing this ends the launcher's process. */
  crashes: string[];
  /** Raw HTML tags, comments and the like as written, closing tags too. Those of code are not among them. */
  tags: string[];
  /** Link definitions of the document, by normalized label. */
  definitions: Map<string, string>;
}

export function drawPane(markdown: string): PaneDrawing {
  const tokens = parseTokens(markdown);
  return new Painter(definitionsOf(tokens)).document(tokens);
}

/** Tables were seen to freeze the launcher; up to about this many cells they do not. */
const CELLS_BORNE = 400;

const CALLOUT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*/;

class Painter {
  readonly #drawing: PaneDrawing;
  readonly #definitions: Definitions;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
    this.#drawing = {
      text: '',
      blocks: [],
      links: [],
      code: [],
      codeSpans: [],
      infos: [],
      strikes: [],
      cells: 0,
      freezes: false,
      images: [],
      fetches: [],
      dropped: [],
      crashes: [],
      tags: [],
      definitions,
    };
  }

  document(tokens: readonly Token[]): PaneDrawing {
    this.#drawing.blocks = blocksOf(tokens).flatMap((token) => {
      const before = this.#drawing.links.length;
      const drawn = this.#block(token);
      const links = this.#drawing.links.slice(before);
      return links.length === 0 ? drawn : drawn.map((block) => ({ ...block, links }));
    });
    this.#drawing.freezes = this.#drawing.cells > CELLS_BORNE;
    this.#drawing.text = this.#drawing.blocks
      .map((block) => block.text)
      .filter((text) => text !== '')
      .join('\n\n');
    return this.#drawing;
  }

  #block(token: Token): Drawn[] {
    switch (token.type) {
      case 'paragraph':
        return this.#paragraph(token);
      case 'atxHeading':
      case 'setextHeading':
        return [this.#heading(token)];
      case 'codeFenced':
      case 'codeIndented':
        return [this.#code(token)];
      case 'listOrdered':
      case 'listUnordered': {
        const rows = this.#list(token, 0);
        const text = rows.map((row) => '  '.repeat(row.depth) + row.label + row.text).join('\n');
        return [{ kind: 'list', rows, text }];
      }
      case 'blockQuote':
        return [this.#quote(token)];
      case 'table':
        return [this.#table(token)];
      case 'thematicBreak':
        return [{ kind: 'rule', text: '' }];
      case 'htmlFlow':
        return this.#html(token.raw);
      default:
        return [];
    }
  }

  /** Images of a top-level paragraph become blocks of their own; an image that is all of a link takes its place. */
  #paragraph(token: Token): Drawn[] {
    const imageIn = (part: Token): Token | undefined =>
      part.type === 'image' ? part : onlyImageOf(part);
    if (!token.children.some(imageIn))
      return [{ kind: 'paragraph', text: this.#inline(token.children) }];
    const blocks: Drawn[] = [];
    let run: Token[] = [];
    const flush = (): void => {
      // A run of tags alone is a block too, with nothing to read.
      const isBlank = richHtml(run, { ...this.#context(), onImage: () => undefined }).trim() === '';
      if (!isBlank) blocks.push({ kind: 'paragraph', text: this.#inline(run) });
      run = [];
    };
    for (const part of token.children) {
      const image = imageIn(part);
      if (!image) {
        run.push(part);
        continue;
      }
      flush();
      const { caption, rest } = captionOf(image);
      this.#drawing.dropped.push(...rest);
      blocks.push(this.#image(decodeHtml(destinationOf(image, this.#definitions)), caption));
    }
    flush();
    return blocks;
  }

  #image(url: string, alt: string): Drawn {
    const effect = imageEffect(url);
    this.#drawing.images.push({ url, alt, broken: false });
    this.#drawing.fetches.push(...effect.loads);
    if (effect.crashes) this.#drawing.crashes.push(`image ${url}`);
    const caption = drawPlainText(alt);
    this.#drawing.fetches.push(...caption.fetches);
    return { kind: 'image', url, text: caption.text };
  }

  #heading(token: Token): Drawn {
    const sequence = find(token.children, 'atxHeadingSequence')[0];
    const underline = find(token.children, 'setextHeadingLineSequence')[0];
    const level = sequence?.raw.length ?? (underline?.raw.startsWith('=') === true ? 1 : 2);
    const content = token.children.filter(
      (part) => part.type === 'atxHeadingText' || part.type === 'setextHeadingText',
    );
    return { kind: 'heading', level, text: this.#inline(content) };
  }

  #code(token: Token): Drawn {
    const info = infoOf(token);
    const code = codeOf(token);
    this.#drawing.code.push(code);
    if (info !== '') {
      this.#drawing.infos.push(info);
      this.#drawing.fetches.push(...drawPlainText(info).fetches);
    }
    // Seen on screen: an empty first line and trailing blanks are not drawn.
    return { kind: 'code', info, text: code.replace(/^\n/, '').trimEnd() };
  }

  /** An item draws its last paragraph and then its sub-lists; whatever else it holds is lost. */
  #list(token: Token, depth: number): PaneListRow[] {
    const ordered = token.type === 'listOrdered';
    let number = Number(find(token.children, 'listItemValue')[0]?.raw ?? 1);
    return itemsOf(token).flatMap((item) => {
      const blocks = blocksOf(item);
      const last = blocks.findLast((block) => block.type === 'paragraph');
      for (const block of blocks) if (block !== last && !isList(block)) this.#drop(block);
      const label = ordered ? `${number++}. ` : '• ';
      const row = { label, depth, text: last ? this.#inline(last.children) : '' };
      return [row, ...blocks.filter(isList).flatMap((list) => this.#list(list, depth + 1))];
    });
  }

  #quote(token: Token): Drawn {
    const paragraphs: string[] = [];
    const blocks = blocksOf(token.children);
    for (const block of blocks) {
      if (block.type === 'paragraph') paragraphs.push(this.#inline(block.children));
      else this.#drop(block);
    }
    // The mark counts only as plain text at the very start.
    const first = blocks.find((block) => block.type !== 'definition');
    const opening = first?.type === 'paragraph' ? leadingText(first.children) : '';
    const callout = CALLOUT.test(opening) ? CALLOUT.exec(paragraphs[0] ?? '') : null;
    if (callout) paragraphs[0] = (paragraphs[0] ?? '').slice(callout[0].length);
    const text = paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
    return callout ? { kind: 'quote', callout: callout[1], text } : { kind: 'quote', text };
  }

  #table(token: Token): Drawn {
    // An empty cell holds no content, and counts.
    const cells = find(token.children, 'tableRow').map((row) =>
      [...find(row.children, 'tableHeader'), ...find(row.children, 'tableData')].map((cell) =>
        find(cell.children, 'tableContent'),
      ),
    );
    const width = cells[0]?.length ?? 0;
    const rows = cells.map((row) => {
      // The parser itself leaves out what has no column.
      this.#drawing.dropped.push(
        ...row
          .slice(width)
          .flat()
          .map((content) => content.raw),
      );
      return row.slice(0, width).map((content) => this.#inline(content, true));
    });
    for (const row of rows) while (row.length < width) row.push('');
    this.#drawing.cells += rows.length * width;
    return { kind: 'table', rows, text: rows.map((row) => row.join(' │ ')).join('\n') };
  }

  #html(raw: string): Drawn[] {
    this.#drawing.tags.push(...(raw.match(/<[^>]*>/g) ?? []));
    const wellFormed = readWellFormed(raw);
    if (!wellFormed) {
      const { shown, lost } = cutAtStrayEnd(raw);
      if (lost.trim() !== '') this.#drawing.dropped.push(lost.trim());
      this.#drawing.fetches.push(...drawRichText(lost).fetches); // to be on the safe side
      return [{ kind: 'html', text: this.#rich(shown) }];
    }
    this.#drawing.dropped.push(...wellFormed.lost);
    const images = wellFormed.images.map((url) => this.#image(url, ''));
    return wellFormed.text === '' ? images : [...images, { kind: 'html', text: wellFormed.text }];
  }

  /** Text of inline tokens; links, code and the rest of what they do is recorded. */
  #inline(tokens: readonly Token[], inTable = false): string {
    this.#drawing.tags.push(...find(tokens, 'htmlText').map((token) => token.raw));
    return this.#rich(richHtml(tokens, this.#context(inTable)));
  }

  #context(inTable = false): InlineContext {
    return {
      definitions: this.#definitions,
      inTable,
      onImage: ({ url, alt }) => {
        const words = decodeHtml(alt);
        this.#drawing.images.push({ url: decodeHtml(url), alt: words, broken: true });
        if (words !== '') this.#drawing.dropped.push(words);
      },
    };
  }

  #rich(html: string): string {
    const rich = drawRichText(html);
    this.#drawing.links.push(...rich.links);
    this.#drawing.codeSpans.push(...rich.code);
    this.#drawing.strikes.push(...rich.strikes);
    this.#drawing.fetches.push(...rich.fetches);
    this.#drawing.dropped.push(...rich.dropped);
    return rich.text;
  }

  /** Records a block that is not drawn. */
  #drop(token: Token): void {
    if (token.type === 'definition' || token.type === 'thematicBreak') return;
    this.#drawing.dropped.push(token.raw.trim());
  }
}

const BLOCKS = new Set([
  'paragraph',
  'atxHeading',
  'setextHeading',
  'codeFenced',
  'codeIndented',
  'listOrdered',
  'listUnordered',
  'blockQuote',
  'table',
  'thematicBreak',
  'htmlFlow',
  'definition',
]);

/** The blocks directly inside these tokens (micromark wraps some in `content`). */
function blocksOf(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    if (BLOCKS.has(token.type)) return [token];
    return token.type === 'content' ? blocksOf(token.children) : [];
  });
}

function isList(token: Token): boolean {
  return token.type === 'listOrdered' || token.type === 'listUnordered';
}

/** The text that a paragraph starts with, before any mark, code, link or line break. */
function leadingText(tokens: readonly Token[]): string {
  const end = tokens.findIndex((token) => !isText(token));
  return textOf(tokens.slice(0, end === -1 ? undefined : end));
}

/** The caption of an image: only the plain text directly in its description; marks, code and line breaks are left out with all they hold. */
function captionOf(image: Token): { caption: string; rest: string[] } {
  const content = find(image.children, 'labelText')[0]?.children ?? [];
  const others = content.filter((part) => !isText(part) && part.type !== 'lineEnding');
  return { caption: textOf(content.filter(isText)), rest: others.map((part) => part.raw) };
}

function isText(token: Token): boolean {
  return ['data', 'characterEscape', 'characterReference'].includes(token.type);
}

function textOf(tokens: readonly Token[]): string {
  return decodeHtml(unescapeToHtml(tokens.map((token) => token.raw).join('')));
}

/** A list's items: micromark marks each by its prefix only. */
function itemsOf(list: Token): Token[][] {
  const items: Token[][] = [];
  for (const part of list.children) {
    if (part.type === 'listItemPrefix') items.push([]);
    else items.at(-1)?.push(part);
  }
  return items;
}

/** The image of a link that shows nothing else. */
function onlyImageOf(token: Token): Token | undefined {
  if (token.type !== 'link') return undefined;
  const label = token.children.find((part) => part.type === 'label');
  const content = find(label?.children ?? [], 'labelText')[0]?.children ?? [];
  return content.length === 1 && content[0]?.type === 'image' ? content[0] : undefined;
}

function infoOf(token: Token): string {
  const fence = token.children.find((part) => part.type === 'codeFencedFence');
  if (!fence) return '';
  const info = fence.children.find((part) => part.type === 'codeFencedFenceInfo');
  const meta = fence.children.find((part) => part.type === 'codeFencedFenceMeta');
  const raw = info && meta ? `${info.raw} ${meta.raw}` : (info?.raw ?? '');
  return decodeHtml(unescapeToHtml(raw));
}

function codeOf(token: Token): string {
  const lines = token.children.flatMap((part) => {
    if (part.type === 'codeFlowValue') return [part.raw];
    return part.type === 'lineEnding' ? ['\n'] : [];
  });
  // The fence's own line ends stand around the content.
  if (token.type === 'codeFenced') {
    lines.shift();
    const fences = token.children.filter((part) => part.type === 'codeFencedFence');
    if (fences.length > 1 && lines.at(-1) === '\n') lines.pop();
  }
  const code = lines.join('');
  return code === '' ? '' : `${code}\n`;
}
