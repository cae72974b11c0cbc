import { cleanTitle, listedSources, type ListedSources } from '../../citations';
import type { Source } from '../../types';
import { readDocument, type Block, type Inline } from '../document';
import { isForOthers, sourceName } from '../source-name';

import { trimBlankLines, type Format } from './format';

/** Tags that every program pastes well. They are written anew, so that no attribute of the model's gets through. */
const KEPT = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'sub', 'sup', 'kbd', 'mark', 'del']);

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (char) => ESCAPES[char] ?? '');

const lines = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map(escape)
    .join('<br>\n');

const anchor = (address: string, content: string): string =>
  `<a href="${escape(address)}">${content}</a>`;

const marker = (source: Source): string => {
  const shown = `[${String(source.index)}]`;
  return isForOthers(source) ? anchor(source.url, shown) : shown;
};

const inlines = (children: readonly Inline[]): string => children.map(inline).join('');

function inline(node: Inline): string {
  switch (node.kind) {
    case 'text':
      return escape(node.text);
    case 'code':
    case 'tex':
      return `<code>${escape(node.text)}</code>`;
    case 'break':
      return '<br>\n';
    case 'line':
      return '\n';
    case 'marker':
      return node.sources.map(marker).join(', ');
    case 'link': {
      const content = inlines(node.children);
      if (node.mayOpen) return anchor(node.address, content || escape(node.address));
      return `${content} (${escape(node.address)})`;
    }
    case 'styled':
      return `<${node.style}>${inlines(node.children)}</${node.style}>`;
    case 'tag': {
      const content = inlines(node.children);
      return KEPT.has(node.name)
        ? `<${node.name}>${content}</${node.name}>`
        : `${escape(node.opening)}${content}${escape(node.closing)}`;
    }
  }
}

function table(rows: readonly Inline[][][]): string {
  const row = (cells: readonly Inline[][], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${inlines(cell)}</${tag}>`).join('')}</tr>`;
  const [head = [], ...body] = rows;
  const parts = [
    `<thead>\n${row(head, 'th')}\n</thead>`,
    ...(body.length > 0
      ? [`<tbody>\n${body.map((cells) => row(cells, 'td')).join('\n')}\n</tbody>`]
      : []),
  ];
  return `<table>\n${parts.join('\n')}\n</table>`;
}

/** `isTight`: in a list without blank lines a paragraph is bare text. */
function block(node: Block, isTight: boolean): string {
  switch (node.kind) {
    case 'paragraph':
      return isTight ? inlines(node.children) : `<p>${inlines(node.children)}</p>`;
    case 'heading':
      return `<h${String(node.level)}>${inlines(node.children)}</h${String(node.level)}>`;
    case 'code': {
      const code = node.lines.join('');
      return `<pre><code>${escape(code)}${code === '' || /[\r\n]$/.test(code) ? '' : '\n'}</code></pre>`;
    }
    case 'html':
      return `<p>${lines(node.text)}</p>`;
    case 'rule':
      return '<hr>';
    case 'table':
      return table(node.rows);
    case 'quote':
      return `<blockquote>\n${blocks(node.children)}\n</blockquote>`;
    case 'list': {
      const tag = node.start === undefined ? 'ul' : 'ol';
      const start = (node.start ?? 1) === 1 ? '' : ` start="${String(node.start)}"`;
      const items = node.items.map((item) => `<li>${blocks(item, !node.isLoose)}</li>`);
      return `<${tag}${start}>\n${items.join('\n')}\n</${tag}>`;
    }
  }
}

const blocks = (nodes: readonly Block[], isTight = false): string =>
  nodes.map((node) => block(node, isTight)).join('\n');

function row(source: Source): string {
  const title = escape(sourceName(source));
  const number = `[${String(source.index)}]`;
  return isForOthers(source) ? `${number} ${anchor(source.url, title)}` : `${number} ${title}`;
}

/** Lines and no `<ol>`: what it is pasted into would count anew, and the numbers are those of the text. */
const sourceRows = ({ rows, more }: ListedSources): string =>
  rows.length === 0
    ? ''
    : `<p>Sources</p>\n<p>${[...rows.map(row), ...(more > 0 ? [`and ${String(more)} more`] : [])].join('<br>\n')}</p>`;

/**
 * HTML for a rich paste. Safe by construction: every tag is written here, no attribute but `href` and `start` exists, and
 * an `href` is http, https or mailto.
 */
export const htmlFormat: Format = {
  question(typed) {
    const text = trimBlankLines(typed);
    return text === '' ? '' : `<blockquote>\n<p>${lines(text)}</p>\n</blockquote>`;
  },
  answer({ response, sources, isRunning }) {
    const { blocks: read, cited } = readDocument(response, sources);
    return {
      body: blocks(read),
      sources: isRunning ? '' : sourceRows(listedSources(sources, cited)),
    };
  },
  error: (message) => `<p><strong>[error]</strong> ${escape(cleanTitle(message, 2000))}</p>`,
  remark: (words) => `<p><em>(${words})</em></p>`,
  gap: '\n',
  rule: '\n<hr>\n',
};
