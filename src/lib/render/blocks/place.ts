import type { Edit, Node, Scan } from '../../code';
import type { Container, Item, Leaf } from './leaf';
import { lineGaps } from './lines';

/**
 * Where the blocks of a list or quote are drawn.
 *
 * The pane draws one paragraph and the sub-lists of a list item, and the paragraphs of a quote; everything else in them is
 * dropped. So further paragraphs of an item join the first one behind a hard break, and what is no paragraph is lifted out to
 * the top level, between what stood before and behind it. The order of the blocks never changes: what is written between
 * two of them is all that changes, and nothing before the first lifted block.
 */
export interface Placement {
  /** What stands between the blocks, and in place of what a heading or an underline was. These win over every other edit. */
  edits: Edit[];
  /** What stands between the lines of a block that moved; an edit of their text that spans lines wins. */
  lines: Edit[];
  /** Something was lifted out: what follows in this list is a list of its own. */
  isSplit: boolean;
  /** A blank line was added at the end. */
  endsBlank: boolean;
}

export interface PlaceOptions {
  /** The text is still arriving: nothing is closed at its end. */
  isOpen: boolean;
  /** An earlier item of this list was split, so that its numbers must be written out. */
  isSplit: boolean;
  /** Whether a block is taken out of the text by another pass. */
  isGone: (leaf: Leaf) => boolean;
  /** Whether a line of text stands right above. */
  isBelowText: boolean;
}

const HARD_BREAK = '  \n';
const ZERO_WIDTH_SPACE = '\u200B';
const INDENT = '\u00A0\u00A0\u00A0';
const BULLETS = ['•', '◦', '▪'];

/** A line that could close a fence. */
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/;

const isItem = (container: Container): container is Item => container.kind === 'item';

class Placer {
  readonly edits: Edit[] = [];
  readonly lines: Edit[] = [];
  isSplit = false;
  /** Until something is lifted out of it, a top-level item or quote stays as written. */
  #isAsWritten = true;
  #last: Leaf | undefined;
  #lastEnd: number;
  /** Where the last block was drawn; nowhere at the start of a line. */
  #drawn: 'nowhere' | 'item' | 'line' | 'quote' | 'top' = 'nowhere';
  /** At the start of a line: whether text stands on the line above. */
  #isBelowText: boolean;
  /** Items and quotes whose beginning was drawn. */
  readonly #started = new Set<Container>();
  /** Items that stand as written and can go on. */
  readonly #open = new Set<Container>();
  #openQuote: Container | undefined;
  /** The number of a top-level item, in case its marker stays. */
  #number: Edit | undefined;
  /** The last fence that was closed. */
  #closed: Leaf | undefined;

  readonly #text: string;
  readonly #options: PlaceOptions;

  constructor(text: string, start: number, options: PlaceOptions) {
    this.#text = text;
    this.#lastEnd = start;
    this.#options = options;
    this.isSplit = options.isSplit;
    this.#isBelowText = options.isBelowText;
  }

