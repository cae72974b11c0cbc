import * as z from 'zod/mini';

import type { ModelServerKind } from '../preferences';
import { DIALECTS, parseBaseUrl } from '../providers/base-url';
import {
  parseJson,
  problemSentence,
  refusal,
  refusalSentence,
  RESTART,
  unusable,
  type EmbeddingProblem,
  type EmbeddingRefusal,
  type EmbeddingServer,
} from './embedding-failures';

/**
 * Texts of one request. Small enough for a slow CPU to answer within `ANSWER_MS` (16 passages are some 5,000 tokens) and
 * below what servers take: text-embeddings-inference 32 unless told otherwise, hosted ones from 10 to 2,048.
 */
export const TEXTS_PER_REQUEST = 16;

/** Milliseconds for one request, the loading of the model included. A caller in a hurry hands in its own signal. */
const ANSWER_MS = 120_000;

/** Bytes of one answer: 16 vectors of the longest kind at 24 characters a number are 3 MB, some servers indent. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Bytes of an error answer that are looked at. What it says is in the first line. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Numbers of one vector: twice the longest in use (4,096). */
const MAX_DIMENSIONS = 8_192;

/** UTF-16 units below which a text that is "too long" is not cut further: every embedding model takes 128 tokens. */
const MIN_TEXT_UNITS = 128;

/** What a text is for. Many models were trained with a phrase before it, and find less without. */
type Use = 'passage' | 'query';

/** @public */
export type EmbeddingOutcome =
  /** One vector a text, in the order of the texts, all equally long. */
  | { ok: true; vectors: Float32Array[] }
  /** One sentence. It never holds the key. */
  | { ok: false; message: string };

/**
 * Turns texts into vectors of length 1 (of length 0 where the server gives nothing but zeros). Texts that the model finds
 * too long are cut; a blank one may fail the request, as servers refuse them. Never rejects; ends at once when `signal` fires.
 */
export type Embedder = (
  texts: readonly string[],
  signal: AbortSignal,
  use?: Use,
) => Promise<EmbeddingOutcome>;

export interface EmbedderOptions {
  kind: ModelServerKind;
  /** As typed by a person; see `parseBaseUrl`. */
  address: string;
  /** Empty = none. */
  apiKey: string;
  model: string;
  /** Milliseconds for one request instead of `ANSWER_MS`. */
  answerMs?: number;
}

/** Before passages and queries, by what the model's name holds; from the cards of the models. First match counts. */
const PREFIXES: readonly (readonly [RegExp, Record<Use, string>])[] = [
  [/nomic-embed-text/i, { passage: 'search_document: ', query: 'search_query: ' }],
  [/embeddinggemma/i, { passage: 'title: none | text: ', query: 'task: search result | query: ' }],
  [
    /qwen3-embedding|\be5-.*instruct/i,
    {
      passage: '',
      query:
        'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
    },
  ],
  [/\be5-(?:small|base|large)/i, { passage: 'passage: ', query: 'query: ' }],
  [/arctic-embed(?:2|-[lm]-v2)/i, { passage: '', query: 'query: ' }],
  [
    /mxbai-embed|arctic-embed|\bbge-(?:small|base|large)/i,
    { passage: '', query: 'Represent this sentence for searching relevant passages: ' },
  ],
];

const OllamaSchema = z.object({ embeddings: z.array(z.array(z.number())) });

const OpenAiSchema = z.object({
  data: z.array(
    z.object({ index: z.optional(z.nullable(z.number())), embedding: z.array(z.number()) }),
  ),
});

/** What came of one request. */
type Reply = { kind: 'vectors'; vectors: Float32Array[] } | EmbeddingRefusal;

const STOPPED: EmbeddingOutcome = { ok: false, message: 'Stopped.' };
const failed = (message: string): Reply => ({ kind: 'failed', message });

/**
 * Prepares the embeddings of a model server: `/api/embed` of Ollama, `/embeddings` of the OpenAI dialect. Nothing is sent
 * yet. On fetch and not on the exchange of the model servers, whose code is loaded for a conversation only: what is asked
 * here is small, waits less than fetch's own limits, and redirects are not followed.
 */
