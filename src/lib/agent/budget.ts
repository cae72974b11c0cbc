import { estimateTokenCount } from 'tokenx';

import { LARGEST_REQUEST_RESULT_CHARS, MAX_REQUEST_RESULT_CHARS, ANSWER_SHARE } from '../constants';
import { partlyShown } from '../tools';
import type { ChatMessage, ToolSpec, Usage } from '../types';
import { fitResults, resultChars, resultTexts, type FitOptions } from './fit';
import { composed, type LoopMessage } from './message';

/** And no more than eight pages. */
const MAX_ANSWER_TOKENS = 8_192;

/** Characters of results that are sent whatever the context: the heads of two pages. Less, and the model would search on. */
const MIN_REQUEST_RESULT_CHARS = 2_000;

/** Tokens of a picture that a server may count: between 85 and some 1,600 with the large ones. */
const IMAGE_TOKENS = 1_600;

/** Tokens a character where nothing is known yet: English. */
const USUAL_DENSITY = 0.25;

/**
 * How far a server's own count may move the estimate. Below it the count is no count of the whole, and says nothing: servers
 * leave out what they had in their cache. Above it something else was counted, such as a template that repeats the tools.
 */
const MIN_CORRECTION = 0.8;
const MAX_CORRECTION = 3;

/** What fits the requests of one turn. */
interface Budget {
  /**
   * The messages as they are sent, the ids of the calls whose results were shortened for it, and the names of the files of
   * this question that are not there as a whole.
   */
  fit(
    messages: readonly LoopMessage[],
    tools: readonly ToolSpec[],
    options?: FitOptions,
  ): { messages: ChatMessage[]; shortened: Set<string>; partly: string[] };
  /**
   * The server refused the request that was fitted last as too long: from now on results get half of what they had.
   * False = there was nothing left to shorten.
   */
  halve(): boolean;
  /** What the server counted of the request that was fitted last: corrects the next estimates. */
  learn(usage: Usage): void;
}

/**
 * Holds the tool results and attached texts of a request to what the model's context has room for beside everything else and the answer, by
 * an estimate that the server's own counts correct. Pure but for what it has learned.
 *
 * @param contextTokens the model's context; unknown = `MAX_REQUEST_RESULT_CHARS`
 */
export function createBudget(contextTokens: number | undefined): Budget {
  const known = new Map<string, number>();
  let correction = 1;
  let estimated = 0;
  /** Characters of results that are known to be too many, halved. */
  let most = Infinity;
  let last: { messages: readonly LoopMessage[]; chars: number; options: FitOptions } | undefined;

  const tokens = (text: string): number => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const count = estimateTokenCount(text);
    known.set(text, count);
    return count;
  };
  const all = (texts: readonly string[]): number =>
    texts.reduce((total, text) => total + tokens(text), 0);
  const sum = (messages: readonly LoopMessage[]): number =>
    messages.reduce(
      (total, message) => total + all(textsOf(message)) + imagesOf(message) * IMAGE_TOKENS,
      0,
    );

  function limit(messages: readonly LoopMessage[], toolTokens: number): number {
    return Math.min(room(messages, toolTokens), most);
  }

  function room(messages: readonly LoopMessage[], toolTokens: number): number {
    if (contextTokens === undefined) return MAX_REQUEST_RESULT_CHARS;
    const chars = resultChars(messages);
    const resultTokens = all(resultTexts(messages));
    const answer = Math.min(contextTokens * ANSWER_SHARE, MAX_ANSWER_TOKENS);
    const free =
      (contextTokens - answer) / correction - (sum(messages) - resultTokens) - toolTokens;
    const density = chars > 0 && resultTokens > 0 ? resultTokens / chars : USUAL_DENSITY;
    return Math.round(
      Math.min(Math.max(free / density, MIN_REQUEST_RESULT_CHARS), LARGEST_REQUEST_RESULT_CHARS),
    );
  }

  return {
    fit(messages, tools, options = {}) {
      const toolTokens = tools.length === 0 ? 0 : tokens(JSON.stringify(tools));
      const fitted = fitResults(messages, limit(messages, toolTokens), options);
      last = { messages, chars: resultChars(fitted), options };
      estimated = sum(fitted) + toolTokens;
      const shortened = fitted.flatMap((message, n) =>
        message.role === 'tool' && message.content !== messages[n]?.content
          ? [message.toolCallId]
          : [],
      );
      const partly = fitted.flatMap((message) =>
        message.role === 'user' && message.isEarlier !== true ? (message.files ?? []) : [],
      );
      return {
        messages: fitted.map(composed),
        shortened: new Set(shortened),
        partly: partly.flatMap((text) => partlyShown(text) ?? []),
      };
    },
    halve() {
      if (!last) return false;
      const { messages, chars, options } = last;
      most = Math.floor(chars / 2);
      return resultChars(fitResults(messages, most, options)) < chars;
    },
    learn({ inputTokens = 0 }) {
      if (estimated <= 0 || inputTokens < estimated * MIN_CORRECTION) return;
      correction = Math.min(inputTokens / estimated, MAX_CORRECTION);
    },
  };
}

function textsOf(message: LoopMessage): string[] {
  if (message.role === 'user') return [message.content, ...(message.files ?? [])];
  return message.role === 'assistant' && message.toolCalls
    ? [message.content + JSON.stringify(message.toolCalls)]
    : [message.content];
}

function imagesOf(message: LoopMessage): number {
  return message.role === 'user' ? (message.images?.length ?? 0) : 0;
}
