import { estimateTokenCount } from 'tokenx';

import { MAX_REQUEST_RESULT_CHARS } from '../constants';
import type { ChatMessage, ToolSpec, Usage } from '../types';
import { fitResults } from './fit';

/** The part of a context that is left to the answer, at most: eight pages. */
const ANSWER_SHARE = 0.25;
const MAX_ANSWER_TOKENS = 8_192;

/** Characters of results that are sent whatever the context: the heads of two pages. Less, and the model would search on. */
const MIN_REQUEST_RESULT_CHARS = 2_000;

/**
 * The most, however large the context: some 50,000 tokens. Models find less in longer texts, and each round reads (and bills)
 * all of it again.
 */
const LARGEST_REQUEST_RESULT_CHARS = 200_000;

/** Tokens a character where nothing is known yet: English. */
const USUAL_DENSITY = 0.25;

/**
 * How far a server's own count may move the estimate. Below it the count is no count of the whole: servers leave out what
 * they had in their cache. Above it something else was counted, such as a template that repeats the tools.
 */
const MIN_CORRECTION = 0.8;
const MAX_CORRECTION = 3;

/** What fits the requests of one turn. */
interface Budget {
  /** The messages as they are sent, and the ids of the calls whose results were shortened for it. */
  fit(
    messages: readonly ChatMessage[],
    tools: readonly ToolSpec[],
  ): { messages: ChatMessage[]; shortened: Set<string> };
  /** What the server counted of the request that was fitted last: corrects the next estimates. */
  learn(usage: Usage): void;
}

/**
 * Holds the tool results of a request to what the model's context has room for beside everything else and the answer, by
 * an estimate that the server's own counts correct. Pure but for what it has learned.
 *
 * @param contextTokens the model's context; unknown = `MAX_REQUEST_RESULT_CHARS`
 */
export function createBudget(contextTokens: number | undefined): Budget {
  const known = new Map<string, number>();
  let correction = 1;
  let estimated = 0;

  const tokens = (text: string): number => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const count = estimateTokenCount(text);
    known.set(text, count);
    return count;
  };
  const sum = (messages: readonly ChatMessage[]): number =>
    messages.reduce((total, message) => total + tokens(textOf(message)), 0);

  function limit(messages: readonly ChatMessage[], toolTokens: number): number {
    if (contextTokens === undefined) return MAX_REQUEST_RESULT_CHARS;
    const results = messages.filter(({ role }) => role === 'tool');
    const chars = results.reduce((total, { content }) => total + content.length, 0);
    const resultTokens = sum(results);
    const answer = Math.min(contextTokens * ANSWER_SHARE, MAX_ANSWER_TOKENS);
    const room =
      (contextTokens - answer) / correction - (sum(messages) - resultTokens) - toolTokens;
    const density = chars > 0 && resultTokens > 0 ? resultTokens / chars : USUAL_DENSITY;
    return Math.round(
      Math.min(Math.max(room / density, MIN_REQUEST_RESULT_CHARS), LARGEST_REQUEST_RESULT_CHARS),
    );
  }

  return {
    fit(messages, tools) {
      const toolTokens = tools.length === 0 ? 0 : tokens(JSON.stringify(tools));
      const fitted = fitResults(messages, limit(messages, toolTokens));
      estimated = sum(fitted) + toolTokens;
      const shortened = fitted.flatMap((message, n) =>
        message.role === 'tool' && message.content !== messages[n]?.content
          ? [message.toolCallId]
          : [],
      );
      return { messages: fitted, shortened: new Set(shortened) };
    },
    learn({ inputTokens = 0 }) {
      if (inputTokens <= 0 || estimated <= 0) return;
      correction = Math.min(Math.max(inputTokens / estimated, MIN_CORRECTION), MAX_CORRECTION);
    },
  };
}

function textOf(message: ChatMessage): string {
  return message.role === 'assistant' && message.toolCalls
    ? message.content + JSON.stringify(message.toolCalls)
    : message.content;
}
