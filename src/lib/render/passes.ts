import {
  escapeMarkdown,
  isWebAddress,
  markdownLink,
  type Definition,
  type Edit,
  type Link,
  type Node,
  type Scan,
} from '../code';
import { escapeHtml, lowerInlineHtml } from '../html';
import { texToUnicode } from '../maths';

/**
 * The passes of the render pipeline. Each looks at the one scan of what the model wrote and contributes edits at
 * offsets; none sees another's output.
 */
export type Pass = (scan: Scan) => Edit[];

/** Links the pane may open. Everything else would start whatever program claims the scheme, without a question. */
const opens = (destination: string): boolean =>
  isWebAddress(destination) || /^mailto:[^\s<>\\@]+@[^\s<>\\@]+$/i.test(destination);

/** Code with a delimiter longer than any run of backticks in it. */
function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Formulas in Unicode; what Unicode cannot say stays readable TeX in code style. */
export const mathsPass: Pass = ({ formulas }) =>
  formulas.map(({ start, end, tex, display }) => {
    const unicode = texToUnicode(tex, display);
    return { start, end, text: unicode === undefined ? codeSpan(tex) : escapeMarkdown(unicode) };
  });

const insideLabel = (link: Link, all: readonly Link[]): boolean =>
  all.some(
    (other) => other !== link && other.label.start <= link.start && link.end <= other.label.end,
  );

