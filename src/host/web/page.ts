import type { PageOutcome, PagePort } from '../../lib/types';
import { trustedCanonical } from './canonical';
import { charsetParameter, decodeText, type SniffHtmlCharset } from './charset';
import { MAX_BODY_BYTES, type Fetcher, type FetchFailure, type FetchResult } from './http';
import { isPdfType, sniffMedia, type Media } from './media';
import type { PageReader, PageSyntax } from './page-reader';
import { pdfPage } from './pdf-page';
import type { PdfReader } from './pdf-reader';
import { findWall, isChallenge } from './walls';

const ACCEPT =
  'text/html,application/xhtml+xml;q=0.9,text/markdown;q=0.9,application/pdf;q=0.8,application/json;q=0.8,text/plain;q=0.8,*/*;q=0.5';

/** Bytes of a PDF file: text of some thousand pages, or a paper with pictures. */
const MAX_PDF_BYTES = 16 * 1024 * 1024;
/** https://www.jsonfeed.org/version/1.1/: the version, near the beginning as every program writes it. */
const JSON_FEED = /^[\s\S]{0,4000}"version"\s*:\s*"https?:\/\/(?:www\.)?jsonfeed\.org\/version\//;

export interface PagePortOptions {
  fetcher: Fetcher;
  /** Called when the first HTML page arrives. */
  loadPageReader: () => PageReader;
  /** Called when the first PDF file arrives. */
  loadPdfReader: () => PdfReader;
  /** Asked for HTML without a charset in its header. */
  sniffHtml: SniffHtmlCharset;
}

/** Reads one web page: fetch, tell what it is, decode, and take out the readable text. */
export function createPagePort({
  fetcher,
  loadPageReader,
  loadPdfReader,
  sniffHtml,
}: PagePortOptions): PagePort {
  let page: PageReader | undefined;
  let pdf: PdfReader | undefined;
  const readers: Readers = {
    page: () => (page ??= loadPageReader()),
    pdf: () => (pdf ??= loadPdfReader()),
    sniffHtml,
  };
  return async (url, signal) => {
    const larger = { isType: isPdfType, maxBytes: MAX_PDF_BYTES };
    const first = await fetcher({ url, accept: ACCEPT, larger }, signal);
    // Only the body tells a PDF file that is not called one.
    const isAskedAgain = first.ok && first.cut && mediaOf(first).kind === 'pdf';
    const asked = isAskedAgain
      ? await fetcher({ url, accept: ACCEPT, maxBytes: MAX_PDF_BYTES, onCap: 'fail' }, signal)
      : first;
    if (!asked.ok) return { ok: false, status: FAILED[asked.reason], message: asked.message };
    const refusal = statusProblem(asked);
    if (refusal !== undefined) return refusal;
    const isPdf = mediaOf(asked).kind === 'pdf';
    if (isAskedAgain && !isPdf)
      return {
        ok: false,
        status: 'too-large',
        message: `${hostOf(asked.url)} sent a large PDF file, and something else when it was asked for the whole of it.`,
      };
    const result = isPdf ? asked : withinPageCap(asked);
    try {
      // A part that nobody asked for is not the page.
      const whole = result.status !== 206;
      return await readBody(whole ? result : { ...result, cut: true }, readers, signal);
    } catch (error) {
      return unreadable(
        `${hostOf(result.url)} could not be read: ${error instanceof Error ? error.message : String(error)}.`,
      );
    }
  };
}

type Fetched = Extract<FetchResult, { ok: true }>;

/** What is called a PDF file and is none has no right to the room of one. */
function withinPageCap(result: Fetched): Fetched {
  if (result.bytes.length <= MAX_BODY_BYTES) return result;
  return { ...result, bytes: result.bytes.subarray(0, MAX_BODY_BYTES), cut: true };
}

function mediaOf({ bytes, contentType, headers, url }: Fetched): Media {
  const charset = charsetParameter(headers['content-type'] ?? '');
  return sniffMedia(bytes, contentType, { path: new URL(url).pathname, charset });
}

type Failed = Extract<PageOutcome, { ok: false }>;

const FAILED: Record<FetchFailure, Failed['status']> = {
  refused: 'refused',
  'bad-url': 'refused',
  'timed-out': 'timed-out',
  'too-large': 'too-large',
  network: 'unreadable',
  'no-site': 'unreadable',
  tls: 'unreadable',
  'too-many-redirects': 'unreadable',
  aborted: 'unreadable',
};

