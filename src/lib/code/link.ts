import { decodeString } from 'micromark-util-decode-string';

import type { Source } from '../types';

/** White space, control characters, `<`, `>` and `\` end or break a link destination, or hide where it leads. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAFE = /[\s<>\\\u0000-\u001F\u007F-\u009F]/;

/** Direction marks can make an address read as another one. */
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/;

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const PATH = /^\/[^<>\\\u0000-\u001F\u007F-\u009F]*$/;

/** Half of a surrogate pair: what is handed to the system would be another address. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Whether the pane may open this source: `http:` or `https:` with nothing unsafe in it, or the absolute path of a
 * document that Lam registered itself (`kind: "document"`), every character of it whole. Everything else stays text.
 */
export function isOpenable(source: Pick<Source, 'url' | 'kind'>): boolean {
  if (source.kind === 'document') {
    return PATH.test(source.url) && !LONE_SURROGATE.test(source.url);
  }
  return isWebAddress(source.url);
}

/** Whether `url` is an http(s) address with nothing unsafe in it. */
export function isWebAddress(url: string): boolean {
  return (
    /^https?:\/\/[^/?#]/i.test(url) &&
    !UNSAFE.test(url) &&
    !BIDI.test(url) &&
    !LONE_SURROGATE.test(url) &&
    URL.canParse(url)
  );
}

/**
 * Links the pane may open. Everything else would start whatever program claims the scheme, without a question. A mail link
 * is its address only: some mail programs attach files that a parameter names, and take a line break (`%0A`) for a header.
 */
export function opensInPane(destination: string): boolean {
  return (
    isWebAddress(destination) ||
    (/^mailto:[^\s<>\\@?%]+@[^\s<>\\@?%]+$/i.test(destination) && !BIDI.test(destination))
  );
}

/** What would break a line, turn text around or not be seen. */
const UNSHOWN = /[^\P{C}\p{Cs}]|[\p{Zl}\p{Zp}]/gu;

/** An address as text that can be read: one line, what is not seen percent-encoded. */
export function shownAddress(destination: string): string {
  return destination.replace(UNSHOWN, encodeURIComponent);
}

/** Pairs of parentheses in each other that the parsers read in a destination; cmark and micromark both stop there. */
const MAX_NESTING = 32;

/**
 * Percent-encodes the parentheses that would end a destination: CommonMark does it at one without a partner, its parsers at
 * nesting beyond a limit (then all are encoded, as no pair is more at fault than another).
 */
function encodeParentheses(url: string): string {
  const open: number[] = [];
  const lone = new Set<number>();
  const depths: number[] = [0];
  let deepest = 0;
  for (let i = 0; i < url.length; i++) {
    if (url[i] === '(') {
      open.push(i);
      depths.push(0);
    } else if (url[i] === ')') {
      if (open.pop() === undefined) {
        lone.add(i);
        continue;
      }
      const inside = (depths.pop() ?? 0) + 1;
      depths.push(Math.max(depths.pop() ?? 0, inside));
      deepest = Math.max(deepest, inside);
    }
  }
  for (const i of open) lone.add(i);
  const all = deepest > MAX_NESTING;
  if (lone.size === 0 && !all) return url;
  return url.replace(/[()]/g, (paren, at: number) =>
    all || lone.has(at) ? (paren === '(' ? '%28' : '%29') : paren,
  );
}

/**
 * The least encoding that CommonMark needs for a destination: quotation mark, pipe (ends a table cell) and backtick
 * (opens a code span before links are seen) are percent-encoded, parentheses only without a partner or nested too deep, an
 * ampersand is written as an entity only where it would form one. An existing `%` is never encoded again.
 */
function encodeDestination(url: string): string {
  return encodeParentheses(url)
    .replaceAll('"', '%22')
    .replaceAll('|', '%7C')
    .replaceAll('`', '%60')
    .replace(/&(?=#?\w{1,32};)/g, (ampersand, at: number, whole: string) => {
      const reference = /^&#?\w{1,32};/.exec(whole.slice(at, at + 36))?.[0] ?? '';
      return decodeString(reference) === reference ? ampersand : '&amp;';
    });
}

/** The address a parser reads back from the link that `markdownLink` writes for `url`. */
export function emittedAddress(url: string): string {
  return decodeString(encodeDestination(url));
}

/**
 * A link as Markdown. `label` is Markdown already (escape it yourself); `url` is a plain address.
 * A path with white space stands in angle brackets, because `%20` would name another file.
 */
export function markdownLink(label: string, url: string): string {
  const encoded = encodeDestination(url);
  return `[${label}](${/\s/.test(url) ? `<${encoded}>` : encoded})`;
}

/** Plain text as Markdown that shows exactly this text on one line: everything Markdown or HTML acts on is escaped. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>()#+!|~$&]/g, '\\$&')
    .replace(/^(\s*)([-=])/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])/, '$1\\$2');
}
