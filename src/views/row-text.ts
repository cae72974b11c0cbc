import type { List } from '@vicinae/api';

import type { ChatState } from '../host/session/state';
import type { StoreProblem } from '../host/store/conversations';
import { citedIndices, turnSources } from '../lib/citations';
import { SERVER_SEARCH } from '../lib/constants';
import { inertText, plain, type PlainText } from '../lib/render';
import { shortAge } from './ages';
import { variantsOf } from '../lib/thread';
import type { Turn } from '../lib/types';

/** Characters of a foreign text in a row or a window title; the launcher cuts it to what fits. */
const MAX_ROW_CHARS = 120;

/** Foreign text as one inert line, never empty (a row without a title cannot be told from a broken one). */
export function oneLine(text: string): PlainText {
  const line = inertText(text, MAX_ROW_CHARS);
  return line === '' ? plain`(no text)` : line;
}

/** What there is beside a row. Long words would cut the title: it has about 22 characters beside them. */
export function accessoriesOf(
  turn: Turn,
  { conversation }: Pick<ChatState, 'conversation'>,
  now: number,
): List.Item.Accessory[] {
  const words = accessoryOf(turn);
  const variants = variantsOf(conversation, turn.id);
  const place = variants.findIndex(({ id }) => id === turn.id) + 1;
  return [
    ...(variants.length > 1
      ? [
          {
            text: plain`${place}/${variants.length}`,
            tooltip: plain`Version ${place} of ${variants.length}`,
          },
        ]
      : []),
    ...(words === '' ? [] : [{ text: words }]),
    ...(turn.state === 'running' ? [] : [{ text: shortAge(turn.startedAt, now) }]),
  ];
}

/**
 * How an exchange stands, in a few words.
 *
 * @public
 */
export function accessoryOf(turn: Turn): PlainText {
  switch (turn.state) {
    case 'running':
      return plain`…`;
    case 'failed':
      return plain`failed`;
    case 'interrupted':
      return plain`cut off`;
    case 'stopped':
      return plain`stopped`;
    case 'done':
      return turn.cut === true ? plain`incomplete` : citedWords(turn);
  }
}

/** By record, which never changes: a finished answer is parsed once and not with every picture of the next one. */
const counted = new WeakMap<Turn, PlainText>();

/** How many sources the list under the answer shows because they are cited. */
function citedWords(turn: Turn): PlainText {
  const known = counted.get(turn);
  if (known !== undefined) return known;
  const sources = turnSources(turn);
  const count = citedIndices(turn.response, sources).size;
  // Pages that the server names stand behind the answer, with links of its own in the text or none.
  const isNamed = turn.toolCalls.some(({ name }) => name === SERVER_SEARCH);
  const shown = count === 0 && isNamed ? sources.length : count;
  const none = sources.length > 0 ? plain`none cited` : plain``;
  const words = shown > 0 ? plain`${shown} source${shown === 1 ? '' : 's'}` : none;
  counted.set(turn, words);
  return words;
}

/** What is wrong with a file that could not be read, in the few words a row has room for. */
export function unreadableTitle({ id, reason }: StoreProblem): PlainText {
  if (reason === undefined)
    return id === '' ? plain`The folder cannot be read` : plain`Not a file of Lam`;
  if (reason.includes('newer version')) return plain`Made by a newer Lam`;
  if (reason.includes('no permission')) return plain`No permission to read the file`;
  return plain`Damaged file: ${inertText(reason.replace(/^it is /, ''))}`;
}
