import { MAX_REQUEST_RESULT_CHARS } from '../constants';
import { shortenResult } from '../tools';
import type { LoopMessage } from './message';

export interface FitOptions {
  /** The model knows no tools: it reads all pages at once, and cannot call for one again. */
  plain?: boolean;
}

/**
 * The messages as they are sent: tool results and attached texts that together are too long for the model's context are
 * shortened, the oldest first (see `shortenResult`): files of earlier turns as far as is needed, then the results of this
 * turn's earlier rounds. What the question is about, its own files, and what the model has not read yet, the results of the
 * newest round, keep as much as fits, shared so that the short ones stay whole, and never less than half of the limit: the
 * heads of some fifty searches fill the rest, and starving the newest results would make the model search on. Records are
 * never touched.
 *
 * @param limit characters of all results and attached texts together
 * @param options `plain`: for a model that knows no tools
 */
export function fitResults(
  messages: readonly LoopMessage[],
  limit = MAX_REQUEST_RESULT_CHARS,
  { plain = false }: FitOptions = {},
): LoopMessage[] {
  const fitted = [...messages];
  const unread = firstUnread(messages, plain);
  let over = resultChars(messages) - limit;
  for (const [n, message] of messages.entries()) {
    if (over <= 0) return fitted;
    if (message.role !== 'user' || message.isEarlier !== true) continue;
    const files = (message.files ?? []).map((text) => {
      const shorter = shortenResult(text, Math.max(0, text.length - Math.max(0, over)));
      over -= text.length - shorter.length;
      return shorter;
    });
    fitted[n] = { ...message, files };
  }
  for (const [n, message] of messages.slice(0, Math.max(unread, 0)).entries()) {
    if (over <= 0) return fitted;
    if (message.role !== 'tool') continue;
    const content = shortenResult(message.content, 0, { plain });
    over -= message.content.length - content.length;
    fitted[n] = { ...message, content };
  }
  if (over <= 0) return fitted;
  const isNew = (message: LoopMessage, n: number) =>
    message.role === 'user' ? message.isEarlier !== true : unread >= 0 && n > unread;
  const newest = resultTexts(fitted.filter(isNew)).map(({ length }) => length);
  const chars = newest.reduce((sum, length) => sum + length, 0);
  const share = fairShare(newest, Math.max(chars - over, limit / 2));
  return fitted.map((message, n) => {
    if (!isNew(message, n)) return message;
    if (message.role === 'tool')
      return { ...message, content: shortenResult(message.content, share, { plain }) };
    if (message.role === 'user' && message.files)
      return { ...message, files: message.files.map((text) => shortenResult(text, share)) };
    return message;
  });
}

/** Where the newest round begins; to a model without tools all texts are new, also a page that came in place of another. */
function firstUnread(messages: readonly LoopMessage[], plain: boolean): number {
  const first = plain
    ? messages.findIndex((message) => calls(message).some(({ name }) => HAS_TEXTS.has(name)))
    : -1;
  return first >= 0 ? first : messages.findLastIndex((message) => calls(message).length > 0);
}

/** Calls whose results are texts to answer from, and not rows of pages to choose from. */
const HAS_TEXTS: ReadonlySet<string> = new Set(['web_fetch', 'search_documents']);

function calls(message: LoopMessage) {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

/** What is held to the limit: tool results and attached texts. */
export function resultTexts(messages: readonly LoopMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [message.content];
    return message.role === 'user' ? (message.files ?? []) : [];
  });
}

/** Characters of all of them together. */
export function resultChars(messages: readonly LoopMessage[]): number {
  return resultTexts(messages).reduce((sum, { length }) => sum + length, 0);
}

/** The most that each may have so that all of them fit in `room`: what short ones leave goes to the long ones. */
export function fairShare(lengths: readonly number[], room: number): number {
  let left = room;
  let waiting = lengths.length;
  for (const length of lengths.toSorted((a, b) => a - b)) {
    if (length * waiting > left) break;
    left -= length;
    waiting -= 1;
  }
  return waiting === 0 ? room : Math.max(0, Math.floor(left / waiting));
}
