import { cleanTitle, renderSources, turnSources } from '../citations';
import { escapeMarkdown } from '../code';
import { evidenceLine } from '../evidence';
import { renderModelOutput } from '../render';
import type { Evidence, QuoteCheck, Source, ToolCallRecord, Turn, TurnState } from '../types';

import { askedOf, joinBlocks, quote } from './quote';
import { placedSources } from './source-place';
import { toolCallRow } from './tool-row';

/** One message of a conversation, as the pane shows it. */
interface Message {
  id: string;
  role: 'user' | 'assistant';
  /** What was typed, or what the model wrote. */
  text: string;
  toolCalls?: readonly ToolCallRecord[];
  carried?: readonly Source[];
  evidence?: readonly Evidence[];
  quotes?: readonly QuoteCheck[];
  reasoning?: string;
  state?: TurnState;
  error?: string;
  notice?: string;
  isStreaming?: boolean;
  /** While streaming: the pane text of a render stream, which only grows. Absent = `text` is rendered as it stands. */
  answer?: string;
  /** True if another question came after this one: then Continue is no longer offered. */
  followedUp?: boolean;
  /** True if the answer ended at the length the model may write. */
  cut?: boolean;
  /** Of a question: names of the files that came with it. */
  files?: readonly string[];
  /** While streaming: one sentence above the text, the same until the end, so that the text only grows. */
  note?: string;
}

interface ThreadOptions {
  showToolCalls?: boolean;
  showReasoning?: boolean;
  /** Questions as they were typed; else each is shortened to two lines, so that its answer stays in view. */
  isWhole?: boolean;
  /** What becomes of the images of an answer, see `RenderOptions`. */
  images?: 'link' | 'draw' | undefined;
  /**
   * Whether a line under the list counts what is cited and read (`3 cited · 2 read · 1 quote not found`): never (also when
   * absent), when a quotation was not found word for word, or always.
   */
  evidence?: 'never' | 'problems' | 'always' | undefined;
}

/** Characters of the name of an attached file. */
const MAX_FILE_NAME = 60;

/** Characters of a question above its answer: about two lines of the pane. A long one would push the answer out of view. */
const MAX_QUESTION = 140;

const callout = (kind: 'NOTE' | 'WARNING', text: string): string =>
  `> [!${kind}]\n> ${escapeMarkdown(cleanTitle(text, 400))}`;

const GO_ON = 'Continue (Ctrl+Shift+Return) goes on from here.';

/** What is said of an answer that is not complete, and of how to go on with it. */
const STATE_NOTES: Partial<Record<TurnState, [said: string, remedy: string]>> = {
  interrupted: ['Cut off before the answer was complete.', 'Continue goes on from here.'],
  stopped: ['Stopped.', GO_ON],
};

/** What a turn's end needs said, by its state. */
function stateNote({ state, error, notice, followedUp = false, cut = false }: Message): string {
  if (error !== undefined && error !== '') return callout('WARNING', error);
  const said = state === undefined ? undefined : STATE_NOTES[state];
  if (said !== undefined) return callout('NOTE', followedUp ? said[0] : said.join(' '));
  if (!notice) return '';
  return callout('NOTE', cut && !followedUp ? `${notice} ${GO_ON}` : notice);
}

/** Tool calls and reasoning are shown once the turn has ended: above a growing answer they would reset the view. */
function assistantParts(message: Message, options: ThreadOptions): string[] {
  const { images } = options;
  if (message.isStreaming) {
    return [
      message.note === undefined ? '' : callout('NOTE', message.note),
      message.answer ??
        renderModelOutput(message.text, { sources: sourcesOf(message), images }).text,
    ];
  }
  const sources = sourcesOf(message);
  const { text, cited } = renderModelOutput(message.text, { sources, images });
  const reasoning = options.showReasoning ? (message.reasoning ?? '').trim() : '';
  const calls = options.showToolCalls ? (message.toolCalls ?? []) : [];
  return [
    reasoning === '' ? '' : `_Reasoning_\n\n${quote(escapeLines(reasoning))}`,
    calls.length === 0 ? '' : `_Tool calls_\n\n${calls.map(toolCallRow).join('\n')}`,
    text,
    stateNote(message),
    renderSources(placedSources(sources, message.evidence), cited, false),
    evidenceNote(message, sources, cited, options.evidence),
  ];
}

