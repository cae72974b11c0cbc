import type { ChatEvent, Failure } from '../../lib/types';

import { ANTHROPIC_DEFAULT_URL, parseBaseUrl, type Dialect, type ServerAddress } from './base-url';
import {
  failureOf,
  problemFailure,
  statusFailure,
  type ErrorAnswer,
  type ServerFacts,
} from './failures';
import { exchange, readBody, type Answer, type ExchangeRequest } from './http-exchange';
import { parseJson } from './lenient';
import { systemTimers, type Timers } from './timers';
import type { WireDecoder } from './wire';

/**
 * Milliseconds of silence before the first token, for a server elsewhere. Hosted models begin within seconds, also
 * with a full context and a queue before them.
 */
const FIRST_TOKEN_MS = 120_000;

/**
 * The same for this machine: the model may first be loaded from a slow disk (Ollama itself allows five minutes for it)
 * and a long conversation read by a CPU.
 *
 * @internal Exported for tests.
 */
export const FIRST_TOKEN_LOCAL_MS = 300_000;

/**
 * Milliseconds of silence once the answer has begun. Even a slow CPU writes a token every few seconds.
 *
 * @internal Exported for tests.
 */
export const IDLE_MS = 60_000;

/**
 * Milliseconds to wait for usage and the end of the stream once the reason to end is known; without them the answer is complete all the same.
 *
 * @internal Exported for tests.
 */
export const TRAILER_MS = 5_000;

/** Milliseconds for a list of models: shown while a person waits, and no model is needed to answer it. */
const LIST_MS = 15_000;

/** Bytes of a list of models; the longest known, of a gateway with hundreds, is below two megabytes. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** The version of the Messages API that is spoken; servers require the header. */
const ANTHROPIC_VERSION = '2023-06-01';

/** Options of every model server. */
export interface ConnectionOptions {
  /** As typed by a person; see `parseBaseUrl`. */
  baseUrl: string;
  /** Empty = none. */
  apiKey?: string | undefined;
  /** Milliseconds without a byte, before the first token and after it, instead of FIRST_TOKEN_MS and IDLE_MS. */
  idleMs?: number | undefined;
  timers?: Timers | undefined;
}

/** A server that can be asked. */
export interface Connection {
  server: ServerFacts;
  /** Asks for a stream. The last event is exactly one `end` or `error`; never throws. */
  converse(plan: ConversationPlan, signal: AbortSignal): AsyncGenerator<ChatEvent>;
  /** Asks for one JSON document. Never rejects. */
  fetchJson(path: string, signal: AbortSignal, body?: unknown): Promise<JsonOutcome>;
}

type JsonOutcome = { ok: true; json: unknown } | { ok: false; failure: Failure };

interface ConversationPlan {
  model: string;
  path: string;
  /** Accepted media type. */
  accept: string;
  /** The body; called again for a second attempt. */
  body(): string;
  decoder(): WireDecoder;
  /** True = ask once more, because what was refused can be left out. Called at most once per question. */
  retry?(answer: ErrorAnswer): boolean;
}

export type ConnectionOutcome =
  { ok: true; connection: Connection } | { ok: false; failure: Failure };

/** Prepares the connection to a server. Nothing is sent yet; fails only on an address that is none. */
export function connect(dialect: Dialect, options: ConnectionOptions): ConnectionOutcome {
  const apiKey = (options.apiKey ?? '').trim().replace(/^Bearer\s+/i, '');
  const parsed = parseBaseUrl(options.baseUrl, dialect);
  const secrets = [apiKey, (parsed.ok && parsed.address.password) || ''].filter((s) => s !== '');
  const server: ServerFacts = {
    dialect,
    origin: parsed.ok ? parsed.address.origin : '',
    secrets,
    hasKey: secrets.length > 0,
  };
  if (!parsed.ok) {
    const cause = options.baseUrl.trim() === '' ? 'no-address' : 'bad-address';
    return { ok: false, failure: failureOf(cause, server, { detail: parsed.message }) };
  }
  return { ok: true, connection: connectTo(parsed.address, server, apiKey, options) };
}

