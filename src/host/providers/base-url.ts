import type { ModelServerKind } from '../preferences';

/** The ways of talking that this folder knows. */
export type Dialect = 'openai' | 'ollama' | 'anthropic';

/** How each kind of model server of the preferences is talked to. */
export const DIALECTS: Record<ModelServerKind, Dialect> = {
  ollama: 'ollama',
  'openai-compatible': 'openai',
  anthropic: 'anthropic',
};

/** Where Ollama listens unless its owner says otherwise (its own default of OLLAMA_HOST). */
const OLLAMA_DEFAULT_URL = 'http://127.0.0.1:11434';

/** Where the Messages API is served by its makers. */
export const ANTHROPIC_DEFAULT_URL = 'https://api.anthropic.com';

/** The address that stands for an empty field; the OpenAI dialect has too many servers for one. */
const DEFAULT_URLS: Partial<Record<Dialect, string>> = {
  ollama: OLLAMA_DEFAULT_URL,
  anthropic: ANTHROPIC_DEFAULT_URL,
};

/** A model server's address, taken apart. */
export interface ServerAddress {
  /** Scheme, host and port; for messages. */
  origin: string;
  /** What paths such as `/chat/completions` or `/api/chat` are appended to. No slash at the end. */
  base: string;
  /** True for this machine itself (loopback), whose models may be slow but whose network is not. */
  local: boolean;
  /** The value of an Authorization header, when the address carried a user name and password. */
  basicAuth?: string;
  /** That password, to be kept out of messages. */
  password?: string;
}

export type AddressOutcome = { ok: true; address: ServerAddress } | { ok: false; message: string };

/** Paths that people paste together with the address, by dialect; longest first. */
const PASTED_PATHS: Record<Dialect, readonly RegExp[]> = {
  openai: [/\/chat\/completions$/i, /\/completions$/i, /\/responses$/i, /\/models$/i],
  ollama: [
    /\/v1\/chat\/completions$/i,
    /\/v1\/models$/i,
    /\/api\/(?:chat|generate|tags|show|version)$/i,
    /\/(?:api|v1)$/i,
  ],
  anthropic: [/\/v1\/messages(?:\/count_tokens)?$/i, /\/v1\/models$/i, /\/v1$/i],
};

const OLLAMA_PORT = '11434';

/**
 * Reads the address a person typed or pasted. Pure; never throws.
 *
 * - No scheme: `http` for IP addresses, `localhost`, names without a dot, private endings (`.local`, `.lan`, …) and
 *   any address with a port other than 443; else `https`.
 * - Ollama without a scheme and without a port: port 11434, as Ollama's own client reads OLLAMA_HOST.
 * - `0.0.0.0` and `[::]` are addresses to listen on; to connect, this machine's loopback address is meant.
 * - A pasted `/chat/completions`, `/api/chat`, … is taken off, with slashes at the end, query and fragment.
 * - Anthropic dialect: the paths of the API begin with `/v1`, so a `/v1` at the end is taken off; any other path stays.
 * - OpenAI dialect: an address without any path gets `/v1`. A path that is there is kept as it is (`/api/v1`,
 *   `/openai`, `/v1beta/openai`), also when only `/chat/completions` was pasted behind the host.
 *
 * @returns the address, or one sentence that says what is wrong with it.
 */
export function parseBaseUrl(typed: string, dialect: Dialect): AddressOutcome {
  const text = typed
    .trim()
    .replace(/^["'<]+/, '')
    .replace(/[">']+$/, '')
    .trim();
  if (text === '') {
    const standard = DEFAULT_URLS[dialect];
    return standard !== undefined
      ? parseBaseUrl(standard, dialect)
      : {
          ok: false,
          message:
            "The OpenAI-compatible server needs a Server Address, such as http://127.0.0.1:1234/v1. Enter it in Lam's preferences.",
        };
  }

  const url = parseUrl(text, dialect);
  if (!url) return { ok: false, message: invalid(text, 'is not a web address') };
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { ok: false, message: invalid(text, 'does not begin with http:// or https://') };

  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';

  const address: ServerAddress = {
    origin: url.origin,
    base: url.origin + basePath(url.pathname, dialect),
    local: isLoopback(url.hostname),
  };
  if (url.username !== '' || url.password !== '') {
    const user = decoded(url.username);
    address.password = decoded(url.password);
    address.basicAuth = `Basic ${Buffer.from(`${user}:${address.password}`).toString('base64')}`;
  }
  return { ok: true, address };
}

function parseUrl(text: string, dialect: Dialect): URL | undefined {
  if (/\s/.test(text)) return undefined;
  // `localhost:11434` is, to a URL parser, the scheme "localhost:".
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|https?:)/i.test(text)) return parsed(text);
  const rest = text.replace(/^\/+/, '');
  const url = parsed(`http://${rest}`);
  if (!url) return undefined;
  if (url.port === '' && dialect === 'ollama') url.port = OLLAMA_PORT;
  else if (isPublicName(url) && !/^[^/?#]*:80(?:[/?#]|$)/.test(rest))
    return parsed(`https://${rest}`);
  return url;
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isPublicName({ hostname, port }: URL): boolean {
  if (port !== '' && port !== '443') return false;
  if (!hostname.includes('.') || /^[\d.]+$/.test(hostname)) return false;
  return !/\.(?:local|localhost|lan|home|internal|intranet|arpa)\.?$/.test(hostname);
}

function isLoopback(hostname: string): boolean {
  return (
    /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
    hostname === '[::1]' ||
    /(?:^|\.)localhost$/.test(hostname)
  );
}

function basePath(pathname: string, dialect: Dialect): string {
  let path = withoutTrailingSlashes(pathname);
  const pasted = PASTED_PATHS[dialect].find((ending) => ending.test(path));
  if (pasted) return withoutTrailingSlashes(path.replace(pasted, ''));
  if (path === '' && dialect === 'openai') path = '/v1';
  return path;
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(text: string, why: string): string {
  // Never repeat what may be a password or a key pasted into the wrong field.
  const shown = text.length > 60 || text.includes('@') ? 'The address' : `"${text}"`;
  return `${shown} of the model server ${why}. Correct it in Lam's preferences.`;
}