  add(leaf: Leaf): void {
    const outer = leaf.path[0];
    if (outer && isItem(outer) && outer !== this.#last?.path[0]) this.#newTopItem(outer);
    if (leaf.path.some((each) => !isItem(each))) this.#inQuote(leaf);
    else this.#inItem(leaf);
    for (const each of leaf.path) this.#started.add(each);
    this.#last = leaf;
    this.#lastEnd = leaf.node.end;
  }

  /** A block that another pass takes out. Where an item begins with it, the item would be narrower without it. */
  skip({ path, node }: Leaf): void {
    const item = path.at(-1);
    if (item && isItem(item) && !this.#started.has(item))
      this.edits.push({ start: node.start, end: node.end, text: ZERO_WIDTH_SPACE });
  }

  /** What stands behind the last block, before a text of `rest` that does not belong to the container. */
  finish(end: number): boolean {
    this.#closeFence();
    const rest = this.#text.slice(end);
    // Marks of items without text would underline what was lifted out.
    if (!this.#isAsWritten && this.#text.slice(this.#lastEnd, end).trim() !== '')
      this.edits.push({ start: this.#lastEnd, end, text: '' });
    const isAdded =
      this.#needsBlank() && /^\r?\n(?![ \t]*\r?\n)/.test(rest) && !this.#options.isOpen;
    if (isAdded) this.edits.push({ start: this.#lastEnd, end: this.#lastEnd, text: '\n' });
    return isAdded;
  }

  /** An item of the top level stays as written whatever became of those before it, but for its number. */
  #newTopItem(item: Item): void {
    const lineStart = this.#lineStart(item.start);
    if (this.#last) {
      const breaks = this.#text.slice(this.#lastEnd, lineStart).match(/\n/g)?.length ?? 0;
      const needed = this.#needsBlank() ? 2 : 1;
      this.#closeFence();
      if (breaks < needed)
        this.edits.push({ start: this.#lastEnd, end: lineStart, text: '\n'.repeat(needed) });
      this.#isBelowText = Math.max(breaks, needed) < 2;
      this.#lastEnd = lineStart;
    }
    this.#isAsWritten = true;
    this.#open.clear();
    this.#openQuote = undefined;
    this.#drawn = 'nowhere';
    const { ordinal, value } = item;
    this.#number = undefined;
    if (!this.isSplit || ordinal === undefined || !value) return;
    const written = this.#text.slice(value.start, value.end);
    if (written !== String(ordinal)) this.#number = { ...value, text: String(ordinal) };
  }

  /** Behind text that was lifted out, the next line would go on with it. */
  #needsBlank(): boolean {
    if (!this.#isAsWritten && this.#drawn !== 'item') return true;
    // What has become a paragraph would take in a line of text that stood below it.
    return this.#last !== undefined && this.#last.node.type !== 'paragraph';
  }

  #inItem(leaf: Leaf): void {
    const item = leaf.path.at(-1);
    if (!item || !isItem(item)) return;
    const isFirst = !this.#started.has(item);
    const isText = leaf.kind === 'text' || (leaf.kind === 'heading' && isFirst);
    if (!isText) {
      this.#lift(leaf);
      return;
    }
    if (isFirst && this.#isAsWritten) {
      this.#open.add(item);
      if (this.#number) this.edits.push(this.#number);
      this.#number = undefined;
      this.#drawn = 'item';
      this.#strip(leaf);
      return;
    }
    const goesOn = this.#last?.path.at(-1) === item;
    if (isFirst || (goesOn && this.#drawn === 'line')) this.#asLine(leaf);
    else if (goesOn && this.#drawn === 'item' && this.#open.has(item)) {
      const written = this.#text.slice(this.#lineStart(leaf.node.start), leaf.node.start);
      // A block that begins on the line of the last one has no indentation of its own to take over.
      this.#replaceGap(leaf, HARD_BREAK + (/^\s*$/.test(written) ? written : '  '));
      this.#strip(leaf);
    } else this.#lift(leaf);
  }

  /**
   * An item behind something that was lifted out of the list around it. As a list of its own it would look like one of the
   * outer items, so it is a line with a mark, indented as deep as it stood.
   */
  #asLine(leaf: Leaf): void {
    const items = leaf.path.filter(isItem);
    const unstarted = items.filter((item) => !this.#started.has(item));
    const first = items.length - Math.max(1, unstarted.length);
    const marks = unstarted.map((item) => `${markOf(item, items.indexOf(item))} `).join('');
    const lead = INDENT.repeat(first) + (marks === '' ? INDENT : marks);
    this.#closeFence();
    this.#replaceGap(leaf, (this.#drawn === 'line' ? HARD_BREAK : this.#blankLine()) + lead);
    this.#drawn = 'line';
    this.#moveLines(leaf, '');
    this.#strip(leaf);
  }

  /** Draws a block at the top level. */
  #lift(leaf: Leaf): void {
    const numbers = this.#unstartedNumbers(leaf.path);
    this.#closeFence();
    this.#leave();
    const lead = numbers === '' ? '' : `${numbers}\n\n`;
    this.#replaceGap(leaf, this.#blankLine() + lead);
    this.#drawn = 'top';
    this.#moveLines(leaf, '');
  }

  /** A number whose item begins with something that is lifted out stands alone above it. */
  #unstartedNumbers(path: readonly Container[]): string {
    const unstarted = path.filter(isItem).filter((item) => !this.#started.has(item));
    return unstarted.some(({ ordinal }) => ordinal !== undefined)
      ? unstarted.map(markerOf).join(' ')
      : '';
  }

  #leave(): void {
    this.#isAsWritten = false;
    this.isSplit = true;
    this.#open.clear();
    this.#openQuote = undefined;
  }

  #inQuote(leaf: Leaf): void {
    const depth = leaf.path.findIndex((each) => !isItem(each));
    const quote = leaf.path[depth];
    const inner = leaf.path.slice(depth + 1);
    const isText = leaf.kind === 'text' || leaf.kind === 'heading';
    if (!isText) {
      this.#lift(leaf);
      return;
    }
    const isNew = this.#openQuote !== quote;
    if (
      this.#isAsWritten &&
      depth === 0 &&
      inner.length === 0 &&
      (isNew ||
        (this.#last?.kind === 'text' &&
          this.#last.path.length === 1 &&
          this.#last.node.type !== 'setextHeading'))
    ) {
      this.#openQuote = quote;
      this.#drawn = 'quote';
      this.#strip(leaf);
      return;
    }
    const lead = innerLead(inner, (item) => !this.#started.has(item));
    if (isNew) {
      const numbers = this.#unstartedNumbers(leaf.path.slice(0, depth));
      this.#closeFence();
      if (depth > 0 || this.#drawn !== 'nowhere') this.#leave();
      const first = numbers === '' ? '' : `${numbers}\n\n`;
      this.#replaceGap(leaf, `${this.#blankLine()}${first}> ${lead}`);
    } else {
      const goesOn = inner.some(isItem) && this.#last?.path.slice(depth + 1).some(isItem);
      this.#replaceGap(leaf, `${goesOn ? `${HARD_BREAK}> ` : '\n>\n> '}${lead}`);
    }
    this.#openQuote = quote;
    this.#isAsWritten = false;
    this.#drawn = 'quote';
    this.#moveLines(leaf, '> ');
    this.#strip(leaf);
  }

  #blankLine(): string {
    if (this.#drawn !== 'nowhere') return '\n\n';
    return this.#isBelowText ? '\n' : '';
  }

  #replaceGap({ node }: Leaf, text: string): void {
    this.edits.push({ start: this.#lastEnd, end: node.start, text });
  }

  #moveLines({ node, kind }: Leaf, indent: string): void {
    for (const { start, end, lead } of lineGaps(this.#text, node)) {
      const line = this.#text.slice(end, this.#lineEnd(end));
      // A line of a fence that would close it now keeps the columns that made code of it.
      const isInside = kind === 'fence' && end < this.#lineStart(node.end);
      const keep = isInside && this.#closes(line, node) ? '    ' : '';
      const text = `${indent}${keep}${' '.repeat(lead)}`;
      if (text !== this.#text.slice(start, end))
        this.lines.push({ start, end, text, isLead: true });
    }
  }

  /** Whether a line would close a fence if it stood at the margin. */
  #closes(line: string, fence: Node): boolean {
    const run = CLOSING.exec(line)?.[1];
    const opener = fence.children[0]?.children.find(
      ({ type }) => type === 'codeFencedFenceSequence',
    );
    if (run === undefined || !opener) return false;
    return run[0] === this.#text[opener.start] && run.length >= opener.end - opener.start;
  }

  /** A heading in a container becomes bold text, or text without its underline. */
  #strip({ kind, node }: Leaf): void {
    if (node.type === 'setextHeading') {
      const words = node.children.find(({ type }) => type === 'setextHeadingText');
      if (words) this.edits.push({ start: words.end, end: node.end, text: '' });
      return;
    }
    if (kind !== 'heading') return;
    const words = node.children.find(({ type }) => type === 'atxHeadingText');
    const start = words?.start ?? node.end;
    const end = words?.end ?? node.end;
    // Stars of its own would end the bold text early.
    const bold = words && !/[*_]/.test(this.#text.slice(start, end)) ? '**' : '';
    this.edits.push(
      { start: node.start, end: start, text: bold },
      { start: end, end: node.end, text: bold },
    );
  }

  /** A fence that its container cuts off is closed, or it would go on outside. */
  #closeFence(): void {
    const leaf = this.#last;
    if (leaf?.kind !== 'fence' || leaf.node.end !== this.#lastEnd || leaf === this.#closed) return;
    const fences = leaf.node.children.filter(({ type }) => type === 'codeFencedFence');
    const run = fences[0]?.children.find(({ type }) => type === 'codeFencedFenceSequence');
    if (fences.length !== 1 || !run) return;
    if (this.#options.isOpen && this.#text.slice(this.#lastEnd).trim() === '') return;
    this.#closed = leaf;
    const at = this.#lastEnd;
    const mark = this.#text.slice(run.start, run.end);
    const text = this.#text[at - 1] === '\n' ? `${mark}\n` : `\n${mark}`;
    this.edits.push({ start: at, end: at, text });
  }

  #lineStart(at: number): number {
    return this.#text.lastIndexOf('\n', at - 1) + 1;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }
}

const markerOf = ({ ordinal, marker }: Item): string =>
  ordinal === undefined ? marker : `${String(ordinal)}${marker}`;

/** A bullet or number as text; `depth`: how many lists are around the item's own. */
const markOf = ({ ordinal }: Item, depth: number): string =>
  ordinal === undefined
    ? (BULLETS[Math.min(depth, BULLETS.length - 1)] ?? '•')
    : `${String(ordinal)}\\.`;

/** What stands before the text of a block inside a quote: marks of the quotes in it, the bullet or number of its item. */
function innerLead(inner: readonly Container[], isNew: (item: Item) => boolean): string {
  const items = inner.filter(isItem);
  const quotes = '\\> '.repeat(inner.length - items.length);
  const item = items.at(-1);
  if (!item) return quotes;
  const indent = INDENT.repeat(items.length - 1);
  if (!isNew(item)) return `${quotes}${indent}${INDENT}`;
  return `${quotes}${indent}${markOf(item, items.length - 1)} `;
}

/** Places the leaves of one top-level list or quote. `container`: where it stands. */
export function place(
  { text }: Scan,
  container: { start: number; end: number },
  leaves: readonly Leaf[],
  options: PlaceOptions,
): Placement {
  const placer = new Placer(text, text.lastIndexOf('\n', container.start - 1) + 1, options);
  for (const leaf of leaves) {
    if (options.isGone(leaf)) placer.skip(leaf);
    else placer.add(leaf);
  }
  const endsBlank = placer.finish(container.end);
  return { edits: placer.edits, lines: placer.lines, isSplit: placer.isSplit, endsBlank };
}
