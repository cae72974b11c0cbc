import { markdownLink, type Edit, type Node, type Scan } from '../code';
import { addressBehind, addressOf, altOf, box, image, mayLead } from './address';
import { isBlockElement, isCodeElement, keptTag } from './elements';
import { inlineTokens, type InlineToken } from './pairs';
import { codeSpan, decodeEntities, escapeText, guardLine, ZERO_WIDTH_SPACE } from './text';
import type { HtmlTag } from './tokens';

/** Whether something of a sorted list begins in `[from, to)`. */
function beginsIn(list: readonly { start: number }[], from: number, to: number): boolean {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.start ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return (list[low]?.start ?? to) < to;
}

const byStart = <T extends { start: number }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => a.start - b.start);

/** What a pair of tags shows: its text, or the descriptions of its images. */
function labelOf(raw: string, start: number, end: number, tokens: readonly InlineToken[]): string {
  const text = decodeEntities(raw.replace(/<[^>]*>/g, '').replace(/[\\*_~`]/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
  if (text !== '') return text;
  return tokens
    .filter((each) => start <= each.start && each.end <= end)
    .map(({ token }) =>
      token.kind === 'open' && token.name === 'img' ? altOf(token.attributes) : '',
    )
    .join(' ')
    .trim();
}

class Lowering {
  readonly edits: Edit[] = [];
  readonly code: Edit[] = [];
  readonly #scan: Scan;
  readonly #links: readonly { start: number }[];
  readonly #formulas: readonly { start: number }[];
  readonly #runs: readonly { start: number; end: number }[];
  /** Ends of tags that stay. */
  readonly #kept = new Set<number>();

  constructor(scan: Scan) {
    this.#scan = scan;
    this.#links = byStart(scan.links);
    this.#formulas = byStart(scan.formulas);
    this.#runs = byStart(scan.runs);
  }

  visit(node: Node, isInOuterLink: boolean): void {
    if (node.type === 'image') return;
    const tokens = node.children.some(({ type }) => type === 'htmlText')
      ? inlineTokens(this.#scan.text, node)
      : [];
    /** Where the code or link that a pair of tags makes ends. */
    let codeEnd = -1;
    let linkEnd = -1;
    const byPosition = new Map(tokens.map((each) => [each.start, each]));
    for (const child of node.children) {
      if (child.start < codeEnd) continue;
      const isInLink = isInOuterLink || node.type === 'link' || child.start < linkEnd;
      const each = child.type === 'htmlText' ? byPosition.get(child.start) : undefined;
      if (!each) {
        this.visit(child, isInLink);
        continue;
      }
      const { partner, token } = each;
      if (partner && token.kind === 'open' && this.#codeEdit(each, partner, token)) {
        codeEnd = partner.end;
      } else if (partner && token.kind === 'open' && token.name === 'a') {
        if (this.#anchorEdits(each, partner, token, isInLink ? undefined : tokens))
          linkEnd = partner.start;
      } else if (partner && token.kind === 'close' && token.name === 'a') continue;
      else this.#tokenEdit(each, isInLink);
    }
  }

  /** Code between tags, if nothing but text stands in it. */
  #codeEdit(open: InlineToken, close: InlineToken, { name }: HtmlTag): boolean {
    if (!isCodeElement(name) || beginsIn(this.#links, open.end, close.start)) return false;
    const { text, spans } = this.#scan;
    const raw = text.slice(open.end, close.start);
    if (raw.trim() === '' || beginsIn(spans, open.end, close.start)) return false;
    const isRaw = name === 'script' || name === 'style';
    const line = raw.replace(/[ \t]*\n[ \t>]*/g, ' ');
    const edit = {
      start: open.start,
      end: close.end,
      text: codeSpan(isRaw ? line : decodeEntities(line)),
    };
    this.code.push(edit);
    // A formula in it would win over the whole of it, and leave the tags.
    if (beginsIn(this.#formulas, open.end, close.start)) {
      this.#vanish(open);
      this.#vanish(close);
    } else this.edits.push(edit);
    return true;
  }

  /** Whether the pair becomes a link. `tokens`: its neighbours; absent in another link. */
  #anchorEdits(
    open: InlineToken,
    close: InlineToken,
    tag: HtmlTag,
    tokens: readonly InlineToken[] | undefined,
  ): boolean {
    const raw = this.#scan.text.slice(open.end, close.start);
    const address = addressOf(tag.attributes.get('href'));
    const label = tokens ? labelOf(raw, open.end, close.start, tokens) : '';
    if (
      label !== '' &&
      !/[[\]]/.test(raw) &&
      !beginsIn(this.#links, open.end, close.start) &&
      mayLead(label, address)
    ) {
      this.edits.push({ start: open.start, end: open.end, text: '[' });
      const tail = markdownLink('', address).slice(1);
      this.edits.push({ start: close.start, end: close.end, text: tail });
      return true;
    }
    this.#vanish(open);
    this.#write(close, tokens ? addressBehind(label, address) : '');
    return false;
  }

  #tokenEdit(each: InlineToken, isInLink: boolean): void {
    const { token, partner } = each;
    switch (token.kind) {
      case 'comment':
        this.#vanish(each);
        return;
      case 'open':
        if (this.#isStandalone(each, token, isInLink)) return;
        break;
      case 'close':
        // Something that began in a paragraph or block before this one ends here.
        if (!partner && isBlockElement(token.name)) {
          this.#space(each);
          return;
        }
        break;
      case 'text':
      case 'declaration':
        break;
    }
    if ((token.kind !== 'open' && token.kind !== 'close') || !partner) {
      const written = escapeText(token.raw).replace(/\s*\n[\s>]*/g, ' ');
      this.#write(each, written);
      return;
    }
    const { name } = token;
    const tag = keptTag(name);
    const isOpen = token.kind === 'open';
    const [from, to] = isOpen ? [each.end, partner.start] : [partner.end, each.start];
    const isEmpty = this.#scan.text.slice(from, to).trim() === '';
    if (tag !== undefined && !isEmpty) this.#keep(each, isOpen ? `<${tag}>` : `</${tag}>`, isOpen);
    else if (name === 'q') this.#write(each, isOpen ? '“' : '”');
    else if (isBlockElement(name)) this.#space(each);
    else this.#vanish(each);
  }

  /** Tags that stand for something by themselves. */
  #isStandalone(each: InlineToken, { name, attributes }: HtmlTag, isInLink: boolean): boolean {
    if (name === 'br') this.#keep(each, '<br>', false);
    else if (name === 'wbr') this.#vanish(each);
    else if (name === 'img' && attributes.has('src'))
      this.#write(each, guardLine(image(attributes, isInLink)));
    else if (name === 'input' && box(attributes) !== '') this.#write(each, box(attributes));
    else return false;
    return true;
  }

  #write(each: InlineToken, text: string): void {
    if (text === '') this.#vanish(each);
    else this.edits.push({ start: each.start, end: each.end, text });
  }

  /** A tag that stays must not be alone on its line: a parser would take it for the start of an HTML block. */
  #keep({ start, end }: InlineToken, tag: string, mayLook: boolean): void {
    const isSafe =
      this.#isText(start - 1) || this.#kept.has(start) || (mayLook && this.#isText(end));
    this.#kept.add(end);
    this.edits.push({ start, end, text: isSafe ? tag : ZERO_WIDTH_SPACE + tag });
  }

  /** Whether plain text that is drawn as it is stands at `at`. */
  #isText(at: number): boolean {
    if (at < 0 || !/\S/.test(this.#scan.text[at] ?? '')) return false;
    const runs = this.#runs;
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((runs[middle]?.end ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return (runs[low]?.start ?? Infinity) <= at;
  }

  /** Words before and behind a block do not run together. */
  #space(each: InlineToken): void {
    const { text } = this.#scan;
    const isApart =
      /\s|^$/.test(text.charAt(each.start - 1)) || /\s|^$/.test(text.charAt(each.end));
    if (isApart) this.#vanish(each);
    else this.edits.push({ start: each.start, end: each.end, text: ' ' });
  }

  /** Takes a tag out, so that what stands behind it at the start of a line does not begin a block. */
  #vanish({ start, end }: InlineToken): void {
    const { text } = this.#scan;
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const before = text.slice(lineStart, Math.min(start, lineStart + 200)).replace(/<[^>]*>/g, '');
    const isInside = /\p{L}/u.test(before) || /\p{L}/u.test(text.charAt(end));
    this.edits.push({ start, end, text: isInside ? '' : ZERO_WIDTH_SPACE });
  }
}

function lower(scan: Scan): Lowering {
  const lowering = new Lowering(scan);
  if (scan.spans.length > 0) lowering.visit(scan.tree, false);
  return lowering;
}

/**
 * The tags in lines of text: simple ones stay without attributes, links and images become Markdown, others leave their text;
 * what has no partner, or is no HTML, is shown as written.
 */
export const lowerTags = (scan: Scan): Edit[] => lower(scan).edits;

/** `<code>…</code>` as code spans, whatever Markdown or maths is in it: these edits come before those of all other passes. */
export const codeOfTags = (scan: Scan): Edit[] => lower(scan).code;
