import { charsetParameter, decodeText } from '../charset';
import type { FetchResult } from '../http';

/** The JSON of a search service's answer, or why there is none (`SearchPort` says in what form). */
export type Reply = { ok: true; value: unknown } | { ok: false; message: string };

/** Reads a 2xx answer as JSON. `service` names it in sentences. */
export function jsonReply(result: Extract<FetchResult, { ok: true }>, service: string): Reply {
  const declared = charsetParameter(result.headers['content-type'] ?? '');
  const text = decodeText(result.bytes, {
    ...(declared === undefined ? {} : { declared }),
    syntax: 'text',
  });
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    const page = /^\s*<(?:!doctype|html)/i.test(text);
    return {
      ok: false,
      message: `${service} answered with ${page ? 'a web page' : 'something that is not JSON'} instead of results`,
    };
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

/** Reason for a status that is no success and means the same everywhere. */
export function statusMessage(status: number, service: string): string {
  if (status === 429) return `${service} answered "too many requests"; wait a minute and try again`;
  if (status >= 500) return `${service} has a problem of its own (HTTP ${status})`;
  return `${service} answered with HTTP ${status}`;
}
