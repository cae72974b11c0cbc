import type { Page, PageOutcome, PagePort } from '../../lib/types';
import { trustedCanonical } from './canonical';
import { charsetParameter, decodeText, type SniffHtmlCharset } from './charset';
import { MAX_BODY_BYTES, type Fetcher, type FetchFailure, type FetchResult } from './http';
import { layOutJson } from './json';
import { sniffMedia } from './media';
import type { PageReader, PageReading } from './page-reader';

const ACCEPT =
  'text/html,application/xhtml+xml;q=0.9,text/markdown;q=0.9,application/json;q=0.8,text/plain;q=0.8,*/*;q=0.5';

/** Characters of text below which a page with scripts is an application that draws itself in a browser. A title and "Loading…" fit; a stub article does not. */
const MIN_TEXT_CHARS = 80;
/** Characters up to which a sentence like "enable JavaScript" is the page, not a remark on it. */
const NOTICE_CHARS = 600;
/** JSON laid out may be this much longer than it came, in characters. */
const MAX_JSON_CHARS = 2 * MAX_BODY_BYTES;

const WANTS_SCRIPT =
  /\b(?:enable|activate|turn on|requires?|needs?) (?:your )?javascript\b|\bjavascript (?:is )?(?:disabled|required|not enabled|must be enabled)\b/i;
/** Titles of the pages that robot checks, fire walls and consent walls put in place of the one asked for. */
const WALL_TITLE =
  /^(?:just a moment|attention required|access denied|are you a (?:human|robot)|verify(?:ing)? you are human|one more step|pardon our interruption|before you continue|security check|ddos-guard|human verification)/i;

export interface PagePortOptions {
  fetcher: Fetcher;
  /** Called when the first HTML page arrives. */
  loadPageReader: () => PageReader;
  /** Asked for HTML without a charset in its header. */
  sniffHtml: SniffHtmlCharset;
}

/** Reads one web page: fetch, tell what it is, decode, and take out the readable text. */
export function createPagePort({ fetcher, loadPageReader, sniffHtml }: PagePortOptions): PagePort {
  let reader: PageReader | undefined;
  return async (url, signal) => {
    const result = await fetcher({ url, accept: ACCEPT }, signal);
    if (!result.ok) return { ok: false, status: FAILED[result.reason], message: result.message };
    const refusal = statusProblem(result);
    if (refusal !== undefined) return refusal;
    try {
      reader ??= loadPageReader();
      return await readBody(result, { reader, sniffHtml }, signal);
    } catch (error) {
      return unreadable(
        `${hostOf(result.url)} could not be read: ${error instanceof Error ? error.message : String(error)}.`,
      );
    }
  };
}

type Fetched = Extract<FetchResult, { ok: true }>;
type Failed = Extract<PageOutcome, { ok: false }>;

const FAILED: Record<FetchFailure, Failed['status']> = {
  refused: 'refused',
  'bad-url': 'refused',
  'timed-out': 'timed-out',
  'too-large': 'too-large',
  network: 'unreadable',
  tls: 'unreadable',
  'too-many-redirects': 'unreadable',
  aborted: 'unreadable',
};

function unreadable(message: string): Failed {
  return { ok: false, status: 'unreadable', message };
}

function statusProblem({ status, url, headers }: Fetched): Failed | undefined {
  const host = hostOf(url);
  const challenge = headers['cf-mitigated'] !== undefined;
  if (status === 404 || status === 410)
    return {
      ok: false,
      status: 'not-found',
      message: `There is no such page at ${host} (HTTP ${status}).`,
    };
  if (challenge)
    return {
      ok: false,
      status: 'blocked',
      message: `${host} wants proof that a person is reading (HTTP ${status}).`,
    };
  if (status === 401 || status === 403 || status === 407 || status === 451)
    return {
      ok: false,
      status: 'blocked',
      message: `${host} does not let Lam read this page (HTTP ${status}).`,
    };
  if (status === 429) {
    const wait = headers['retry-after'];
    const seconds = wait !== undefined && /^\d{1,6}$/.test(wait) ? ` for ${wait} seconds` : '';
    return {
      ok: false,
      status: 'blocked',
      message: `${host} asks for a pause${seconds}: too many requests (HTTP 429).`,
    };
  }
  if (status >= 500)
    return unreadable(`${host} has a problem of its own (HTTP ${status}); try again later.`);
  if (status >= 400) return unreadable(`${host} refused the request (HTTP ${status}).`);
  if (status < 200 || status >= 300)
    return unreadable(`${host} answered with HTTP ${status} and no page.`);
  return undefined;
}

