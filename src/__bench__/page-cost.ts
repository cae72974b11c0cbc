import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import * as z from 'zod/mini';

import { markdownWords, pageFixtures, wordScore, wordsOf } from '../__tests__/support/word-score';
import { startWebServer } from '../__tests__/support/web-server';
import { sniffHtmlCharset } from '../host/web/html-charset';
import { createFetcher } from '../host/web/http';
import { createPagePort } from '../host/web/page';
import { loadPageReader } from '../host/web/page-reader';
import { loadPdfReader } from '../host/web/pdf-reader';
import { executeTool } from '../lib/tools';

import { median } from './statistics';

const ASSETS = fileURLToPath(new URL('../../assets', import.meta.url));
const URL_A = 'https://site.example/page';
const RUNS = 5;

const isFunction = (value: unknown): boolean => typeof value === 'function';
const { readPage } = z
  .object({ readPage: z.custom<(html: string, url: string) => unknown>(isFunction) })
  .parse(createRequire(`${ASSETS}/`)('./page.js'));
const TextSchema = z.object({ text: z.string() });

/** Readability on linkedom as their own documentation puts them together, and nothing else. */
const require_ = createRequire(import.meta.url);
const { parseHTML } = z
  .object({ parseHTML: z.custom<(html: string) => { document: unknown }>(isFunction) })
  .parse(require_('linkedom'));
const { Readability } = z
  .object({
    Readability: z.custom<new (document: unknown) => { parse: () => unknown }>(isFunction),
  })
  .parse(require_('@mozilla/readability'));
const ArticleSchema = z.nullable(z.object({ textContent: z.nullable(z.string()) }));

const subjects: readonly { name: string; words: (html: string) => string[] }[] = [
  {
    name: 'Lam (Markdown)',
    words: (html) => markdownWords(TextSchema.parse(readPage(html, URL_A)).text),
  },
  {
    name: 'readability on linkedom (plain text)',
    words: (html) =>
      wordsOf(
        ArticleSchema.parse(new Readability(parseHTML(html).document).parse())?.textContent ?? '',
      ),
  },
];

/** What one way of reading pages costs and gives. */
export interface PageCost {
  subject: string;
  /** Millions of UTF-16 units of HTML a second. */
  speed: number;
  /** Mean word F1 over the pages, and the least. */
  f1: number;
  least: number;
}

/** The twenty pages of the fixtures through both; they take turns. Each page is read `copies` times as long as it is. */
export function pageCosts(): PageCost[] {
  const pages = pageFixtures();
  const long = pages.map(({ html }) => lengthen(html, 50_000));
  const size = long.reduce((sum, { length }) => sum + length, 0);
  const times = subjects.map((): number[] => []);
  for (const { words } of subjects) long.forEach(words); // warms the code up
  for (let run = 0; run < RUNS; run += 1)
    for (const [s, { words }] of subjects.entries()) {
      const before = performance.now();
      long.forEach(words);
      times[s]?.push(performance.now() - before);
    }
  return subjects.map(({ name, words }, s) => {
    const scores = pages.map(({ html, wanted }) => wordScore(words(html), wanted).f1);
    return {
      subject: name,
      speed: size / median(times[s] ?? []) / 1000,
      f1: scores.reduce((sum, score) => sum + score, 0) / scores.length,
      least: Math.min(...scores),
    };
  });
}

/** A page of about that length: what stands in its body, repeated. */
function lengthen(html: string, length: number): string {
  const start = html.indexOf('>', html.indexOf('<body')) + 1;
  const end = html.lastIndexOf('</body>');
  const body = html.slice(start, end);
  const copies = Math.max(1, Math.round((length - html.length + body.length) / body.length));
  return html.slice(0, start) + body.repeat(copies) + html.slice(end);
}

/**
 * Milliseconds from the last byte of a page of 200 KB to the result of the tool call, and of the reading of the same page
 * without a thread, a server or a tool: how much of it is the way there.
 */
export async function lastByteToResult(): Promise<{ wait: number; reading: number }> {
  const html = lengthen(pageFixtures().find(({ name }) => name === 'news')?.html ?? '', 200_000);
  let sent = 0;
  const server = await startWebServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html, () => {
      sent = performance.now();
    });
  });
  try {
    const fetchPage = createPagePort({
      fetcher: createFetcher({ userAgent: 'Lam-bench', allowLoopback: [server.hostAndPort] }),
      loadPageReader: () => loadPageReader(ASSETS),
      loadPdfReader: () => loadPdfReader(ASSETS),
      sniffHtml: sniffHtmlCharset,
    });
    const waits: number[] = [];
    const readings: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const result = await executeTool(
        'web_fetch',
        { url: `${server.origin}/${run}` },
        {
          fetchPage,
          search: () => Promise.resolve({ ok: true, hits: [] }),
          boundary: () => 'quartz',
        },
      );
      if (result.isError) throw new Error(result.content);
      waits.push(performance.now() - sent);
      const before = performance.now();
      readPage(html, URL_A);
      readings.push(performance.now() - before);
    }
    return { wait: median(waits), reading: median(readings) };
  } finally {
    await server.close();
  }
}
