import { preprocess } from 'micromark';
import type { Event, ParseContext, TokenizeContext } from 'micromark-util-types';

/** UTF-16 units of the text that the tokenizer is given at a time, and then on to the end of the line. */
const PORTION = 4096;

/** Stretches of flow that the tokenizer may look back on: the last one, and the one before a lazy line. */
const LOOK_BACK = 3;

/** The number of events at the front that the tokenizer will not look at again. */
function settledCount(events: readonly Event[]): number {
  let seen = 0;
  for (let at = events.length - 1; at >= 0; at--) {
    const [kind, token] = events[at] ?? [];
    if (kind === 'exit' && token?.type === 'chunkFlow' && ++seen === LOOK_BACK) return at;
  }
  return 0;
}

/** Hands `text` to the tokenizer in portions that end with a line. */
function* portions(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const lineEnd = text.indexOf('\n', start + PORTION);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    yield text.slice(start, end);
    start = end;
  }
}

/**
 * The events of a text's containers, in which the flow is not tokenized yet.
 *
 * Each time a list or quote ends, micromark 4 copies all events so far (`EditMap.consume` in its document tokenizer), which is
 * quadratic in their number. So the tokenizer gets the text in portions, and events it is done with are taken from it.
 */
export function documentEvents(parser: ParseContext, text: string): Event[] {
  const document: TokenizeContext = parser.document();
  const prepare = preprocess();
  const settled: Event[] = [];
  for (const portion of portions(text)) {
    document.write(prepare(portion, undefined, false));
    // In the middle of a line the tokenizer may have to go back to where it was when the line began.
    if (!portion.endsWith('\n')) break;
    for (const event of document.events.splice(0, settledCount(document.events)))
      settled.push(event);
  }
  for (const event of document.write(prepare('', undefined, true))) settled.push(event);
  return settled;
}