function unreadable(message: string): Failed {
  return { ok: false, status: 'unreadable', message };
}

/** Bytes of a refusal that are searched for the marks of a robot check. */
const REFUSAL_BYTES = 64 * 1024;

function statusProblem({ status, url, headers, bytes }: Fetched): Failed | undefined {
  const host = hostOf(url);
  const body = (): string => Buffer.from(bytes.subarray(0, REFUSAL_BYTES)).toString('latin1');
  const challenge =
    headers['cf-mitigated'] !== undefined ||
    headers['x-amzn-waf-action'] !== undefined ||
    (status >= 400 && (headers['x-datadome'] !== undefined || isChallenge(body())));
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
  if (status === 401)
    return {
      ok: false,
      status: 'blocked',
      message: `${host} asks to sign in before it shows this page (HTTP 401).`,
    };
  if (status === 402 || status === 403 || status === 407 || status === 451)
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
      isPassing: true,
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

interface Readers {
  page: () => PageReader;
  pdf: () => PdfReader;
  sniffHtml: SniffHtmlCharset;
}

async function readBody(
  result: Fetched,
  readers: Readers,
  signal: AbortSignal,
): Promise<PageOutcome> {
  const { url } = result;
  const host = hostOf(url);
  if (result.bytes.length === 0) return unreadable(`The page at ${host} is empty.`);
  const media = mediaOf(result);
  if (media.kind === 'binary')
    return unreadable(
      `${placeOf(url)} is ${media.name}${media.name.includes(',') ? '' : ', not a page with text'}.`,
    );
  if (media.kind === 'pdf') {
    const outcome = await readers.pdf()(result.bytes, signal);
    return outcome.ok
      ? pdfPage(outcome.reading, { name: nameOf(url), url, torn: result.cut })
      : unreadable(outcome.message);
  }
  const text = decoded(result, media.kind, readers.sniffHtml);
  if (text.trim() === '') return unreadable(`The page at ${host} is empty.`);
  if (media.kind === 'html') return await readHtml(text, result, readers.page(), signal);
  if (media.kind === 'text') return textPage({ title: '', text, cut: false }, result);
  const syntax = media.kind === 'json' ? jsonSyntax(text, result.cut) : media.kind;
  const outcome = await readers.page()(text, url, signal, syntax);
  return outcome.ok ? textPage(outcome.reading, result) : unreadable(outcome.message);
}

function jsonSyntax(text: string, torn: boolean): PageSyntax {
  if (torn) return 'torn-json';
  return JSON_FEED.test(text) ? 'json-feed' : 'json';
}

function decoded(
  { bytes, headers, cut }: Fetched,
  kind: 'html' | 'xml' | 'json' | 'csv' | 'text',
  sniffHtml: SniffHtmlCharset,
): string {
  const declared = charsetParameter(headers['content-type'] ?? '');
  const syntax = kind === 'html' || kind === 'xml' ? kind : 'text';
  return decodeText(
    bytes,
    { ...(declared === undefined ? {} : { declared }), syntax, cut },
    sniffHtml,
  );
}

function textPage(
  { title, text, cut }: { title: string; text: string; cut: boolean },
  result: Fetched,
): PageOutcome {
  if (text.trim() === '') return unreadable(`The page at ${hostOf(result.url)} has no text.`);
  return {
    ok: true,
    page: {
      title: title === '' ? nameOf(result.url) : title,
      url: result.url,
      text: text.replace(/\r\n?/g, '\n'),
      ...(result.cut || cut ? { cut: true } : {}),
    },
  };
}

async function readHtml(
  html: string,
  result: Fetched,
  reader: PageReader,
  signal: AbortSignal,
): Promise<PageOutcome> {
  const { url, hops } = result;
  const outcome = await reader(html, url, signal);
  if (!outcome.ok) return unreadable(outcome.message);
  const { title, text, canonical, cut, scripts } = outcome.reading;
  const wall = findWall({ asked: hops[0] ?? url, url, title, text, html, scripts });
  if (wall !== undefined) return { ok: false, ...wall };
  const page = textPage({ title, text, cut }, result);
  const trusted = trustedCanonical(canonical, url);
  if (page.ok && trusted !== undefined) page.page.canonical = trusted;
  return page;
}

function hostOf(url: string): string {
  return new URL(url).host;
}

/** Which file it is, and where; the host alone if the address names no file. */
function placeOf(url: string): string {
  const [name, host] = [nameOf(url), hostOf(url)];
  return name === host ? `What ${host} sent` : `${name} at ${host}`;
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
