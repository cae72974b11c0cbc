import type { Failure } from '../../../lib/types';

import { parseErrorBody, type ErrorDetails } from '../error-body';
import { quote } from '../quote';
import { failureOf, type Cause, type ServerFacts } from './sentences';

/** An HTTP answer that is no success. */
export interface ErrorAnswer {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As much of the body as was read. */
  body: string;
}

/**
 * What an answer with another status than 2xx means. The status decides first, then the machine-readable code, and the
 * wording only where servers give nothing else.
 *
 * @param now milliseconds since the epoch, for a `retry-after` given as a date.
 */
export function statusFailure(
  answer: ErrorAnswer,
  server: ServerFacts,
  model: string,
  now: number,
): Failure {
  const { status, headers } = answer;
  const details = parseErrorBody(answer.body);
  const facts = { model, status, said: details?.message ?? '' };
  const wait = status === 429 ? retryAfterMs(headers, now) : undefined;

  if (status >= 300 && status < 400)
    return failureOf('redirect', server, { status, detail: redirectTarget(headers, server) });
  if (status === 429 && details?.codes.includes('insufficient_quota'))
    return failureOf('quota', server, facts);
  if (status === 429)
    return failureOf('rate-limited', server, wait === undefined ? facts : { ...facts, ms: wait });
  if (status === 401 || status === 403)
    return failureOf(server.hasKey ? 'key-refused' : 'no-key', server, facts);
  if (status === 402) return failureOf('no-credit', server, facts);
  if (status === 413) return failureOf('context-length', server, facts);

  const known = details && causeOf(details, model, status);
  if (known) return failureOf(known, server, facts);
  if (details && isOverload(details, status)) return failureOf('overloaded', server, facts);
  if (status === 404 || status === 405) return failureOf('wrong-address', server, facts);
  // llama.cpp while it reads the file: 503 {"error":{"message":"Loading model","type":"unavailable_error","code":503}}
  if (status === 503 && details?.codes.includes('unavailable_error'))
    return failureOf('loading', server, facts);
  return failureOf(status >= 500 ? 'server-error' : 'bad-request', server, facts);
}

/** What an error inside a stream that began well means. */
export function streamFailure(details: ErrorDetails, server: ServerFacts, model: string): Failure {
  const status = details.status ?? 200;
  const facts = { model, status, said: details.message };
  if (details.codes.includes('insufficient_quota')) return failureOf('quota', server, facts);
  const { codes } = details;
  if (status === 429 || codes.includes('rate_limit_exceeded') || codes.includes(RATE_CODE))
    return failureOf('rate-limited', server, { model, status, said: details.message });
  if (status === 402) return failureOf('no-credit', server, facts);
  if (isOverload(details, status))
    return failureOf('overloaded', server, { ...facts, status: OVERLOAD_STATUS });
  return failureOf(causeOf(details, model, status) ?? 'stream-error', server, facts);
}

/** Anthropic: `error.type` of a stream that hits a rate limit. */
const RATE_CODE = 'rate_limit_error';

/** Anthropic's status for "too many people ask at once"; inside a stream only `overloaded_error` says it. */
const OVERLOAD_STATUS = 529;

function isOverload({ codes }: ErrorDetails, status: number): boolean {
  return status === OVERLOAD_STATUS || codes.includes('overloaded_error');
}

const CONTEXT_CODES = [
  'context_length_exceeded', // OpenAI, Groq: error.code
  'exceed_context_size_error', // llama.cpp: error.type
];

const CONTEXT_WORDS = [
  // vLLM, OpenRouter: This model's maximum context length is 4096 tokens. However, you requested 5000 tokens …
  'maximum context length',
  // Ollama: the input length exceeds the context length
  'exceeds the context length',
  // LM Studio: The number of tokens to keep from the initial prompt is greater than the context length.
  'greater than the context length',
  // llama.cpp before the type existed: the request exceeds the available context size, try increasing it
  'exceeds the available context size',
  // Anthropic (400): prompt is too long: 208310 tokens > 200000 maximum
  'prompt is too long',
  // Anthropic (400): input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease …
  'exceed context limit',
];

