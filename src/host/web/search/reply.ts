import { charsetParameter, decodeText } from '../charset';
import type { FetchResult } from '../http';

/** The JSON of a search service's answer, or why there is none (`SearchPort` says in what form). `isNoSite`: its name is not in DNS. */
export type Reply = { ok: true; value: unknown } | { ok: false; message: string; isNoSite?: true };

type Answer = Extract<FetchResult, { ok: true }>;

/** The body as text, in the charset that its header declares, else UTF-8. */
export function textOf(result: Answer): string {
  const declared = charsetParameter(result.headers['content-type'] ?? '');
  return decodeText(result.bytes, {
    ...(declared === undefined ? {} : { declared }),
    syntax: 'text',
  });
}

/** Reads a 2xx answer as JSON. `service` names it in sentences. */
export function jsonReply(result: Answer, service: string): Reply {
  const text = textOf(result);
  const value = parseJson(text);
  if (value !== undefined) return { ok: true, value };
  const what =
    text.trim() === ''
      ? 'an empty body'
      : /^\s*<(?:!doctype|html)/i.test(text)
        ? 'a web page'
        : 'something that is not JSON';
  return { ok: false, message: `${service} answered with ${what} instead of results` };
}

/** JSON's value; undefined (which JSON has not) when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Why there was no answer at all. What the fetcher says of the host is said of the service; anything else stands in brackets. */
export function requestMessage(
  { reason, message }: Extract<FetchResult, { ok: false }>,
  service: string,
  host: string,
): string {
  if (reason === 'aborted') return 'the search was stopped';
  const said = message.replace(/\.$/, '');
  return said.startsWith(`${host} `)
    ? `${service}${said.slice(host.length)}`
    : `${service} could not be searched (${said.replace(/^(?:The|There|No|This) /, (word) => word.toLowerCase())})`;
}

/**
 * Reason for a status that is no success and means the same everywhere.
 *
 * @param retryAfter the Retry-After header: seconds, or an HTTP date
 * @param now milliseconds; what such a date is measured from
 */
export function statusMessage(
  status: number,
  service: string,
  retryAfter?: string,
  now = 0,
): string {
  if (status === 429) {
    const wait = waitText(retryAfter, now) ?? 'a minute';
    return `${service} answered "too many requests"; wait ${wait} and try again`;
  }
  if (status >= 500) return `${service} has a problem of its own (HTTP ${status})`;
  return `${service} answered with HTTP ${status}`;
}

/** Seconds of the longest wait that is told. What is longer is a mistake of the server, or no answer to "when". */
const MAX_WAIT_S = 31 * 24 * 60 * 60;

function waitText(retryAfter: string | undefined, now: number): string | undefined {
  const text = retryAfter?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text.slice(0, 40)) - now) / 1_000);
  return seconds > 0 && seconds <= MAX_WAIT_S ? durationText(seconds) : undefined;
}

/** `30 seconds`, `5 minutes`, `3 hours`, `2 days`: rounded up, so that nobody comes back too early. */
export function durationText(seconds: number): string {
  const steps: [number, string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ];
  // From twice the unit on: "100 seconds" says more than "2 minutes".
  const [size, unit] = steps.find(([each]) => seconds >= 2 * each) ?? [1, 'second'];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