async function readBody(
  result: Fetched,
  { reader, sniffHtml }: { reader: PageReader; sniffHtml: SniffHtmlCharset },
  signal: AbortSignal,
): Promise<PageOutcome> {
  const host = hostOf(result.url);
  if (result.bytes.length === 0) return unreadable(`The page at ${host} is empty.`);
  const media = sniffMedia(result.bytes, result.contentType);
  if (media.kind === 'binary')
    return unreadable(
      media.name === 'a PDF file'
        ? `PDF files cannot be read yet: ${nameOf(result.url)} at ${host} is one.`
        : `${nameOf(result.url)} at ${host} is ${media.name}, not a page with text.`,
    );
  if (media.kind === 'json' && result.cut)
    return {
      ok: false,
      status: 'too-large',
      message: `The JSON at ${host} is larger than ${MAX_BODY_BYTES / 1024 / 1024} MB; half of it would mislead.`,
    };
  const declared = charsetParameter(result.headers['content-type'] ?? '');
  const text = decodeText(
    result.bytes,
    {
      ...(declared === undefined ? {} : { declared }),
      syntax: media.kind === 'json' ? 'text' : media.kind,
      cut: result.cut,
    },
    sniffHtml,
  );
  if (media.kind === 'html') return await readHtml(text, result, reader, signal);
  const shown = media.kind === 'json' ? layOutJson(text, MAX_JSON_CHARS) : text;
  if (shown.trim() === '') return unreadable(`The page at ${host} is empty.`);
  return {
    ok: true,
    page: {
      title: nameOf(result.url),
      url: result.url,
      text: shown.replace(/\r\n?/g, '\n'),
      ...(result.cut ? { cut: true } : {}),
    },
  };
}

async function readHtml(
  html: string,
  result: Fetched,
  reader: PageReader,
  signal: AbortSignal,
): Promise<PageOutcome> {
  const outcome = await reader(html, result.url, signal);
  if (!outcome.ok) return unreadable(outcome.message);
  const { reading } = outcome;
  const problem = pageProblem(reading, result.url);
  if (problem !== undefined) return problem;
  const canonical = trustedCanonical(reading.canonical, result.url);
  const page: Page = {
    title: reading.title === '' ? nameOf(result.url) : reading.title,
    url: result.url,
    text: reading.text,
    ...(canonical === undefined ? {} : { canonical }),
    ...(result.cut || reading.cut ? { cut: true } : {}),
  };
  return { ok: true, page };
}

/** A page that arrived but is not the one a reader would see. */
function pageProblem({ title, text, scripts }: PageReading, url: string): Failed | undefined {
  const host = hostOf(url);
  if (text.length <= NOTICE_CHARS && WALL_TITLE.test(title))
    return {
      ok: false,
      status: 'blocked',
      message: `${host} shows a check or a consent page ("${title.slice(0, 60)}") instead of the page.`,
    };
  const bare = text.trim().length < MIN_TEXT_CHARS;
  if (scripts > 0 && (bare || (text.length <= NOTICE_CHARS && WANTS_SCRIPT.test(text))))
    return {
      ok: false,
      status: 'needs-browser',
      message: `The page at ${host} draws itself with scripts; without a browser there is no text to read.`,
    };
  return text.trim() === '' ? unreadable(`The page at ${host} has no text.`) : undefined;
}

function hostOf(url: string): string {
  return new URL(url).host;
}

/** A name for what has no title: the last part of its path, or its host. */
function nameOf(url: string): string {
  const { pathname, host } = new URL(url);
  const last = pathname.split('/').findLast((part) => part !== '') ?? '';
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // Percent signs that encode nothing stay as they are.
  }
  // A decoded name may hold line ends; a title is one line.
  return name.replace(/\s+/g, ' ').trim() || host;
}
