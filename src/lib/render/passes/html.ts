import { lowerHtmlBlock, lowerInlineHtml } from '../../html';
import { nodes, type Pass } from './pass';

const HTML_BLOCK = new Set(['htmlFlow']);

/** Whether a tag stands beside a letter or digit of its line, so that no parser takes the line for an HTML block. */
function isBesideWord(text: string, start: number, end: number): boolean {
  const word = /[\p{L}\p{N}]/u;
  return word.test(text[start - 1] ?? '') || word.test(text[end] ?? '');
}

/** Raw HTML: inline tags by name, blocks as text. */
export const htmlPass: Pass = ({ text, tree, spans }) => [
  ...spans
    .filter(({ start }) => text[start] === '<')
    .map(({ start, end }) => ({
      start,
      end,
      text: lowerInlineHtml(text.slice(start, end), isBesideWord(text, start, end)),
    })),
  ...nodes(tree, HTML_BLOCK).map(({ start, end }) => ({
    start,
    end,
    // What stands right under a block of HTML is a block of its own.
    text: `${lowerHtmlBlock(text.slice(start, end))}${/^\r?\n[^\r\n]/.test(text.slice(end, end + 3)) ? '\n' : ''}`,
  })),
];
