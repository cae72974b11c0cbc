import { escapeMarkdown, type Edit, type Node, type Scan } from '../../code';
import { texToLines, texToUnicode } from '../../maths';
import type { Pass, PassContext } from './pass';

/** Code with a delimiter longer than any run of backticks in it. */
function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Two spaces at a line's end keep the next line apart, in list items and quotes too: the paragraph goes on. */
const HARD_BREAK = '  \n';

type Formula = Scan['formulas'][number];

/** A formula in Unicode; what Unicode cannot say stays readable TeX in code style, as a whole. */
const inline = ({ tex, display }: Formula): string => {
  const unicode = texToUnicode(tex, display);
  return unicode === undefined ? codeSpan(tex) : escapeMarkdown(unicode);
};

const stacked = ({ tex }: Formula): string =>
  texToLines(tex)?.map(escapeMarkdown).join(HARD_BREAK) ?? codeSpan(tex);

/** Where a formula stands, as far as that decides whether a line can begin there. */
type Place = 'block' | 'inItem' | 'inQuote' | { paragraph: Node };

const CONTAINERS: Partial<Record<string, Place>> = {
  blockQuote: 'inQuote',
  listOrdered: 'inItem',
  listUnordered: 'inItem',
};

/** Formulas on lines of their own, and those in paragraphs outside of link texts; not those in headings and table cells. */
function placesOf(tree: Node): Map<number, Place> {
  const places = new Map<number, Place>();
  const visit = (node: Node, paragraph: Node | undefined, block: Place): void => {
    if (node.type === 'link' || node.type === 'image') return;
    if (node.type === 'mathFlow') places.set(node.start, block);
    if (node.type === 'mathText' && paragraph) places.set(node.start, { paragraph });
    const inner = node.type === 'paragraph' ? node : paragraph;
    const around = CONTAINERS[node.type] ?? block;
    for (const child of node.children) visit(child, inner, around);
  };
  visit(tree, undefined, 'block');
  return places;
}

/** Matrices and case distinctions without delimiters are read as a part of their sentence. */
const PART_OF_SENTENCE = /^\\begin\{(?:\w?matrix|smallmatrix|d?r?cases|array|subarray)\*?\}/;

const isDisplay = ({ tex, display }: Formula): boolean =>
  display || (tex.startsWith('\\begin{') && !PART_OF_SENTENCE.test(tex));

const lineBreakBefore = (text: string, at: number): number => {
  const newline = text.lastIndexOf('\n', at - 1);
  return text[newline - 1] === '\r' ? newline - 1 : newline;
};

/** What stands on the line of a block before it is only marks of containers. */
const isBlankLine = (line: string): boolean => /^[\s>]*$/.test(line);

/** A formula on lines of its own: a blank line parts it from text right above or below. */
function blockEdits(formula: Formula, { text }: Scan, context: PassContext): Edit[] {
  const { start, end } = formula;
  const above = (context.before ?? '') + text.slice(Math.max(0, start - 200), start);
  const isBelowText = /\S[^\n]*\n[ \t]*$/.test(above) && !/\n[ \t]*\r?\n[ \t]*$/.test(above);
  const isAboveText = /^\r?\n(?![ \t]*\r?\n)/.test(text.slice(end, end + 100));
  return [
    {
      start,
      end,
      text: (isBelowText ? '\n' : '') + stacked(formula) + (isAboveText ? '\n' : ''),
    },
  ];
}

/** The same in a quote, where a hard break parts it and the paragraph goes on. */
function quotedEdits(formula: Formula, { text }: Scan): Edit[] {
  const { start, end } = formula;
  const edits: Edit[] = [];
  const at = lineBreakBefore(text, start);
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, Math.max(0, at));
  if (at > 0 && !isBlankLine(line)) edits.push({ start: at, end: at, text: '  ' });
  const below = /^\r?\n/.test(text.slice(end, end + 2)) ? '  ' : '';
  edits.push({ start, end, text: stacked(formula) + below });
  return edits;
}

/** An opened bracket or emphasis in front, or a task box: nothing may come between it and the formula. */
const ATTACHED_BEFORE = /(?:[([{"'“‘「（]|(?:^|\s)[*_~]+|^\[[ x]\]\s*)$/i;

/** Punctuation that stays with the formula, and a closed bracket or emphasis, which the formula must not leave. */
const PUNCTUATION = /^(?:[.,;:?。，；：、！？…]|!(?!\[))+/;
const ATTACHED_AFTER = /^(?:[)\]}"'”’」）]|[*_~]+(?![\p{L}\p{N}]))/u;

/** Text that would be a mark of a list, quote, heading, table or underline at the start of a line. */
const STRUCTURAL = /^(?:[-+=#>|:]|[*_](?=\s)|\d{1,9}(?=[.)]))/;

/** A display formula in a paragraph: hard breaks on both sides. */
function paragraphEdits(formula: Formula, paragraph: Node, { text }: Scan): Edit[] {
  const { start, end } = formula;
  const before = text.slice(Math.max(paragraph.start, start - 200), start);
  const after = text.slice(end, Math.min(paragraph.end, end + 200));
  if (ATTACHED_BEFORE.test(before) || ATTACHED_AFTER.test(after))
    return [{ start, end, text: inline(formula) }];
  const edits: Edit[] = [];
  let lead = '';
  if (before.trim() !== '') {
    const at = lineBreakBefore(text, start);
    if (at >= paragraph.start && isBlankLine(text.slice(at, start)))
      edits.push({ start: at, end: at, text: '  ' });
    else lead = HARD_BREAK;
  }
  const punctuation = PUNCTUATION.exec(after)?.[0] ?? '';
  const rest = after.slice(punctuation.length);
  const next = rest.trimStart();
  const at = end + punctuation.length;
  edits.push({ start, end, text: lead + stacked(formula) });
  if (next === '') return edits;
  if (/^[ \t]*\r?\n/.test(rest)) {
    edits.push({ start: at, end: at, text: '  ' });
    return edits;
  }
  const from = at + rest.length - next.length;
  const mark = STRUCTURAL.exec(next)?.[0];
  edits.push({ start: at, end: from, text: HARD_BREAK });
  if (mark !== undefined) {
    const place = from + (/^\d/.test(mark) ? mark.length : 0);
    edits.push({ start: place, end: place, text: '\\' });
  }
  return edits;
}

/**
 * Formulas in Unicode. A display formula stands on a line of its own, except in headings, table cells and link texts,
 * where a line break would end them.
 */
export const mathsPass: Pass = (scan, context) => {
  const places = placesOf(scan.tree);
  return scan.formulas.flatMap((formula) => {
    const { start, end } = formula;
    const place = places.get(start);
    if (place === undefined || !isDisplay(formula)) return [{ start, end, text: inline(formula) }];
    if (place === 'block') return blockEdits(formula, scan, context);
    if (place === 'inQuote') return quotedEdits(formula, scan);
    // In a list item `structure` parts the blocks.
    if (place === 'inItem') return [{ start, end, text: stacked(formula) }];
    return paragraphEdits(formula, place.paragraph, scan);
  });
};
