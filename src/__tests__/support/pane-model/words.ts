import type { PaneDrawing } from './blocks';
import { unescapeToHtml } from './inline';
import { decodeHtml } from './rich-text';
import { parseTokens, type Token } from './tokens';

/** Words of a text, in order: runs of letters, digits and their marks. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
}

/**
 * Everything in a Markdown that is meant to be read, one entry a block, cell or definition: text, code, image descriptions, the text
 * between HTML tags, and definitions as written, since a note looks like one. Addresses of links, fences and tags are not.
 */
function readableText(markdown: string): string[] {
  return leavesOf(parseTokens(markdown)).filter((text) => text.trim() !== '');
}

/**
 * Words of a Markdown that a drawing does not show, each as often as it is missing. The drawing may be that of the same text, for
 * what the launcher loses, or that of a rendered one, for what the renderer lost. Words that maths turns into signs count as missing.
 */
export function undrawnWords(markdown: string, drawing: PaneDrawing): string[] {
  const left = new Map<string, number>();
  for (const word of wordsOf(drawing.text)) left.set(word, (left.get(word) ?? 0) + 1);
  return readableText(markdown)
    .flatMap(wordsOf)
    .filter((word) => {
      const count = left.get(word) ?? 0;
      left.set(word, count - 1);
      return count <= 0;
    });
}

/** Tokens that hold a line of inline Markdown. */
const LEAVES = new Set(['paragraph', 'atxHeadingText', 'setextHeadingText', 'tableContent']);

function leavesOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (LEAVES.has(token.type)) return [inlineText(token.children)];
    switch (token.type) {
      case 'codeFenced':
      case 'codeIndented':
        return [
          token.children
            .filter((part) => part.type === 'codeFlowValue')
            .map((part) => part.raw)
            .join('\n'),
        ];
      case 'htmlFlow':
        return [decodeHtml(withoutTags(token.raw))];
      case 'definition':
        return [token.raw];
      default:
        return leavesOf(token.children);
    }
  });
}

function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      switch (token.type) {
        case 'data':
        case 'characterEscape':
        case 'characterReference':
          return decodeHtml(unescapeToHtml(token.raw));
        case 'codeTextData':
          return token.raw;
        case 'autolink':
          return token.raw.slice(1, -1);
        case 'lineEnding':
          return '\n';
        case 'htmlText':
          return /^<br\b/i.test(token.raw) ? '\n' : '';
        case 'resource':
        case 'reference':
          return '';
        default:
          return inlineText(token.children);
      }
    })
    .join('');
}

function withoutTags(html: string): string {
  return html.replace(/<!--[\s\S]*?-->|<[^>]*>/g, ' ');
}
