import type { SearchHit, SearchOptions, SearchOutcome } from '../../../lib/types';
import { given } from './query';

/** Hits handed to the model when it asks for no number: enough to choose from, few enough to read. */
export const MAX_HITS = 8;
/** Code points of a title and of a snippet. Longer ones are cut with an ellipsis. */
const MAX_TITLE = 200;
const MAX_CONTENT = 500;
/** Code points of a date in a service's own words. */
const MAX_DATE = 40;

/** A hit with one-line texts and an address that is http(s) or empty. `date`: as the service sends it, if it does. */
export function toHit(
  title: string,
  url: string,
  content: string,
  date?: string | null,
): SearchHit {
  const usable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  const day = dayOf(date ?? '');
  return {
    title: shorten(oneLine(title), MAX_TITLE),
    url: usable ? url.trim() : '',
    content: shorten(oneLine(content), MAX_CONTENT),
    ...(day === '' ? {} : { date: day }),
  };
}

/** `2026-03-14` of a time in ISO form or in that of HTTP (`Sat, 14 Mar 2026 …`); anything else in its own words. */
function dayOf(date: string): string {
  const text = shorten(oneLine(date), MAX_DATE);
  const iso = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0];
  if (iso !== undefined) return iso;
  const time = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? text : new Date(time).toISOString().slice(0, 10);
}

interface RowOptions {
  /** The service's name in sentences. */
  service: string;
  options: SearchOptions;
  /** Options that the service lacks. */
  lacks?: readonly ('site' | 'freshness')[];
}

/**
 * The outcome of a list of rows. A row that cannot be read (`read` gives nothing) is left out and its neighbours stay; a
 * list in which nothing can be read is a failure, not "nothing found".
 */
export function readRows<Row>(
  rows: readonly Row[],
  read: (row: Row) => SearchHit | undefined,
  { service, options, lacks = [] }: RowOptions,
): SearchOutcome {
  const hits = rows.flatMap((row) => {
    const hit = read(row);
    return hit === undefined ? [] : [hit];
  });
  const kept = worthwhile(hits).slice(0, options.count ?? MAX_HITS);
  if (rows.length > 0 && kept.length === 0)
    return { ok: false, message: `${service} sent results that cannot be read` };
  const ignored = given(options, lacks);
  return { ok: true, hits: kept, ...(ignored.length === 0 ? {} : { ignored }) };
}

/** Without repeats of an address and without rows that say nothing. */
function worthwhile(hits: readonly SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  return hits.filter(({ title, url, content }) => {
    if (title === '' && content === '') return false;
    if (url === '') return true;
    if (seen.has(url)) return false;
    seen.add(url);
    return true;
  });
}

/** The text of a snippet that comes as HTML: tags out, entities of HTML's own escaping decoded. */
export function snippetText(html: string): string {
  return decodeEntities(html.replace(/<\/?[a-z][^<>]*>/gi, ''));
}

/** Entities of HTML's own escaping decoded; others stay as written. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, entity);
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