export function createEmbedder({
  kind,
  address: typed,
  apiKey: typedKey,
  model: typedModel,
  answerMs = ANSWER_MS,
}: EmbedderOptions): Embedder {
  const model = typedModel.trim();
  const apiKey = typedKey.trim().replace(/^Bearer\s+/i, '');
  const parsed = parseBaseUrl(typed, DIALECTS[kind]);
  const problem =
    kind === 'anthropic'
      ? 'Anthropic offers no embeddings: documents are found by their words.'
      : !parsed.ok
        ? parsed.message
        : model === ''
          ? `No embedding model is set. Enter one, such as nomic-embed-text, ${RESTART}`
          : /[^\t\x20-\x7E\x80-\xFF]/.test(apiKey)
            ? `The API key contains characters that no key has. Copy it again and enter it ${RESTART}`
            : undefined;
  if (!parsed.ok || problem !== undefined)
    return () => Promise.resolve({ ok: false, message: problem ?? '' });

  const server: EmbeddingServer = { kind, address: parsed.address, apiKey, model };
  const prefixes = PREFIXES.find(([name]) => name.test(model))?.[1];
  let perRequest = TEXTS_PER_REQUEST;

  async function batch(texts: readonly string[], signal: AbortSignal): Promise<Reply> {
    let cut = texts;
    for (;;) {
      const reply = await ask(server, cut, signal, answerMs);
      const longest = cut.reduce((most, { length }) => Math.max(most, length), 0);
      if (reply.kind !== 'too-long' || longest <= MIN_TEXT_UNITS) return reply;
      const units = Math.max(MIN_TEXT_UNITS, longest >> 1);
      cut = cut.map((text) => text.slice(0, units));
    }
  }

  return async (texts, signal, use = 'passage') => {
    const prefix = prefixes?.[use] ?? '';
    const vectors: Float32Array[] = [];
    while (vectors.length < texts.length) {
      const next = texts.slice(vectors.length, vectors.length + perRequest);
      const reply = await batch(
        next.map((text) => prefix + text),
        signal,
      );
      if (signal.aborted) return STOPPED;
      if (reply.kind === 'too-many' && next.length > 1) {
        perRequest = next.length >> 1; // and so for what comes later
        continue;
      }
      if (reply.kind === 'failed') return { ok: false, message: reply.message };
      if (reply.kind !== 'vectors')
        return { ok: false, message: refusalSentence(server, reply.kind) };
      vectors.push(...reply.vectors);
      if (vectors.some(({ length }) => length !== vectors[0]?.length))
        return { ok: false, message: unusable(server, 'its vectors are of different lengths') };
    }
    return signal.aborted ? STOPPED : { ok: true, vectors };
  };
}

async function ask(
  server: EmbeddingServer,
  input: readonly string[],
  signal: AbortSignal,
  ms: number,
): Promise<Reply> {
  const { kind, address, model } = server;
  const url = address.base + (kind === 'ollama' ? '/api/embed' : '/embeddings');
  const body =
    kind === 'ollama' ? { model, input } : { model, input, encoding_format: 'float' as const };
  const answer = await post(url, headersOf(server), JSON.stringify(body), signal, ms);
  if (answer.kind !== 'answer') return failed(problemSentence(server, answer, ms));
  const { status, text } = answer;
  if (status < 200 || status >= 300) return refusal(server, status, text);
  const json = parseJson(text);
  if (json === undefined) return failed(unusable(server, 'the answer is no JSON'));
  const rows = kind === 'ollama' ? ollamaRows(json) : openAiRows(json);
  if (rows === undefined) return failed(unusable(server, 'the answer has another form'));
  if (rows.length !== input.length)
    return failed(unusable(server, `${rows.length} vectors came for ${input.length} texts`));
  const dimensions = rows[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS)
    return failed(unusable(server, `a vector has ${dimensions} numbers`));
  return { kind: 'vectors', vectors: rows.map(unitVector) };
}

/** A user name and password in the address belong to a proxy in front of the server; a key goes before them. */
function headersOf({ address, apiKey }: EmbeddingServer): Record<string, string> {
  const authorization = apiKey === '' ? address.basicAuth : `Bearer ${apiKey}`;
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    // A kept-alive socket that the server has just closed looks like a cut answer.
    connection: 'close',
    ...(authorization === undefined ? {} : { authorization }),
  };
}

type Exchange = { kind: 'answer'; status: number; text: string } | EmbeddingProblem;

/** Never rejects. */
async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
  ms: number,
): Promise<Exchange> {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  const clock = { late: false };
  const timer = setTimeout(() => {
    clock.late = true;
    stop();
  }, ms);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual', // the key goes nowhere else
      signal: controller.signal,
    });
    const { status, ok, body: stream } = response;
    const { text, isWhole } = await readText(stream, ok ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES);
    return ok && !isWhole ? { kind: 'too-large' } : { kind: 'answer', status, text };
  } catch (error) {
    return clock.late ? { kind: 'late' } : { kind: 'broken', code: codeOf(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stop(); // closes the socket of an answer that was not read to its end
  }
}

/** The text of a body up to `maxBytes`, decompressed. */
async function readText(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const reader = stream?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) break;
    const { value } = next;
    bytes += value.byteLength;
    if (bytes > maxBytes) return { text, isWhole: false };
    text += decoder.decode(value, { stream: true });
  }
  return { text: text + decoder.decode(), isWhole: true };
}

/** Of a host with several addresses, Node joins the errors of all attempts. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const within: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return within === error ? '' : codeOf(within);
}

function ollamaRows(json: unknown): number[][] | undefined {
  return z.safeParse(OllamaSchema, json).data?.embeddings;
}

/** In the order of `index`; as they stand when no row has one. Undefined when the numbers are not 0, 1, 2, … */
function openAiRows(json: unknown): number[][] | undefined {
  const data = z.safeParse(OpenAiSchema, json).data?.data;
  if (data?.some(({ index }) => typeof index === 'number') !== true)
    return data?.map(({ embedding }) => embedding);
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  const rows = data.map((_, index) => byIndex.get(index));
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function unitVector(numbers: readonly number[]): Float32Array {
  // Divided by the largest first: the square of a very large or very small number is none.
  const largest = numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (largest === 0) return new Float32Array(numbers.length);
  const length = Math.sqrt(numbers.reduce((sum, x) => sum + (x / largest) ** 2, 0));
  return Float32Array.from(numbers, (x) => x / largest / length);
}
