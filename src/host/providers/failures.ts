import type { Failure, FailureKind } from '../../lib/types';

import type { Dialect } from './base-url';
import { parseErrorBody, type ErrorDetails } from './error-body';
import type { Problem } from './http-exchange';
import { quote } from './quote';

/** The server a failure is about. */
export interface ServerFacts {
  dialect: Dialect;
  /** Scheme, host and port. */
  origin: string;
  /** Key and password in use: they never appear in a sentence. */
  secrets: readonly string[];
  /** False = Lam sent no key. */
  hasKey: boolean;
}

interface Facts {
  server: ServerFacts;
  /** The model that was asked for; '' while listing models. */
  model: string;
  /** The server's own words, already cleaned; '' if none. */
  said: string;
  status: number;
  /** Milliseconds: of the limit that was reached, or that the server asked to wait. */
  ms: number;
  /** A system error code or the target of a redirect. */
  detail: string;
  /** True if some of the answer's text had arrived: then Continue is offered. */
  begun: boolean;
}

/** "Ollama at http://127.0.0.1:11434", for sentences that begin with the server's name. */
function providerLabel({ dialect, origin }: Pick<ServerFacts, 'dialect' | 'origin'>): string {
  return `${dialect === 'ollama' ? 'Ollama' : 'The model server'} at ${origin}`;
}

const label = ({ server }: Facts) => providerLabel(server);
const said = (facts: Facts) => (facts.said === '' ? '' : ` It said: “${facts.said}”`);
const seconds = (ms: number) =>
  `${Math.ceil(ms / 1000)} ${ms > 0 && ms <= 1000 ? 'second' : 'seconds'}`;
const duration = (ms: number) =>
  ms <= 120_000 ? seconds(ms) : `about ${Math.ceil(ms / 60_000)} minutes`;
const SETTINGS = "Lam's preferences";
/** The launcher hands preferences to a command when it starts, and never to one that runs. */
const RESTART = 'Then start Lam again.';
/** What may be wrong with the address when something answers that is no model server. */
const ADDRESS_HINTS: Record<Dialect, string> = {
  ollama: '. If it is not Ollama, set Model Server to OpenAI-compatible',
  openai: '; it often ends in /v1',
  anthropic: '; it is what stands before /v1/messages',
};
const addressHint = ({ server }: Facts) => ADDRESS_HINTS[server.dialect];
const API_NAMES: Record<Dialect, string> = {
  ollama: 'Ollama',
  openai: 'an OpenAI-compatible model server',
  anthropic: 'a server of the Anthropic Messages API',
};

/**
 * Every way to fail: its kind, what the person reads, and a title where that of the kind would not fit. One row each;
 * nothing else in this folder words a failure.
 */
