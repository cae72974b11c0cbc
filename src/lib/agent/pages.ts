import { createSourceList } from '../citations';
import type { Page, PageOutcome, PagePort } from '../types';

/** Pages that are fetched at once: as many as help on a home connection, few enough not to look like an attack. */
const MAX_FETCHES = 3;

/** Characters (UTF-16 units) of the pages that a turn keeps: some of the longest that are read. The oldest leave first. */
const MAX_KEPT_CHARS = 8_000_000;

/** Pages of one host that may time out in a turn; the next ones are not asked for. Eight of them would take minutes. */
const MAX_TIME_OUTS = 2;

/**
 * Failures that say something of the page itself, so that asking again within a turn would give the same, unless they are
 * said to pass ("too many requests"). The others may be the network's.
 */
const LASTING: ReadonlySet<Extract<PageOutcome, { ok: false }>['status']> = new Set([
  'blocked',
  'needs-browser',
  'not-found',
  'refused',
  'too-large',
]);

/** The pages of one turn. */
export interface TurnPages {
  /**
   * The port with the turn's manners: a page that was read is not fetched again, at most `MAX_FETCHES` pages are fetched at
   * once and one of a host, the others wait in order. Waiting ends when the port heeds the signal. As `PagePort` else; a port
   * that rejects makes it reject.
   */
  through(fetchPage: PagePort): PagePort;
}

export function createTurnPages(): TurnPages {
  const kept = createKeptPages();
  const queue = createQueue();
  const running = new Map<string, Promise<PageOutcome>>();
  const timeOuts = new Map<string, number>();

  const fetchNow = async (
    url: string,
    signal: AbortSignal,
    fetchPage: PagePort,
  ): Promise<PageOutcome> => {
    const host = hostOf(url);
    const outcome = await queue.run(host, signal, async () => {
      // Something else may have been redirected to this address while it waited.
      const known = kept.find(url);
      if (known) return known;
      const before = timeOuts.get(host) ?? 0;
      if (before >= MAX_TIME_OUTS) return notAskedAgain(host);
      const fetched = await fetchPage(url, signal);
      if (!fetched.ok && fetched.status === 'timed-out') timeOuts.set(host, before + 1);
      kept.keep(url, fetched);
      return fetched;
    });
    return outcome ?? STOPPED;
  };

  return {
    through: (fetchPage) => (url, signal) => {
      const known = kept.find(url);
      if (known) return Promise.resolve(known);
      const address = withoutFragment(url);
      // Two parts of one page, asked for at once.
      const going = running.get(address);
      if (going) return going;
      const fetching = fetchNow(url, signal, fetchPage).finally(() => running.delete(address));
      running.set(address, fetching);
      return fetching;
    },
  };
}

const STOPPED: PageOutcome = {
  ok: false,
  status: 'unreadable',
  message: 'The request was stopped.',
};

function notAskedAgain(host: string): PageOutcome {
  return {
    ok: false,
    status: 'timed-out',
    message: `${host} did not answer in time ${MAX_TIME_OUTS} times in this turn and was not asked again.`,
  };
}

/**
 * Pages by what makes two addresses one page for the numbers too, redirects included. A canonical address does not count:
 * the second page of a list often names the first. Failures by their exact address: http may work where https does not.
 */
function createKeptPages() {
  const keys = createSourceList();
  const pages = new Map<number, Page>();
  const failures = new Map<string, PageOutcome>();
  let chars = 0;

  const drop = (key: number): void => {
    chars -= pages.get(key)?.text.length ?? 0;
    pages.delete(key);
  };

  return {
    find(url: string): PageOutcome | undefined {
      const page = pages.get(keys.indexOf(url));
      return page ? { ok: true, page } : failures.get(withoutFragment(url));
    },
    keep(url: string, outcome: PageOutcome): void {
      if (!outcome.ok) {
        if (LASTING.has(outcome.status) && outcome.isPassing !== true)
          failures.set(withoutFragment(url), outcome);
        return;
      }
      const { page } = outcome;
      const { index } = keys.add('', url, { redirects: [page.url] });
      if (index === 0) return;
      drop(index);
      pages.set(index, page);
      chars += page.text.length;
      for (const oldest of pages.keys()) {
        if (chars <= MAX_KEPT_CHARS) break;
        drop(oldest);
      }
    },
  };
}

/** Who waits for a host to be free. */
interface Ticket {
  host: string;
  start: () => void;
}

/** Runs `MAX_FETCHES` works at once and one of a host; the others wait in order. */
function createQueue() {
  const waiting: Ticket[] = [];
  const busy = new Set<string>();

  const startNext = (): void => {
    for (const ticket of [...waiting]) {
      if (busy.size >= MAX_FETCHES) return;
      if (busy.has(ticket.host)) continue;
      waiting.splice(waiting.indexOf(ticket), 1);
      busy.add(ticket.host);
      ticket.start();
    }
  };

  return {
    /** The value of `work`; nothing, and no work, if the signal has fired by the time it may begin. Rejects as the work does. */
    async run<T>(
      host: string,
      signal: AbortSignal,
      work: () => Promise<T>,
    ): Promise<T | undefined> {
      await new Promise<void>((resolve) => {
        waiting.push({ host, start: resolve });
        startNext();
      });
      try {
        return signal.aborted ? undefined : await work();
      } finally {
        busy.delete(host);
        startNext();
      }
    },
  };
}

function withoutFragment(url: string): string {
  return url.trim().replace(/#(?![/!]).*$/su, '');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
