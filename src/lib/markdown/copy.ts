import { renderSources, turnSources } from '../citations';
import { renderForCopy } from '../render';
import type { Turn, TurnState } from '../types';

import { joinBlocks, quote } from './quote';

/** What the copy of a turn needs of it. */
type CopiedTurn = Pick<Turn, 'question' | 'response' | 'toolCalls'> &
  Partial<Pick<Turn, 'carried' | 'error' | 'state'>>;

const ENDINGS: Partial<Record<TurnState, string>> = {
  interrupted: '_(cut off)_',
  stopped: '_(stopped)_',
};

/** One answer as Markdown for another program: markers linked, the list under it, everything else as the model wrote it. */
export function turnToMarkdown(turn: CopiedTurn): string {
  const sources = turnSources(turn);
  const { text, cited } = renderForCopy(turn.response, { sources });
  const error = turn.error ? `**[error]** ${turn.error}` : '';
  const isEmpty = text.trim() === '' && error === '';
  const ending = (turn.state && ENDINGS[turn.state]) ?? '';
  return joinBlocks([
    isEmpty ? '_(no response)_' : text.trim(),
    error,
    ending,
    turn.state === 'running' ? '' : renderSources(sources, cited, false),
  ]);
}

/** A conversation as Markdown, oldest first: each question as a quote, its answer, its sources. */
export function sessionToPlainText(turns: readonly CopiedTurn[]): string {
  return turns
    .map((turn) =>
      joinBlocks([quote(renderForCopy(turn.question).text.trim()), turnToMarkdown(turn)]),
    )
    .join('\n\n---\n\n');
}