// Anthropic (400): Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing …
const CREDIT_WORDS = ['credit balance is too low'];

const NO_IMAGES_WORDS = [
  // OpenAI (400): Invalid content type. image_url is only supported by certain models.
  'image_url is only supported by certain models',
  // OpenRouter (404): No endpoints found that support image input
  'no endpoints found that support image input',
  // Ollama: this model does not support images; LM Studio: Model does not support images. Please use a model that does.
  'does not support image',
  // llama.cpp (500): image input is not supported - hint: if this is unexpected, you may need to provide the mmproj
  'image input is not supported',
  // vLLM (400): … is not a multimodal model
  'is not a multimodal model',
];

const NO_TOOLS_WORDS = [
  // Ollama: registry.ollama.ai/library/gemma3:4b does not support tools
  'does not support tools',
  // OpenRouter (404): No endpoints found that support tool use. To learn more about provider routing, visit: …
  'no endpoints found that support tool use',
  // vLLM: "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set
  'tool choice requires --enable-auto-tool-choice',
  // llama.cpp (500): tools param requires --jinja flag
  'tools param requires --jinja',
];

/** OpenAI and LM Studio. vLLM says `notfounderror`, which is any route; its message names the model. */
const MODEL_CODES = ['model_not_found'];

const MODEL_WORDS = [
  // OpenRouter (400): some/model is not a valid model ID
  'is not a valid model id',
];

// LM Studio, with status 200: {"error":"Unexpected endpoint or method. (POST /chat/completions). Returning 200 anyway"}
const WRONG_ENDPOINT_WORDS = ['unexpected endpoint or method'];

function causeOf(details: ErrorDetails, model: string, status: number): Cause | undefined {
  const { codes } = details;
  if (codes.some((code) => CONTEXT_CODES.includes(code))) return 'context-length';
  if (codes.some((code) => MODEL_CODES.includes(code))) return 'model-not-found';
  const words = details.message.toLowerCase();
  const says = (needles: readonly string[]) => needles.some((needle) => words.includes(needle));
  if (says(CONTEXT_WORDS)) return 'context-length';
  if (says(CREDIT_WORDS)) return 'no-credit';
  if (says(NO_IMAGES_WORDS)) return 'no-images';
  if (says(NO_TOOLS_WORDS)) return 'no-tools';
  if (says(MODEL_WORDS)) return 'model-not-found';
  if (says(WRONG_ENDPOINT_WORDS)) return 'wrong-address';
  // A 404 whose message names the model we asked for: Ollama `model 'x' not found`, Anthropic `model: x`, vLLM `The model `x` does not exist.`
  if (status === 404 && model !== '' && words.includes(model.toLowerCase()))
    return 'model-not-found';
  return undefined;
}

/**
 * The wait a server asks for, in milliseconds: `retry-after-ms` (OpenAI), `retry-after` in seconds or as an HTTP date.
 * Undefined if there is none that can be read; never negative.
 *
 * @internal Exported for tests.
 */
export function retryAfterMs(headers: ErrorAnswer['headers'], now: number): number | undefined {
  const milliseconds = number(headers['retry-after-ms']);
  if (milliseconds !== undefined) return Math.round(milliseconds);
  const value = headers['retry-after'];
  const inSeconds = number(value);
  if (inSeconds !== undefined) return Math.round(inSeconds * 1000);
  const date = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(value)
    ? Number(value)
    : undefined;
}

function redirectTarget({ location }: ErrorAnswer['headers'], server: ServerFacts): string {
  if (typeof location !== 'string' || !URL.canParse(location, server.origin)) return 'elsewhere';
  const { origin, pathname } = new URL(location, server.origin);
  return quote(origin === 'null' ? 'elsewhere' : origin + pathname, server.secrets);
}
