import type { SearchFreshness, SearchOptions, SearchOutcome, SearchPort } from '../../../lib/types';
import { readDuckDuckGoPage } from './duckduckgo-page';
import { duckDuckGoRegion, type Locale } from './language';
import { queryWithSite } from './query';
import { durationText, requestMessage, statusMessage, textOf } from './reply';
import { readRows, toHit } from './rows';
import { serviceUrl, type ServiceOptions } from './service';

const NAME = 'DuckDuckGo';
/** DuckDuckGo refuses 500 characters and more (searxng/searxng, searx/engines/duckduckgo.py). */
const LIMITS = { chars: 499 };

const FRESHNESS: Record<SearchFreshness, string> = { day: 'd', week: 'w', month: 'm', year: 'y' };

/** Milliseconds between the beginnings of two requests. DuckDuckGo shuts out who asks faster than a person. */
const PACE_MS = 2_000;
/** Milliseconds a search waits for its turn; a round's eighth would wait 14 s. */
const MAX_WAIT_MS = 15_000;
/** Milliseconds without a request after the robot test was shown: asking on makes the block last longer (same source). */
const BLOCK_MS = 10 * 60_000;

export interface DuckDuckGoOptions extends ServiceOptions {
  locale: Locale;
  /** Runs a function later; the result cancels it. */
  after: (ms: number, run: () => void) => () => void;
}

/**
 * Web search through DuckDuckGo's page for browsers without JavaScript. It is no interface for programs: at most one request
 * in two seconds, and none for ten minutes after the page that asks whether one is human.
 */
export function createDuckDuckGoSearch(options: DuckDuckGoOptions): SearchPort {
  const { now } = options;
  /** When requests began or will begin, in order. */
  let turns: number[] = [];
  let blockedUntil = 0;
  const blocked = (): SearchOutcome => {
    const wait = durationText(Math.ceil((blockedUntil - now()) / 1_000));
    return {
      ok: false,
      message: `${NAME} takes Lam for a robot and shows a test instead of results; Lam asks it again in ${wait}`,
    };
  };
  /** The time at which this search may be sent; its turn is taken. Nothing = too many are waiting. */
  const takeTurn = (time: number): number | undefined => {
    // Further ahead than turns are ever given: the clock was set back.
    turns = turns.filter((turn) => turn > time - PACE_MS && turn <= time + MAX_WAIT_MS);
    let free = time;
    for (const turn of turns) if (turn < free + PACE_MS) free = Math.max(free, turn + PACE_MS);
    if (free > time + MAX_WAIT_MS) return undefined;
    turns = [...turns, free].sort((a, b) => a - b);
    return free;
  };
  /** A search that was stopped before it was sent leaves its turn to a later one. */
  const giveBack = (turn: number): void => {
    const place = turns.indexOf(turn);
    if (place !== -1) turns.splice(place, 1);
  };
  const isBlocked = (): boolean => {
    const left = blockedUntil - now();
    return left > 0 && left <= BLOCK_MS;
  };
  return async (query, signal, asked = {}) => {
    if (isBlocked()) return blocked();
    const time = now();
    const turn = takeTurn(time);
    if (turn === undefined)
      return fail(`${NAME} is asked at most once in 2 seconds and too many searches are waiting`);
    await pause(turn - time, options.after, signal);
    if (signal.aborted) giveBack(turn);
    if (isBlocked()) return blocked();
    const outcome = await ask(query, asked, options, signal);
    if (outcome !== 'blocked') return outcome;
    blockedUntil = now() + BLOCK_MS;
    return blocked();
  };
}

async function ask(
  query: string,
  asked: SearchOptions,
  { fetcher, locale, baseUrl, now }: DuckDuckGoOptions,
  signal: AbortSignal,
): Promise<SearchOutcome | 'blocked'> {
  const url = serviceUrl('html/', 'https://html.duckduckgo.com', baseUrl);
  const form = new URLSearchParams({
    q: queryWithSite(withoutBangs(query), asked, LIMITS),
    b: '', // sent by the form's button
    kl: duckDuckGoRegion(locale),
    df: asked.freshness === undefined ? '' : FRESHNESS[asked.freshness],
  });
  const result = await fetcher(
    {
      url: url.href,
      accept: 'text/html',
      onCap: 'fail',
      body: { text: form.toString(), contentType: 'application/x-www-form-urlencoded' },
    },
    signal,
  );
  if (!result.ok) return fail(requestMessage(result, NAME, url.host));
  const page = readDuckDuckGoPage(textOf(result), url);
  if (page.isTest || result.status === 403) return 'blocked';
  if (result.status < 200 || result.status >= 300)
    return fail(statusMessage(result.status, NAME, result.headers['retry-after'], now()));
  if (page.rows.length === 0 && !page.saysNothingFound)
    return fail(`${NAME} answered with a page without a list of results`);
  return readRows(
    page.rows,
    ({ title, url: to, snippet, date }) => toHit(title, to, snippet, date),
    { service: NAME, options: asked },
  );
}

/** `!w tea` and `\tea` would be redirected to another site: only the words are meant. */
function withoutBangs(query: string): string {
  return query.replace(/(?<!\S)[!\\]+/gu, '');
}

/** Ends early when the signal fires. */
function pause(ms: number, after: DuckDuckGoOptions['after'], signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

function fail(message: string): SearchOutcome {
  return { ok: false, message };
}