function connectTo(
  address: ServerAddress,
  server: ServerFacts,
  apiKey: string,
  { idleMs, timers = systemTimers }: ConnectionOptions,
): Connection {
  const { base, local } = address;
  const identity = identityHeaders(server.dialect, apiKey, address);
  const limits = {
    waiting: idleMs ?? (local ? FIRST_TOKEN_LOCAL_MS : FIRST_TOKEN_MS),
    answering: idleMs ?? IDLE_MS,
    trailer: TRAILER_MS,
    over: TRAILER_MS,
  };

  function requestFor(path: string, accept: string, body?: string): ExchangeRequest {
    return {
      method: body === undefined ? 'GET' : 'POST',
      url: base + path,
      headers: {
        accept,
        ...identity,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    };
  }

  /** The answer if it is a success, else what it means. */
  async function successful(
    answer: Answer,
    model: string,
    retry: (answer: ErrorAnswer) => boolean,
  ): Promise<
    { ok: true } | { ok: false; retry: true } | { ok: false; retry: false; failure: Failure }
  > {
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return { ok: true };
    const { text, problem } = await readBody(answer, timers);
    if (problem?.type === 'aborted')
      return { ok: false, retry: false, failure: problemFailure(problem, server) };
    const error: ErrorAnswer = { status, headers, body: text };
    return retry(error)
      ? { ok: false, retry: true }
      : { ok: false, retry: false, failure: statusFailure(error, server, model, timers.now()) };
  }

  async function* attempt(
    plan: ConversationPlan,
    signal: AbortSignal,
    isFirst: boolean,
  ): AsyncGenerator<ChatEvent, 'again' | undefined> {
    const decoder = plan.decoder();
    const outcome = await exchange(requestFor(plan.path, plan.accept, plan.body()), {
      signal,
      timers,
      idleMs: () => limits[decoder.phase],
    });
    if (!outcome.ok) {
      yield { type: 'error', failure: problemFailure(outcome.problem, server) };
      return undefined;
    }
    const { answer } = outcome;
    try {
      const success = await successful(
        answer,
        plan.model,
        (error) => isFirst && plan.retry?.(error) === true,
      );
      if (!success.ok) {
        if (success.retry) return 'again';
        yield { type: 'error', failure: success.failure };
        return undefined;
      }
      for await (const bytes of answer.body) {
        yield* decoder.push(bytes);
        if (decoder.phase === 'over') return undefined;
      }
      const problem = answer.problem();
      yield* decoder.close(problem && problemFailure(problem, server));
      return undefined;
    } finally {
      answer.close();
    }
  }

  async function* attempts(plan: ConversationPlan, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    if ((yield* attempt(plan, signal, true)) === 'again') yield* attempt(plan, signal, false);
  }

  return {
    server,
    async *converse(plan, signal) {
      const stopped: ChatEvent = { type: 'error', failure: failureOf('aborted', server) };
      try {
        for await (const event of attempts(plan, signal)) {
          if (signal.aborted) break;
          yield event;
          if (event.type === 'end' || event.type === 'error') return;
        }
        yield stopped;
      } catch (error) {
        // Only a question that cannot be written as JSON comes here; the contract is that nothing is thrown.
        const said = error instanceof Error ? error.message : String(error);
        yield { type: 'error', failure: failureOf('bad-request', server, { said }) };
      }
    },
    async fetchJson(path, signal, body) {
      const outcome = await exchange(
        requestFor(path, 'application/json', body === undefined ? undefined : JSON.stringify(body)),
        { signal, timers, idleMs: () => LIST_MS },
      );
      if (!outcome.ok) return { ok: false, failure: problemFailure(outcome.problem, server) };
      const { answer } = outcome;
      const success = await successful(answer, '', () => false);
      if (!success.ok)
        return {
          ok: false,
          failure: success.retry ? failureOf('bad-request', server) : success.failure,
        };
      const { text, problem } = await readBody(answer, timers, {
        maxBytes: MAX_LIST_BYTES,
        ms: LIST_MS,
      });
      if (problem) return { ok: false, failure: problemFailure(problem, server) };
      const json = parseJson(text);
      if (json !== undefined) return { ok: true, json };
      const cause = text.trimStart().startsWith('<') ? 'html' : 'not-json';
      return { ok: false, failure: failureOf(cause, server) };
    },
  };
}

/**
 * The headers that say who asks. A user name and password in the address belong to a proxy in front of the server. Of servers
 * of the Messages API only Anthropic's own is sure to read `x-api-key`: vLLM and gateways want the key as a bearer token.
 *
 * @internal Exported for tests.
 */
export function identityHeaders(
  dialect: Dialect,
  apiKey: string,
  { origin, basicAuth }: Pick<ServerAddress, 'origin' | 'basicAuth'>,
): Record<string, string> {
  const basic: Record<string, string> = basicAuth === undefined ? {} : { authorization: basicAuth };
  const bearer: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  if (dialect === 'anthropic')
    return {
      ...(origin === ANTHROPIC_DEFAULT_URL ? {} : bearer),
      ...basic,
      'anthropic-version': ANTHROPIC_VERSION,
      ...(apiKey === '' ? {} : { 'x-api-key': apiKey }),
    };
  return { ...basic, ...bearer };
}

/** Ids of tool calls that already stand in the conversation. */
export function takenCallIds(
  messages: readonly { role: string; toolCalls?: { id: string }[] }[],
): string[] {
  return messages.flatMap(({ toolCalls }) => toolCalls?.map(({ id }) => id) ?? []);
}

/** A stream that is only one failure. */
// eslint-disable-next-line @typescript-eslint/require-await -- the contract is an AsyncIterable
export async function* failedStream(failure: Failure): AsyncGenerator<ChatEvent> {
  yield { type: 'error', failure };
}
