import { decodeEntities, snippetText } from './rows';

/** One row of DuckDuckGo's page. */
interface DuckDuckGoRow {
  title: string;
  /** Where the row leads, without DuckDuckGo's own redirect. */
  url: string;
  snippet: string;
  /** ISO; of few rows. */
  date?: string;
}

interface DuckDuckGoPage {
  rows: DuckDuckGoRow[];
  /** The page says in its own form that nothing was found. */
  saysNothingFound: boolean;
  /** The page asks whether one is human. */
  isTest: boolean;
}

/** Rows that are read; a page has ten to thirty. */
const MAX_ROWS = 40;

const TAG = /<(\w+)\s([^<>]*)>/g;

/**
 * Reads the page by the class names of its elements, each tag once. A parser of HTML would double the size of the command
 * for this one page.
 *
 * ```html
 * <div class="result results_links web-result">
 *   <a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F&amp;rut=…">Title</a>
 *   <a class="result__url" href="…">a.example</a> <span>&nbsp; 2026-03-14T00:00:00.0000000</span>
 *   <a class="result__snippet" href="…">Some <b>words</b></a>
 * ```
 */
export function readDuckDuckGoPage(html: string, base: URL): DuckDuckGoPage {
  const page: DuckDuckGoPage = { rows: [], saysNothingFound: false, isTest: false };
  let isAd = false;
  for (const match of html.matchAll(TAG)) {
    const [tag, name = '', attributes = ''] = match;
    const classes = attribute(attributes, 'class').split(/\s+/);
    const end = match.index + tag.length;
    if (classes.some((each) => each.startsWith('anomaly-modal'))) page.isTest = true;
    if (attribute(attributes, 'id') === 'challenge-form') page.isTest = true;
    if (classes.includes('no-results') || classes.includes('result--no-result'))
      page.saysNothingFound = true;
    if (classes.includes('result')) isAd = classes.includes('result--ad');
    if (isAd || page.rows.length > MAX_ROWS) continue;
    const row = page.rows.at(-1);
    if (classes.includes('result__a')) {
      const url = target(decodeEntities(attribute(attributes, 'href')), base);
      if (url !== undefined)
        page.rows.push({ title: textUntil(html, end, name), url, snippet: '' });
    } else if (row?.snippet === '' && classes.includes('result__snippet')) {
      row.snippet = textUntil(html, end, name);
    } else if (row !== undefined && classes.includes('result__url')) {
      const date = DATE.exec(html.slice(end, end + DATE_WITHIN))?.[1];
      if (date !== undefined) row.date = date;
    }
  }
  return page;
}

/** Characters behind the tag of a row's address in which its date stands: that address, and some white space. */
const DATE_WITHIN = 600;
const DATE = /<span>(?:&nbsp;|\s)*(\d{4}-\d{2}-\d{2})T/;

function attribute(attributes: string, name: 'class' | 'href' | 'id'): string {
  const found = ATTRIBUTES[name].exec(attributes);
  return found?.[1] ?? found?.[2] ?? '';
}

const ATTRIBUTES = {
  class: /(?:^|\s)class=(?:"([^"]*)"|'([^']*)')/,
  href: /(?:^|\s)href=(?:"([^"]*)"|'([^']*)')/,
  id: /(?:^|\s)id=(?:"([^"]*)"|'([^']*)')/,
};

/** Characters of an element's content that are looked at. */
const MAX_TEXT = 8_000;

function textUntil(html: string, start: number, name: string): string {
  const content = html.slice(start, start + MAX_TEXT);
  const end = content.indexOf(`</${name}>`);
  return snippetText(end < 0 ? '' : content.slice(0, end))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Where a link of the page leads; nothing for an advertisement, whose links go through `/y.js`. */
function target(href: string, base: URL): string | undefined {
  if (href === '' || !URL.canParse(href, base.href)) return undefined;
  const url = new URL(href, base.href);
  if (!/(?:^|\.)duckduckgo\.com$/.test(url.hostname)) return url.href;
  if (url.pathname === '/y.js') return undefined;
  return url.pathname === '/l/' ? (url.searchParams.get('uddg') ?? undefined) : url.href;
}
