import type {
  Evidence,
  Failure,
  QuoteCheck,
  SearchScope,
  Source,
  ToolCallRecord,
  Turn,
  Usage,
} from '../types';

/**
 * What happens in a turn, in order (docs/agent.md draws it). `turn-start` comes first and `turn-end` last, exactly once each.
 */
export type AgentEvent =
  /** `carried`: sources of earlier turns that may be cited under these numbers from now on. */
  | { type: 'turn-start'; carried: Source[] }
  /** `round` counts requests to the model from 1; `tools` tells whether it may call any. */
  | { type: 'round-start'; round: number; tools: boolean }
  /** More of the answer; joining all deltas gives the answer, blank lines between rounds included. */
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** `position` is the place of the call in the turn's `toolCalls`. */
  | {
      type: 'call-start';
      /** `scope`: what the call searches, where that is not the web. */
      call: { name: string; arguments: Record<string, unknown>; scope?: SearchScope };
      position: number;
    }
  /**
   * Arrives in the order of `position`, whichever call finished first. Pages that the model server itself names come as such
   * an event too, without a `call-start`, and again under the same position when there are more of them.
   */
  | {
      type: 'call-end';
      record: ToolCallRecord;
      position: number;
      /** Replaces what `turn-start` offered: numbers of the model server's own have taken its place. */
      carried?: Source[];
    }
  /** What one round cost; a turn's usage is the sum. */
  | { type: 'usage-report'; usage: Usage }
  /** One sentence for the person: a limit that was hit, or that no search worked. The turn goes on to its end. */
  | { type: 'notice'; notice: string }
  | {
      type: 'turn-end';
      state: 'done' | 'stopped' | 'failed';
      /**
       * Replaces what `turn-start` offered: of a turn that is done and not cut, the sources of earlier turns that the answer cites; else
       * all that was offered, because a turn that is continued goes on with their numbers.
       */
      carried: Source[];
      /** Replaces the answer: the same words, with backslashes before brackets that could mean two pages. */
      response?: string;
      /** True when the answer ended at the length the model may write. */
      cut?: boolean;
      /** The passages behind the citations; absent where nothing was cited. */
      evidence?: Evidence[];
      quotes?: QuoteCheck[];
      failure?: Failure;
      /** Milliseconds since the epoch. */
      at: number;
    };

/** What a turn came to. The same fields as in the stored turn; `failure` tells apart what `error` says in a sentence. */
export interface FinishedTurn extends Pick<
  Turn,
  | 'response'
  | 'reasoning'
  | 'toolCalls'
  | 'carried'
  | 'error'
  | 'notice'
  | 'cut'
  | 'evidence'
  | 'quotes'
  | 'usage'
  | 'endedAt'
> {
  state: 'done' | 'stopped' | 'failed';
  failure?: Failure;
}

/**
 * The turn after an event. Pure: the turn that went in is unchanged. Folding all events of a run over the turn it began with
 * gives the finished turn, whoever does it.
 */
export function foldTurn(turn: Turn, event: AgentEvent): Turn {
  switch (event.type) {
    case 'turn-start': {
      const begun = withCarried({ ...turn, state: 'running' }, event.carried);
      // What an earlier end of a turn that is continued said is over.
      delete begun.error;
      delete begun.notice;
      delete begun.cut;
      delete begun.evidence;
      delete begun.quotes;
      delete begun.endedAt;
      return begun;
    }
    case 'round-start':
    case 'call-start':
      return turn;
    case 'text-delta':
      return { ...turn, response: turn.response + event.text };
    case 'reasoning-delta':
      return { ...turn, reasoning: (turn.reasoning ?? '') + event.text };
    case 'call-end': {
      const toolCalls = turn.toolCalls.toSpliced(event.position, 1, event.record);
      const called = { ...turn, toolCalls };
      return event.carried ? withCarried(called, event.carried) : called;
    }
    case 'usage-report':
      return { ...turn, usage: addUsage(turn.usage ?? {}, event.usage) };
    case 'notice':
      return { ...turn, notice: joinNotices(turn.notice, event.notice) };
    case 'turn-end': {
      const ended: Turn = { ...turn, state: event.state, endedAt: event.at };
      if (event.response !== undefined) ended.response = event.response;
      if (event.cut === true) ended.cut = true;
      if (event.evidence) ended.evidence = event.evidence;
      if (event.quotes) ended.quotes = event.quotes;
      if (event.failure) ended.error = event.failure.message;
      return withCarried(ended, event.carried);
    }
  }
}

function withCarried(turn: Turn, carried: Source[]): Turn {
  const changed: Turn = { ...turn, carried };
  if (carried.length === 0) delete changed.carried;
  return changed;
}

/** A sentence that stands there already (each of five repeated calls would say it) is not said again. */
function joinNotices(before: string | undefined, notice: string): string {
  if (before === undefined || before === '') return notice;
  return before.includes(notice) ? before : `${before} ${notice}`;
}

function addUsage(a: Usage, b: Usage): Usage {
  const inputTokens = sum(a.inputTokens, b.inputTokens);
  const outputTokens = sum(a.outputTokens, b.outputTokens);
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
