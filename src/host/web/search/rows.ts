import type { SearchHit, SearchOutcome } from '../../../lib/types';

/** Hits handed to the model: enough to choose from, few enough to read. */
export const MAX_HITS = 8;
/** Code points of a title and of a snippet. Longer ones are cut with an ellipsis. */
const MAX_TITLE = 200;
const MAX_CONTENT = 500;

/** A hit with one-line texts and an address that is http(s) or empty. */
export function toHit(title: string, url: string, content: string): SearchHit {
  const usable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return {
    title: shorten(oneLine(title), MAX_TITLE),
    url: usable ? url.trim() : '',
    content: shorten(oneLine(content), MAX_CONTENT),
  };
}

/** At most MAX_HITS hits, without repeats of an address and without rows that say nothing. */
export function toOutcome(hits: SearchHit[]): SearchOutcome {
  const seen = new Set<string>();
  const kept = hits.filter(({ title, url, content }) => {
    if (title === '' && content === '') return false;
    if (url === '') return true;
    if (seen.has(url)) return false;
    seen.add(url);
    return true;
  });
  return { ok: true, hits: kept.slice(0, MAX_HITS) };
}

/** The text of a snippet that comes as HTML: tags out, entities of HTML's own escaping decoded. */
export function snippetText(html: string): string {
  return html
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, entity);
}

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

function entity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const valid = code > 0 && code <= 0x10_ff_ff && (code < 0xd800 || code > 0xdfff);
  return valid ? String.fromCodePoint(code) : whole;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function shorten(text: string, limit: number): string {
  const points = Array.from(text);
  return points.length <= limit
    ? text
    : `${points
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`;
}
