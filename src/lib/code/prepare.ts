/** Container markers of a line beyond which nesting is drawn as text. The launcher's parser and ours differ in such depths. */
const DEEP_LINE = /^((?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){100})(.*)$/gm;

/** Look-alikes that mean nothing in Markdown, each one UTF-16 unit like the original. */
const LOOKALIKE: Partial<Record<string, string>> = {
  '>': '›',
  '<': '‹',
  '-': '‐',
  '+': '＋',
  '*': '∗',
  '[': '［',
  ']': '］',
  '`': 'ˋ',
  '.': '․',
  ')': '）',
};

/** Runs of backticks or tildes beyond 80: cmark-gfm gives up on longer code spans, and counts fences in eight bits. */
const LONG_RUN = /(`{80}|~{80})([`~]+)/g;

/**
 * A text as both parsers read alike, offsets unchanged. What they differ in stands in no honest answer: control
 * characters, a byte order mark (which one of them drops, turning text into code), a carriage return alone, runs of
 * backticks beyond 80, nesting beyond a hundred. Whoever decides something about an answer scans this text and applies the edits
 * to the original.
 */
export function prepare(markdown: string): string {
  return (
    markdown
      .replaceAll('\uFEFF', '\u200B')
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      .replace(/[\u0000-\u0008\v\f\u000E-\u001F\u007F]/g, '\uFFFD')
      .replace(/\r(?!\n)/g, '\n')
      .replace(LONG_RUN, (_run, kept: string, rest: string) => kept + 'ˋ'.repeat(rest.length))
      .replace(
        DEEP_LINE,
        (_line, markers: string, rest: string) =>
          markers + rest.replace(/[><\-+*[\]`.)]/g, (char) => LOOKALIKE[char] ?? char),
      )
  );
}