const SENTENCES = {
  refused: [
    'not-running',
    ({ server }) =>
      server.dialect === 'ollama'
        ? `Ollama is not running at ${server.origin}. Start it with \`ollama serve\`, or set another model server in ${SETTINGS}.`
        : `No model server is running at ${server.origin}. Start it, or set another address in ${SETTINGS}.`,
  ],
  unreachable: [
    'not-running',
    (f) =>
      `${label(f)} cannot be reached (${f.detail}). Check the network connection, or set another address in ${SETTINGS}.`,
  ],
  'connect-timeout': [
    'not-running',
    (f) =>
      `${label(f)} did not take the connection within ${seconds(f.ms)}. Check that it is running and the network, or set another address in ${SETTINGS}.`,
  ],
  dns: [
    'wrong-address',
    ({ server }) =>
      `There is no host of the name in ${server.origin}. Check the network connection, and the spelling of the model server's address in ${SETTINGS}. ${RESTART}`,
  ],
  tls: [
    'wrong-address',
    (f) =>
      `No secure connection to ${f.server.origin} (${f.detail}). Check the address in ${SETTINGS}: a server on your own machine usually needs http:// instead of https://. ${RESTART}`,
    'No secure connection',
  ],
  certificate: [
    'wrong-address',
    (f) =>
      `The certificate of ${f.server.origin} is not trusted (${f.detail}). Install the server's certificate authority on this machine, or check the address in ${SETTINGS}. ${RESTART}`,
    'No secure connection',
  ],
  'not-http': [
    'wrong-address',
    (f) =>
      `Something listens at ${f.server.origin}, but it does not speak HTTP. Check the port, and http:// against https://, in ${SETTINGS}. ${RESTART}`,
  ],
  redirect: [
    'wrong-address',
    (f) =>
      `${label(f)} redirects to ${f.detail}; Lam does not follow redirects with your key. Set that address in ${SETTINGS}. ${RESTART}`,
    'The address has moved',
  ],
  'wrong-address': [
    'wrong-address',
    (f) =>
      `${f.server.origin} answers, but not as ${API_NAMES[f.server.dialect]} (${f.status}). Check the address in ${SETTINGS}${addressHint(f)}. ${RESTART}${said(f)}`,
  ],
  'no-address': ['wrong-address', (f) => `${f.detail} ${RESTART}`, 'No server address yet'],
  'bad-address': ['wrong-address', (f) => `${f.detail} ${RESTART}`],
  'no-key': [
    'unauthorized',
    (f) =>
      `${label(f)} wants an API key (${f.status}). Enter it in ${SETTINGS}. ${RESTART}${said(f)}`,
    'An API key is needed',
  ],
  'key-refused': [
    'unauthorized',
    (f) =>
      `${label(f)} refused the API key (${f.status}). Check the key in ${SETTINGS}. ${RESTART}${said(f)}`,
  ],
  'unusable-key': [
    'unauthorized',
    () =>
      `The API key contains characters that no key has. Copy it again and enter it in ${SETTINGS}. ${RESTART}`,
    'The API key is damaged',
  ],
  'no-credit': [
    'unauthorized',
    (f) =>
      `The account behind the API key has no credit left at ${f.server.origin} (${f.status}). Add credit there, or set another model server in ${SETTINGS}.${said(f)}`,
    'No credit left',
  ],
  quota: [
    'rate-limited',
    (f) =>
      `The quota of the API key is used up at ${f.server.origin} (${f.status}). Raise it there, or set another model server in ${SETTINGS}.${said(f)}`,
    'Quota used up',
  ],
  'rate-limited': [
    'rate-limited',
    (f) =>
      `${label(f)} takes no more requests for now (429). ${f.ms > 0 ? `Ask again in ${duration(f.ms)}.` : 'Wait a little and ask again.'}${said(f)}`,
  ],
  'model-not-found': [
    'model-not-found',
    (f) =>
      f.server.dialect === 'ollama'
        ? `Ollama does not have the model "${f.model}". Get it with \`ollama pull ${f.model}\`, or choose another in ${SETTINGS}.`
        : `${label(f)} does not have the model "${f.model}". Choose another in ${SETTINGS}.${said(f)}`,
  ],
  'no-model': [
    'no-model',
    ({ server }) =>
      server.dialect === 'ollama'
        ? `Ollama at ${server.origin} has no model to talk to. Get one, for example with \`ollama pull qwen3:4b\`, or set a model in ${SETTINGS}. ${RESTART}`
        : `The model server at ${server.origin} lists no model that fits. Set a model in ${SETTINGS}. ${RESTART}`,
  ],
  'no-tools': [
    'no-tools',
    (f) =>
      `The model "${f.model}" cannot call tools at ${f.server.origin}, so Lam cannot search with it. Choose another model in ${SETTINGS}.${said(f)}`,
  ],
  'no-images': [
    'bad-request',
    (f) =>
      `The model "${f.model}" cannot see images at ${f.server.origin}. Choose a model that can, or ask without the image.${said(f)}`,
    'The model cannot see',
  ],
  'context-length': [
    'context-length',
    (f) =>
      `The conversation is too long for the model "${f.model}". Start a new conversation, or choose a model with a longer context.${said(f)}`,
  ],
  'bad-request': [
    'bad-request',
    (f) =>
      `${label(f)} did not accept the request (${f.status}). Try another model, or check the address in ${SETTINGS}.${said(f)}`,
  ],
  loading: [
    'server-error',
    (f) => `${label(f)} is still loading its model (${f.status}). Wait a little and ask again.`,
    'The model is loading',
  ],
  overloaded: [
    'server-error',
    (f) => `${label(f)} is overloaded (${f.status}). Ask again in a minute.`,
    'The server is overloaded',
  ],
  'server-error': [
    'server-error',
    (f) => `${label(f)} failed (${f.status}). Ask again in a while.${said(f)}`,
  ],
  html: [
    'not-json',
    (f) =>
      `${f.server.origin} answers with a web page, not as a model server. Check the address in ${SETTINGS}${addressHint(f)}. ${RESTART}`,
  ],
  'not-json': [
    'not-json',
    (f) =>
      `${f.server.origin} answers with something that is not JSON. Check the address in ${SETTINGS}${addressHint(f)}. ${RESTART}`,
  ],
  'not-a-stream': [
    'not-a-stream',
    (f) =>
      `${label(f)} answered with one JSON document that holds no answer. Check the address and the model in ${SETTINGS}.`,
  ],
  'stream-error': [
    'stream-error',
    (f) => `${label(f)} reported an error while answering. Ask again.${said(f)}`,
  ],
  garbled: [
    'stream-error',
    (f) => `${label(f)} sent something unreadable in the middle of the answer. Ask again.`,
  ],
  cut: [
    'cut',
    (f) =>
      `${label(f)} closed the connection before the answer was complete. ${f.begun ? 'Continue goes on from here; Try Again starts over.' : 'Try again.'}`,
  ],
  silent: [
    'silent',
    (f) =>
      `${label(f)} sent nothing for ${duration(f.ms)}. Check that it is not overloaded, and ask again.`,
  ],
  empty: [
    'empty',
    (f) => `${label(f)} sent an empty answer. Ask again, or choose another model in ${SETTINGS}.`,
  ],
  aborted: ['aborted', () => 'Stopped.'],
} satisfies Record<string, Row>;

type Row = [kind: FailureKind, sentence: (facts: Facts) => string, title?: string];

/** Names of the rows above. */
export type Cause = keyof typeof SENTENCES;

/** Builds the failure of one row. `said` may be raw: it is cleaned and stripped of secrets here. */
export function failureOf(
  cause: Cause,
  server: ServerFacts,
  facts: Partial<Omit<Facts, 'server'>> = {},
): Failure {
  const [kind, sentence, title]: Row = SENTENCES[cause];
  const complete: Facts = {
    model: '',
    status: 0,
    ms: 0,
    detail: '',
    begun: false,
    ...facts,
    server,
    said: quote(facts.said ?? '', server.secrets),
  };
  const failure: Failure = { kind, message: sentence(complete) };
  if (title !== undefined) failure.title = title;
  if (cause === 'rate-limited' && facts.ms !== undefined) failure.retryAfterMs = facts.ms;
  return failure;
}

/** What it means that there was no answer, or that it broke off. */
export function problemFailure(problem: Problem, server: ServerFacts): Failure {
  return failureOf(problem.type, server, {
    ...('detail' in problem ? { detail: problem.detail } : {}),
    ...('ms' in problem ? { ms: problem.ms } : {}),
  });
}

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