/** The line under the list; '' where none is wanted. */
function evidenceNote(
  { toolCalls = [], carried = [], quotes = [] }: Message,
  sources: readonly Source[],
  cited: ReadonlySet<number>,
  wanted: ThreadOptions['evidence'] = 'never',
): string {
  const hasProblem = quotes.some(({ status }) => status === 'not-found' || status === 'close');
  if (wanted === 'never' || (wanted === 'problems' && !hasProblem)) return '';
  const line = evidenceLine(
    { toolCalls: [...toolCalls], carried: [...carried], quotes: [...quotes] },
    sources.filter(({ index }) => cited.has(index)),
  );
  return line === '' ? '' : `_${line}_`;
}

const escapeLines = (text: string): string => text.split('\n').map(escapeMarkdown).join('\n');

const sourcesOf = (message: Message): Source[] =>
  turnSources({
    response: message.text,
    toolCalls: [...(message.toolCalls ?? [])],
    ...(message.carried ? { carried: [...message.carried] } : {}),
    ...(message.state ? { state: message.state } : {}),
    ...(message.cut ? { cut: message.cut } : {}),
  });

/** A question, and what was attached to it. */
function questionMarkdown({ text, files = [] }: Message, isWhole: boolean): string {
  const question = isWhole
    ? escapeLines(text.trim())
    : escapeMarkdown(cleanTitle(askedOf(text), MAX_QUESTION));
  const names = files.map((name) => cleanTitle(name, MAX_FILE_NAME)).join(', ');
  return quote(names === '' ? question : `${question}\n\n${escapeMarkdown(`Attached: ${names}`)}`);
}

function messageMarkdown(message: Message, options: ThreadOptions): string {
  if (message.role === 'user') return questionMarkdown(message, options.isWhole === true);
  return joinBlocks(assistantParts(message, options));
}

/**
 * The transcript for the pane. `messages` newest first; the Markdown is oldest first, a rule before each further
 * question. While the last answer streams the text only grows by appending.
 *
 * @public
 */
export function buildThreadMarkdown(
  messages: readonly Message[],
  options: ThreadOptions = {},
): string {
  const blocks = [...messages].reverse().map((message, i) => {
    const markdown = messageMarkdown(message, options);
    return message.role === 'user' && i > 0 ? `---\n\n${markdown}` : markdown;
  });
  return joinBlocks(blocks);
}

/** What is known of a turn beside its record. */
type TurnOptions = Pick<Message, 'answer' | 'followedUp' | 'note'>;

/** A turn as its two messages, newest first. */
function turnMessages(turn: Turn, { answer, followedUp, note }: TurnOptions): Message[] {
  const { id, question, response, ...rest } = turn;
  return [
    {
      ...rest,
      id: `${id}:assistant`,
      role: 'assistant',
      text: response,
      isStreaming: turn.state === 'running',
      ...(answer === undefined ? {} : { answer }),
      ...(followedUp === undefined ? {} : { followedUp }),
      ...(note === undefined ? {} : { note }),
    },
    {
      id: `${id}:user`,
      role: 'user',
      text: question,
      files: (turn.attachments ?? []).map(({ name }) => name),
    },
  ];
}

/** One exchange for the pane: the question shortened to two lines, the answer, what went wrong, the sources. */
export function turnMarkdown(turn: Turn, options: ThreadOptions & TurnOptions = {}): string {
  return buildThreadMarkdown(turnMessages(turn, options), options);
}

/** The whole conversation for the pane, oldest first. `running.answer`: pane text of the render stream of the running turn. */
export function threadMarkdown(
  turns: readonly Turn[],
  options: ThreadOptions & { running?: { answer: string } } = {},
): string {
  const messages = turns.flatMap((turn, place) =>
    turnMessages(turn, {
      ...(turn.state === 'running' ? options.running : undefined),
      followedUp: place < turns.length - 1,
    }).reverse(),
  );
  return buildThreadMarkdown(messages.reverse(), options);
}
