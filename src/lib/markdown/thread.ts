import { cleanTitle, renderSources, turnSources } from '../citations';
import { escapeMarkdown } from '../code';
import { renderModelOutput } from '../render';
import type { Source, ToolCallRecord, Turn, TurnState } from '../types';

import { joinBlocks, quote } from './quote';

/** One message of a conversation, as the pane shows it. */
interface Message {
  id: string;
  role: 'user' | 'assistant';
  /** What was typed, or what the model wrote. */
  text: string;
  toolCalls?: readonly ToolCallRecord[];
  carried?: readonly Source[];
  reasoning?: string;
  state?: TurnState;
  error?: string;
  notice?: string;
  isStreaming?: boolean;
  /** While streaming: the pane text of a render stream, which only grows. Absent = `text` is rendered as it stands. */
  answer?: string;
}

interface ThreadOptions {
  showToolCalls?: boolean;
  showReasoning?: boolean;
}

/** Characters of a question above its answer: about two lines of the pane. A long one would push the answer out of view. */
const MAX_QUESTION = 140;

const callout = (kind: 'NOTE' | 'WARNING', text: string): string =>
  `> [!${kind}]\n> ${escapeMarkdown(cleanTitle(text, 400))}`;

function toolCallRow({ name, arguments: args, isError }: ToolCallRecord): string {
  const value = args['query'] ?? args['url'];
  const what = typeof value === 'string' ? value : JSON.stringify(args);
  const verb = name === 'web_search' ? 'Searched for' : name === 'web_fetch' ? 'Read' : name;
  return `- ${escapeMarkdown(`${verb}: ${cleanTitle(what)}`)}${isError ? ' (failed)' : ''}`;
}

/** What a turn's end needs said, by its state. */
function stateNote({ state, error, notice }: Message): string {
  if (error !== undefined && error !== '') return callout('WARNING', error);
  if (state === 'interrupted')
    return callout('NOTE', 'Interrupted before the answer was complete.');
  if (state === 'stopped') return callout('NOTE', 'Stopped.');
  return notice ? callout('NOTE', notice) : '';
}

/** Tool calls and reasoning are shown once the turn has ended: above a growing answer they would reset the view. */
function assistantParts(message: Message, options: ThreadOptions): string[] {
  if (message.isStreaming) {
    return [
      message.answer ?? renderModelOutput(message.text, { sources: sourcesOf(message) }).text,
    ];
  }
  const sources = sourcesOf(message);
  const { text, cited } = renderModelOutput(message.text, { sources });
  const reasoning = options.showReasoning ? (message.reasoning ?? '').trim() : '';
  const calls = options.showToolCalls ? (message.toolCalls ?? []) : [];
  return [
    reasoning === '' ? '' : `_Reasoning_\n\n${quote(escapeLines(reasoning))}`,
    calls.length === 0 ? '' : `_Tool calls_\n\n${calls.map(toolCallRow).join('\n')}`,
    text,
    stateNote(message),
    renderSources(sources, cited, false),
  ];
}

const escapeLines = (text: string): string => text.split('\n').map(escapeMarkdown).join('\n');

const sourcesOf = (message: Message): Source[] =>
  turnSources({
    toolCalls: [...(message.toolCalls ?? [])],
    ...(message.carried ? { carried: [...message.carried] } : {}),
  });

function messageMarkdown(message: Message, options: ThreadOptions): string {
  if (message.role === 'user') return `> ${escapeMarkdown(cleanTitle(message.text, MAX_QUESTION))}`;
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

/** A turn as its two messages, newest first. `answer`: pane text of the render stream while the turn runs. */
function turnMessages(turn: Turn, answer?: string): Message[] {
  const { id, question, response, ...rest } = turn;
  return [
    {
      ...rest,
      id: `${id}:assistant`,
      role: 'assistant',
      text: response,
      isStreaming: turn.state === 'running',
      ...(answer === undefined ? {} : { answer }),
    },
    { id: `${id}:user`, role: 'user', text: question },
  ];
}

/** One exchange for the pane: the question shortened to two lines, the answer, what went wrong, the sources. */
export function turnMarkdown(
  turn: Turn,
  options: ThreadOptions & { answer?: string } = {},
): string {
  return buildThreadMarkdown(turnMessages(turn, options.answer), options);
}

/** The whole conversation for the pane, oldest first. `running.answer`: pane text of the render stream of the running turn. */
export function threadMarkdown(
  turns: readonly Turn[],
  options: ThreadOptions & { running?: { answer: string } } = {},
): string {
  const messages = turns.flatMap((turn) =>
    turnMessages(turn, turn.state === 'running' ? options.running?.answer : undefined).reverse(),
  );
  return buildThreadMarkdown(messages.reverse(), options);
}
