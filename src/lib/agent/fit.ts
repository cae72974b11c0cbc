import { MAX_REQUEST_RESULT_CHARS } from '../constants';
import { shortenResult } from '../tools';
import type { ChatMessage } from '../types';

export interface FitOptions {
  /** The model knows no tools: it reads all pages at once, and cannot call for one again. */
  plain?: boolean;
}

/**
 * The messages as they are sent: tool results that together are too long for the model's context are shortened, the oldest
 * first (see `shortenResult`). What the model has not read yet, the results of the newest round, comes last and keeps as
 * much as fits, shared so that the short ones stay whole, and never less than half of the limit: the heads of some fifty searches
 * fill the rest, and starving the newest results would make the model search on. Records are never touched.
 *
 * @param limit characters of all results together
 * @param options `plain`: for a model that knows no tools
 */
export function fitResults(
  messages: readonly ChatMessage[],
  limit = MAX_REQUEST_RESULT_CHARS,
  { plain = false }: FitOptions = {},
): ChatMessage[] {
  const fitted = [...messages];
  const unread = firstUnread(messages, plain);
  let over = resultChars(messages) - limit;
  for (const [n, message] of messages.slice(0, Math.max(unread, 0)).entries()) {
    if (over <= 0) return fitted;
    if (message.role !== 'tool') continue;
    const content = shortenResult(message.content, 0, { plain });
    over -= message.content.length - content.length;
    fitted[n] = { ...message, content };
  }
  if (over <= 0) return fitted;
  const newest = fitted.slice(unread);
  const share = fairShare(
    newest.flatMap((message) => (message.role === 'tool' ? [message.content.length] : [])),
    Math.max(resultChars(newest) - over, limit / 2),
  );
  return fitted.map((message, n) =>
    n > unread && message.role === 'tool'
      ? { ...message, content: shortenResult(message.content, share, { plain }) }
      : message,
  );
}

/** Where the newest round begins; to a model without tools all pages are new, also one that came in place of another. */
function firstUnread(messages: readonly ChatMessage[], plain: boolean): number {
  const first = plain
    ? messages.findIndex((message) => calls(message).some(({ name }) => name === 'web_fetch'))
    : -1;
  return first >= 0 ? first : messages.findLastIndex((message) => calls(message).length > 0);
}

function calls(message: ChatMessage) {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

/** Characters of all results together. */
export function resultChars(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + (message.role === 'tool' ? message.content.length : 0),
    0,
  );
}

/** The most that each may have so that all of them fit in `room`: what short ones leave goes to the long ones. */
function fairShare(lengths: readonly number[], room: number): number {
  let left = room;
  let waiting = lengths.length;
  for (const length of lengths.toSorted((a, b) => a - b)) {
    if (length * waiting > left) break;
    left -= length;
    waiting -= 1;
  }
  return Math.max(0, Math.floor(left / Math.max(waiting, 1)));
}
