import { cleanTitle, listedSources, type ListedSources } from '../../citations';
import type { Source } from '../../types';
import { readDocument, type Block, type Inline } from '../document';
import { fileName, isForOthers, sourceName } from '../source-name';

import { trimBlankLines, type Format } from './format';

/** Containers whose marks are written. A line of a hundred quote marks before each of a million lines would fill the memory. */
const MAX_DEPTH = 16;

/** A line of prose, or the lines of a block of code, which no container indents: they are copied to be used. */
type Line = string | { code: string };

const inlines = (children: readonly Inline[], lineEnd = '\n'): string =>
  children.map((child) => inline(child, lineEnd)).join('');

function link(address: string, label: string): string {
  const shown = address.replace(/^mailto:/i, '');
  const text = label.trim();
  return text === '' || text === address || text === shown ? shown : `${label} (${shown})`;
}

function inline(node: Inline, lineEnd: string): string {
  switch (node.kind) {
    case 'text':
    case 'code':
    case 'tex':
      return node.text;
    // Lines stay as the model broke them: joined, verses and addresses would run together.
    case 'break':
    case 'line':
      return lineEnd;
    case 'marker':
      return node.sources.map(({ index }) => `[${String(index)}]`).join(', ');
    case 'link':
      return link(node.address, inlines(node.children, lineEnd));
    case 'styled':
    case 'tag':
      return inlines(node.children, lineEnd);
  }
}

const inOneLine = (children: readonly Inline[]): string =>
  inlines(children, ' ').replace(/\s+/g, ' ').trim();

/** The lines behind a mark; every further one behind `further`. */
const behind = (lines: readonly Line[], mark: string, further: string): Line[] =>
  lines.map((line, i) =>
    typeof line === 'string' ? `${i === 0 ? mark : further}${line}`.trimEnd() : line,
  );

function block(node: Block, depth: number): Line[] {
  switch (node.kind) {
    case 'paragraph':
      return inlines(node.children)
        .split('\n')
        .map((line) => line.trim());
    case 'heading':
      return [inOneLine(node.children)];
    case 'code': {
      const code = node.lines.join('');
      return [{ code: code.replace(/\r?\n$|\r$/, '') }];
    }
    case 'html':
      return node.text.split('\n');
    case 'rule':
      return [RULE];
    case 'table':
      return node.rows.map((row) => row.map(inOneLine).join(' | '));
    case 'quote': {
      const lines = blocks(node.children, depth + 1);
      return depth < MAX_DEPTH ? behind(lines, '> ', '> ') : lines;
    }
    case 'list':
      return list(node, depth);
  }
}

function list({ items, start, isLoose }: Block & { kind: 'list' }, depth: number): Line[] {
  return items.flatMap((item, i) => {
    const mark = start === undefined ? '- ' : `${String(start + i)}. `;
    const lines = blocks(item, depth + 1, isLoose ? [''] : []);
    const first = lines[0] ?? '';
    const own = typeof first === 'string' ? lines : ['', ...lines];
    const marked =
      depth < MAX_DEPTH
        ? behind(own.length === 0 ? [''] : own, mark, ' '.repeat(mark.length))
        : own;
    return isLoose && i > 0 ? ['', ...marked] : marked;
  });
}

function blocks(nodes: readonly Block[], depth: number, gap: readonly string[] = ['']): Line[] {
  const out: Line[] = [];
  for (const [i, node] of nodes.entries()) {
    if (i > 0) for (const line of gap) out.push(line);
    for (const line of block(node, depth)) out.push(line);
  }
  return out;
}

const RULE = '----------';

function row(source: Source): string {
  const name = sourceName(source);
  const lead = `[${String(source.index)}] ${name}`;
  const place = source.kind === 'document' ? fileName(source.url) : source.url;
  const isTold = source.kind === 'document' || isForOthers(source);
  return isTold && place !== '' && place !== name ? `${lead} – ${place}` : lead;
}

const sourceRows = ({ rows, more }: ListedSources): string =>
  rows.length === 0
    ? ''
    : ['Sources', ...rows.map(row), ...(more > 0 ? [`and ${String(more)} more`] : [])].join('\n');

/** Plain text for a mail or a form: no Markdown, nothing lost. */
export const textFormat: Format = {
  question: (typed) =>
    trimBlankLines(typed)
      .split(/\r\n|\r|\n/)
      .map((line) => `> ${line}`.trimEnd())
      .join('\n'),
  answer({ response, sources, isRunning }) {
    const { blocks: read, cited } = readDocument(response, sources);
    const body = blocks(read, 0)
      .map((line) => (typeof line === 'string' ? line : line.code))
      .join('\n');
    return { body, sources: isRunning ? '' : sourceRows(listedSources(sources, cited)) };
  },
  error: (message) => `[error] ${cleanTitle(message, 2000)}`,
  remark: (words) => `(${words})`,
  gap: '\n\n',
  rule: `\n\n${RULE}\n\n`,
};
