import { escapeMarkdown, type Edit, type Node, type Scan } from '../../code';
import { lineGaps } from '../blocks/lines';
import { nodes, type Pass } from './pass';

/** `<b`, `![`, `](`, `]:`, a backtick, a run of three tildes. */
const OPENERS = /<(?=[a-z/!?])|!(?=\[)|\](?=[(:])|`|~(?=~~)|(?<=~~)~/gi;

/**
 * Plain text stays plain whatever a parser makes of it. The launcher's parser and ours disagree here and there (an open
 * parenthesis in a destination, a form feed behind one, a tag with a bare address), and what Lam takes out of a text can
 * bring its neighbours together: so everything that could open a tag, code, an image, a link or a definition is escaped.
 */
export const inertPass: Pass = ({ text, runs }) =>
  runs.flatMap(({ start, end }) => {
    const edits = [...text.slice(start, end).matchAll(OPENERS)].map(({ index }) => start + index);
    // What follows the run may go, and bring something else next to its last character.
    if (/[<!\]]/.test(text[end - 1] ?? '') && /\S/.test(text[end] ?? '')) edits.push(end - 1);
    return [...new Set(edits)].map((at) => ({ start: at, end: at, text: '\\' }));
  });

/** A block too costly to look into is drawn letter by letter. */
export const unparsedPass: Pass = ({ text, unparsed }) =>
  unparsed.map(({ start, end }) => ({ start, end, text: escapeMarkdown(text.slice(start, end)) }));

/** A single tilde strikes in the launcher's parser (`10~20 … 30~40`): escaped wherever it stands alone. */
export const tildePass: Pass = ({ text, tree, runs }) => {
  const edits: Edit[] = [];
  const single = (at: number): boolean =>
    text[at] === '~' && text[at - 1] !== '~' && text[at + 1] !== '~';
  const escape = (at: number): number => edits.push({ start: at, end: at, text: '\\' });
  for (const { start, end } of runs) {
    for (let at = text.indexOf('~', start); at >= 0 && at < end; at = text.indexOf('~', at + 1)) {
      if (single(at)) escape(at);
    }
  }
  for (const { start, end } of nodes(tree, new Set(['strikethroughSequence']))) {
    if (end - start === 1) escape(start);
  }
  return edits;
};

/** `[ ]` and `[x]` at the start of a list item, which the pane shows raw. */
export const taskPass: Pass = ({ text, tree }) => {
  const edits: Edit[] = [];
  const visit = (node: Node): void => {
    for (const [i, child] of node.children.entries()) {
      const paragraph = child.type === 'content' ? child.children[0] : undefined;
      if (paragraph?.type === 'paragraph' && node.children[i - 1]?.type === 'listItemPrefix') {
        const box = /^\[([ x])\](?=\s)/i.exec(text.slice(paragraph.start, paragraph.start + 4));
        if (box) {
          edits.push({
            start: paragraph.start,
            end: paragraph.start + 3,
            text: box[1] === ' ' ? '☐' : '☑',
          });
        }
      }
      visit(child);
    }
  };
  visit(tree);
  return edits;
};

/** Text that would make a heading or a table of what stands above it. */
const UNDERLINE = /^[ \t]*[=|:-][\s=|:-]*$/;

/** A number as of an ordered list. */
const NUMBERED = /^\d{1,9}(?=[.)](?:\s|$))/;

const PARAGRAPH = new Set(['paragraph', 'setextHeadingText']);

/** The text of a line without the tags in it, which may be taken out. */
function withoutTags(text: string, start: number, end: number, spans: Scan['spans']): string {
  let line = '';
  let at = start;
  for (const span of spans) {
    if (span.end <= at || text[span.start] !== '<') continue;
    if (span.start >= end) break;
    line += text.slice(at, Math.max(at, span.start));
    at = Math.min(end, span.end);
  }
  return line + text.slice(at, end);
}

/**
 * A line of a paragraph stays one. What is changed above it, or a difference between two parsers, could make an underline, a
 * table's second row or a list item of it.
 */
export const linePass: Pass = ({ text, tree, spans }) => {
  const edits: Edit[] = [];
  const escape = (at: number): number => edits.push({ start: at, end: at, text: '\\' });
  let next = 0;
  for (const paragraph of nodes(tree, PARAGRAPH)) {
    const first = { start: paragraph.start, end: paragraph.start };
    for (const gap of [first, ...lineGaps(text, paragraph)]) {
      const start = gap.end;
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      while (next < spans.length && (spans[next]?.end ?? 0) <= start) next++;
      const span = spans[next];
      const near = spans.slice(next, next + 20);
      const isUnderline = UNDERLINE.test(withoutTags(text, start, end, near));
      if (isUnderline && span && span.start < start && text[span.start] === '`') {
        // In code nothing can be escaped; a line ending there is drawn as a space.
        const before = text[gap.start - 2] === '\r' ? 2 : 1;
        edits.push({ start: gap.start - before, end: start, text: ' ' });
      } else if (isUnderline) escape(start + text.slice(start, end).search(/[=|:-]/));
      else {
        const number = NUMBERED.exec(text.slice(start, end))?.[0].length;
        if (number !== undefined) escape(start + number);
      }
    }
  }
  return edits;
};
