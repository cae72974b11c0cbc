import { turnSources } from '../citations';
import type { Turn, TurnState } from '../types';

import { footnotesFormat } from './formats/footnotes';
import type { Format, Place } from './formats/format';
import { htmlFormat } from './formats/html';
import { markdownFormat } from './formats/markdown';
import { textFormat } from './formats/text';

/** The formats of any copy, in the order they are offered. */
export const COPY_FORMATS = ['markdown', 'footnotes', 'text', 'html'] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

/** One that is offered, or a format by itself: what a launch does not offer is not in what it loads. */
type AnyFormat = CopyFormat | Format;

/** What the copy of a turn needs of it. */
export type CopiedTurn = Pick<Turn, 'question' | 'response' | 'toolCalls'> &
  Partial<Pick<Turn, 'carried' | 'error' | 'evidence' | 'quotes' | 'state'>>;

const FORMATS: Record<CopyFormat, Format> = {
  markdown: markdownFormat,
  footnotes: footnotesFormat,
  text: textFormat,
  html: htmlFormat,
};

const writerOf = (format: AnyFormat): Format =>
  typeof format === 'string' ? FORMATS[format] : format;

const ENDINGS: Partial<Record<TurnState, string>> = {
  interrupted: 'cut off',
  stopped: 'stopped',
};

/** Parts with a gap between; empty ones are left out. */
const join = (parts: readonly string[], gap: string): string =>
  parts.filter((part) => part.trim() !== '').join(gap);

function answerParts(turn: CopiedTurn, format: Format, place: Place): string[] {
  const { response, evidence = [], quotes = [] } = turn;
  const isRunning = turn.state === 'running';
  const { body, sources } = format.answer(
    { response, sources: turnSources(turn), evidence, quotes, isRunning },
    place,
  );
  const error = turn.error ? format.error(turn.error) : '';
  const ending = turn.state === undefined ? undefined : ENDINGS[turn.state];
  const isEmpty = body.trim() === '' && error === '';
  return [
    isEmpty ? format.remark('no response') : body,
    error,
    ending === undefined ? '' : format.remark(ending),
    sources,
  ];
}

/**
 * One answer: its text with the markers in the format's way, what went wrong, how it ended, its sources. Code is the same to
 * the byte in every format. Total: any text gives a copy.
 */
export function copyAnswer(turn: CopiedTurn, format: AnyFormat): string {
  const writer = writerOf(format);
  return join(answerParts(turn, writer, {}), writer.gap);
}

/**
 * One exchange (a list of one turn) or a conversation, oldest first: each question, then its answer as in `copyAnswer`. Nothing
 * in one answer changes what another one says, or where its markers lead.
 */
export function copyExchanges(turns: readonly CopiedTurn[], format: AnyFormat): string {
  const writer = writerOf(format);
  return turns
    .map((turn, i) => {
      const place = turns.length > 1 ? { exchange: i + 1 } : {};
      const parts = answerParts(turn, writer, place);
      return join([writer.question(turn.question), ...parts], writer.gap);
    })
    .join(writer.rule);
}

/**
 * One answer as Markdown for another program.
 *
 * @public
 */
export const turnToMarkdown = (turn: CopiedTurn): string => copyAnswer(turn, 'markdown');

/** A conversation as Markdown, oldest first. */
export const sessionToPlainText = (turns: readonly CopiedTurn[]): string =>
  copyExchanges(turns, 'markdown');
