import type { ModelServerKind } from '../preferences';
import type { ServerAddress } from '../providers/base-url';

/** The server that is asked for embeddings. */
export interface EmbeddingServer {
  kind: ModelServerKind;
  address: ServerAddress;
  /** Empty = none. */
  apiKey: string;
  model: string;
}

/** Why there was no answer, or none to its end. */
export type EmbeddingProblem =
  | { kind: 'late' }
  | { kind: 'too-large' }
  /** A system error code; empty when there is none. */
  | { kind: 'broken'; code: string };

/** What an answer of refusal means. */
export type EmbeddingRefusal =
  /** The server takes shorter texts, or fewer at once. */
  { kind: 'too-long' | 'too-many' } | { kind: 'failed'; message: string };

/** The launcher hands preferences to a command when it starts, and never to one that runs. */
export const RESTART = "in Lam's preferences. Then start Lam again.";

const failed = (message: string): EmbeddingRefusal => ({ kind: 'failed', message });

/** The parsed JSON, or undefined if the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const label = ({ kind, address }: EmbeddingServer): string =>
  `${kind === 'ollama' ? 'Ollama' : 'The model server'} at ${address.origin}`;

/** An answer came that is of no use. */
export const unusable = (server: EmbeddingServer, why: string): string =>
  `${label(server)} gave no usable embeddings: ${why}. Choose another embedding model ${RESTART}`;

/** @param ms the limit that was reached, if one was */
export function problemSentence(
  server: EmbeddingServer,
  problem: EmbeddingProblem,
  ms: number,
): string {
  const { kind, address } = server;
  if (problem.kind === 'too-large') return unusable(server, 'the answer is too large');
  if (problem.kind === 'late')
    return `${label(server)} made no embeddings within ${Math.ceil(ms / 1000)} seconds. Choose a smaller embedding model ${RESTART}`;
  if (problem.code === 'ECONNREFUSED')
    return kind === 'ollama'
      ? `Ollama is not running at ${address.origin}. Start it with \`ollama serve\`.`
      : `No model server is running at ${address.origin}. Start it, or set another address ${RESTART}`;
  if (problem.code === 'UND_ERR_SOCKET' || problem.code === 'ECONNRESET')
    return `${label(server)} ended the connection before its embeddings were complete.`;
  const code = /^[A-Z\d_]+$/.test(problem.code) ? ` (${problem.code})` : '';
  return `${label(server)} cannot be reached${code}. Check that it is running, and its address ${RESTART}`;
}

const TOO_LONG = [
  // llama.cpp (500): input (992 tokens) is too large to process. increase the physical batch size (current batch size: 512)
  'too large to process',
  // Ollama (400), from 0.13.5 on also when it was asked to cut: the input length exceeds the context length
  'exceeds the context length',
  // llama.cpp: the request exceeds the available context size; input is larger than the max context size
  'context size',
  // OpenAI, vLLM (400): This model's maximum context length is 512 tokens
  'maximum context length',
  // text-embeddings-inference (413): Input validation error: `inputs` must have less than 512 tokens. Given: 600
  'must have less than',
];

const TOO_MANY = [
  // text-embeddings-inference (422): batch size 64 > maximum allowed batch size 32; DashScope (400): batch size is invalid
  'batch size',
  // Gemini (400): at most 100 requests can be in one batch
  'in one batch',
];

const MODEL_UNKNOWN = [
  // OpenAI, LM Studio: error.code
  'model_not_found',
  // OpenRouter (400): some/model is not a valid model ID
  'not a valid model id',
];

// Ollama: this model does not support embeddings; llama.cpp (501): This server does not support embeddings. Start it with `--embeddings`
const NO_EMBEDDINGS = ['not support embedding'];

/** What an answer with another status than 2xx means. Its words are looked at and never shown: they may repeat the key. */
export function refusal(server: EmbeddingServer, status: number, text: string): EmbeddingRefusal {
  const { kind, address, apiKey, model } = server;
  const words = text.toLowerCase();
  const says = (needles: readonly string[]) => needles.some((needle) => words.includes(needle));
  if (status === 401 || status === 403)
    return failed(
      apiKey === ''
        ? `${label(server)} wants an API key (${status}). Enter it ${RESTART}`
        : `${label(server)} refused the API key (${status}). Check the key ${RESTART}`,
    );
  if (status === 429)
    return failed(`${label(server)} takes no more requests for now (429). Try again later.`);
  if (says(NO_EMBEDDINGS))
    return failed(
      `The model "${model}" makes no embeddings at ${address.origin}. Choose an embedding model ${RESTART}`,
    );
  if (says(TOO_LONG)) return { kind: 'too-long' };
  if (says(TOO_MANY)) return { kind: 'too-many' };
  // A 404 in JSON that speaks of the model: Ollama `model "x" not found, try pulling it first`, vLLM `The model `x` does not exist.`
  const isUnknown = status === 404 && parseJson(text) !== undefined && words.includes('model');
  if (isUnknown || says(MODEL_UNKNOWN))
    return failed(
      kind === 'ollama'
        ? `Ollama does not have the embedding model "${model}". Get it with \`ollama pull ${model}\`.`
        : `${label(server)} does not have the embedding model "${model}". Choose another ${RESTART}`,
    );
  if (status < 400 || status === 404 || status === 405 || status === 501)
    return failed(
      `${label(server)} offers no embeddings (${status}). Check the address ${RESTART}`,
    );
  return failed(
    `${label(server)} could not make embeddings with the model "${model}" (${status}). Try again later, or choose another embedding model ${RESTART}`,
  );
}

/** For a server that refuses even what is as small as can be. */
export function refusalSentence(server: EmbeddingServer, why: 'too-long' | 'too-many'): string {
  const what = why === 'too-long' ? 'texts as short as this' : 'a request with one text';
  return `${label(server)} refuses ${what}. Choose another embedding model ${RESTART}`;
}
