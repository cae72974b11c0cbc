import { blocksOf } from './html/blocks';
import { compose } from './html/compose';
import { isElement } from './html/elements';
import { escapeText, guardLine, HARD_BREAK } from './html/text';
import { readToken, tokenize } from './html/tokens';
import { htmlTree } from './html/tree';

/** HTML as Markdown: what the pane draws, with no attribute of the written tags left. */
export { codeOfTags, lowerTags } from './html/inline-tags';
export { lengthBeforeOpenTag } from './html/pairs';

const INDENT = '\u00A0';
const MAX_INDENT = 20;

/** Lines as written: for what is no HTML, such as `<your-name>`, an XML file or a PHP script. */
function asWritten(raw: string): string {
  return raw
    .split(/\n[ \t]*\n/)
    .map((part) =>
      part
        .split('\n')
        .map((line) => {
          const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
          const text = guardLine(escapeText(line.trim()));
          return text === '' ? '' : INDENT.repeat(Math.min(indent, MAX_INDENT)) + text;
        })
        .filter((line) => line !== '')
        .join(HARD_BREAK),
    )
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Whether a block begins with a tag of another language, or with an instruction. */
function isForeign(raw: string): boolean {
  const [first] = tokenize(raw.trimStart().slice(0, 1000));
  if (first?.kind === 'declaration') return !/^<!doctype/i.test(first.raw) && first.raw.length > 0;
  return (first?.kind === 'open' || first?.kind === 'close') && !isElement(first.name);
}

const isOpenComment = (raw: string): boolean =>
  /^\s*<!--/.test(raw) && readToken(raw.trimStart()).kind !== 'comment';

/**
 * A block of raw HTML as top-level Markdown that the pane draws: headings, paragraphs, lists, tables, quotes and code by
 * their equivalents, everything else by its text; empty where nothing is to be drawn. `raw` is the text of the block without
 * the marks of the lists and quotes around it. Total: never throws.
 */
export function lowerHtmlBlock(raw: string): string {
  const text = raw.replace(/\r\n?/g, '\n');
  return isForeign(text) || isOpenComment(text)
    ? asWritten(text.trim())
    : compose(blocksOf(htmlTree(text)));
}
