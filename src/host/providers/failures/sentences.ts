import type { Failure, FailureKind } from '../../../lib/types';

import type { Dialect } from '../base-url';
import type { Problem } from '../http-exchange';
import { quote } from '../quote';

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
 * nothing else in `providers` words a failure.
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
