import { decodeString } from 'micromark-util-decode-string';

/** Draws nothing, takes no room, and is no white space to any parser. */
export const ZERO_WIDTH_SPACE = '\u200B';

/** Keeps two lines of a paragraph apart. */
export const HARD_BREAK = '  \n';

/** Text with its entities decoded. What no honest text holds is replaced, as everywhere in the pane's text. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return (
    text
      .replace(/&#?[a-z\d]{1,31};/gi, (reference) => decodeString(reference))
      .replace(/\r\n?/g, '\n')
      .replaceAll('\uFEFF', ZERO_WIDTH_SPACE)
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      .replace(/[\u0000-\u0008\v\f\u000E-\u001F\u007F]/g, '\uFFFD')
  );
}

/** Text as Markdown in which nothing acts, inside a line. An exclamation mark at its end could make an image of a link. */
export const escapeText = (text: string): string => text.replace(/[<>&\\`*_[\]~$|]|!$/g, '\\$&');

/** A line of inline Markdown as a line that begins no heading, list, rule, table or HTML block. */
export function guardLine(line: string): string {
  return line
    .replace(/^(?=[#+\-=:])/, '\\')
    .replace(/^(\d{1,9})(?=[.)])/, '$1\\')
    .replace(/^(?=<[^>]*>(?![\p{L}\p{N}]))/u, ZERO_WIDTH_SPACE);
}

const longestRun = (text: string, run: RegExp): number =>
  Math.max(0, ...(text.match(run) ?? []).map(({ length }) => length));

/** cmark-gfm gives up on longer runs of backticks. */
const MAX_RUN = 80;

const withoutLongRuns = (code: string): string =>
  code.replace(
    /(`{80})(`+)/g,
    (_run, kept: string, rest: string) => kept + 'ˋ'.repeat(rest.length),
  );

/** Code inside a line. Every byte is kept but line endings, which become spaces. */
export function codeSpan(text: string): string {
  const line = withoutLongRuns(text.replace(/\s*\n\s*/g, ' '));
  if (line.trim() === '') return line;
  const lengths = new Set((line.match(/`+/g) ?? []).map(({ length }) => length));
  let length = 1;
  while (lengths.has(length)) length++;
  const fence = '`'.repeat(length);
  const isPadded = /^`|`$|^ .* $/.test(line);
  const pad = isPadded ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Code as a block of its own. Every byte is kept. */
export function codeBlock(code: string, language = ''): string {
  const kept = withoutLongRuns(code);
  const info = /^[\w+#.-]{1,30}$/.test(language) ? language : '';
  const backticks = longestRun(kept, /`+/g);
  const tildes = longestRun(kept, /~+/g);
  const fence =
    backticks < MAX_RUN
      ? '`'.repeat(Math.max(3, backticks + 1))
      : '~'.repeat(Math.max(3, tildes + 1));
  return `${fence}${info}\n${kept}\n${fence}`;
}