/** Images become links with their alternative text: the pane would fetch them without a click, or die of `icon://`. */
function imageEdits(scan: Scan, image: Link): Edit[] {
  const alt = scan.text.slice(image.label.start, image.label.end);
  const openable =
    image.destination !== undefined && opens(image.destination) && !insideLabel(image, scan.links);
  if (!openable)
    return [
      {
        start: image.start,
        end: image.end,
        text: escapeMarkdown(alt.replace(/\\(?=[[\]*_`])/g, '')),
      },
    ];
  const label = escapeMarkdown(alt.trim() || 'image');
  return [
    { start: image.start, end: image.end, text: markdownLink(label, image.destination ?? '') },
  ];
}

/** `[text][label]` as `[text](address)`. */
function referenceEdits({ form, identifier, destination, label, end, isClosed }: Link): Edit[] {
  if (isClosed || form === 'inline' || form === 'autolink' || destination === undefined) return [];
  if (identifier?.startsWith('^')) return [];
  return [{ start: label.end, end, text: markdownLink('', destination).slice(1) }];
}

/** Reference links and images as inline ones, for Markdown that goes elsewhere. */
export const referencePass: Pass = ({ links }) => links.flatMap(referenceEdits);

function linkEdits(scan: Scan, link: Link): Edit[] {
  const { destination } = link;
  // A reference whose definition stands in another part of the answer: left for the render of the whole.
  if (destination === undefined || (link.isClosed && link.identifier !== undefined)) return [];
  // A footnote of the model's own: the pane has none, so the mark stays as written and the note is shown where it stands.
  if (link.identifier?.startsWith('^')) {
    return [{ start: link.start, end: link.start + 1, text: '\\[' }];
  }
  if (opens(destination)) {
    if (link.form === 'inline') return [];
    if (link.form === 'autolink') {
      const label = escapeMarkdown(scan.text.slice(link.label.start, link.label.end));
      return [{ start: link.start, end: link.end, text: markdownLink(label, destination) }];
    }
    return referenceEdits(link);
  }
  const address = escapeMarkdown(destination);
  if (link.form === 'autolink') return [{ start: link.start, end: link.end, text: address }];
  return [
    { start: link.start, end: link.label.start, text: '' },
    { start: link.label.end, end: link.end, text: address === '' ? '' : ` (${address})` },
  ];
}

export const linkPass: Pass = (scan) =>
  scan.links.flatMap((link) =>
    link.kind === 'image' ? imageEdits(scan, link) : linkEdits(scan, link),
  );

/**
 * No definition is ever emitted: one that links something is taken out (its links are inline now), one that does not is
 * shown as text, because the pane would swallow it.
 */
export const definitionPass: Pass = (scan) => {
  const used = new Set(scan.links.map((link) => link.identifier));
  const first = new Map<string, Definition>();
  for (const each of scan.definitions)
    if (!first.has(each.identifier)) first.set(each.identifier, each);
  return scan.definitions.map((definition) => {
    const { start, end, label, identifier, destination } = definition;
    if (
      !label.startsWith('^') &&
      used.has(identifier) &&
      first.get(identifier) === definition &&
      opens(destination)
    ) {
      const newline = /^\r?\n/.exec(scan.text.slice(end, end + 2))?.[0].length ?? 0;
      return { start, end: end + newline, text: '' };
    }
    const shown = opens(destination)
      ? markdownLink(escapeMarkdown(destination), destination)
      : escapeMarkdown(scan.text.slice(start + label.length + 3, end).trim());
    return { start, end, text: `\\[${label}]: ${shown}` };
  });
};

function nodes(tree: Node, types: ReadonlySet<string>, out: Node[] = []): Node[] {
  for (const child of tree.children) {
    if (types.has(child.type)) out.push(child);
    else nodes(child, types, out);
  }
  return out;
}

const HTML_BLOCK = new Set(['htmlFlow']);

/** Raw HTML: inline tags by name, blocks as text, and no `<` of plain text that any parser could take for a tag. */
export const htmlPass: Pass = ({ text, tree, spans, runs }) => [
  ...spans
    .filter(({ start }) => text[start] === '<')
    .map(({ start, end }) => ({ start, end, text: lowerInlineHtml(text.slice(start, end)) })),
  ...nodes(tree, HTML_BLOCK).map(({ start, end }) => ({
    start,
    end,
    text: escapeHtml(text.slice(start, end)),
  })),
  ...runs.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/<(?=[a-z/!?])/gi)].map((match) => ({
      start: start + match.index,
      end: start + match.index,
      text: '\\',
    })),
  ),
];

const FENCE = new Set(['codeFencedFence']);

/** The language label of a fence is drawn as rich text: only what a language name can hold may stay. */
export const fencePass: Pass = ({ text, tree }) =>
  nodes(tree, FENCE).flatMap((fence) => {
    const sequence = fence.children.find((child) => child.type === 'codeFencedFenceSequence');
    if (!sequence) return [];
    const info = text.slice(sequence.end, fence.end);
    const language = /^\s*([\w+#.-]{1,30})(?![^\s:{,;])/.exec(info)?.[1] ?? '';
    return info === language ? [] : [{ start: sequence.end, end: fence.end, text: language }];
  });

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

const ADDRESS = /https?:\/\/[^\s<>"`，。、；：！？）】」』]+/gi;

/** The address without sentence punctuation at its end, and without a closing bracket that it did not open. */
function trimAddress(address: string): string {
  let end = address.length;
  for (;;) {
    const last = address[end - 1] ?? '';
    if (/[.,;:!?'"*_~\\|]/.test(last)) end--;
    else if (last === ')' || last === ']') {
      const body = address.slice(0, end);
      const opener = last === ')' ? '(' : '[';
      if (body.split(last).length <= body.split(opener).length) break;
      end--;
    } else break;
  }
  return address.slice(0, end);
}

/** The pane does not link bare addresses. */
export const addressPass: Pass = ({ text, runs }) =>
  runs
    .filter((run) => !run.isClosed)
    .flatMap(({ start, end }) =>
      [...text.slice(start, end).matchAll(ADDRESS)].flatMap((match) => {
        const address = trimAddress(match[0]);
        if (!isWebAddress(address)) return [];
        const at = start + match.index;
        return [
          {
            start: at,
            end: at + address.length,
            text: markdownLink(escapeMarkdown(address), address),
          },
        ];
      }),
    );

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
