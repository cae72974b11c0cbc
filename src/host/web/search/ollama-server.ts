import type { Preferences } from '../../preferences';
import { parseBaseUrl } from '../../providers/base-url';
import type { OllamaServer } from './choice';

/**
 * The Ollama server that may search: the one that answers, else the one on this machine. It gets the key, or the user name
 * and password of its address, as the chat sends them.
 */
export function ollamaServer({
  modelServer,
  address,
  apiKey,
}: Pick<Preferences, 'modelServer' | 'address' | 'apiKey'>): OllamaServer {
  const own = modelServer === 'ollama' ? parseBaseUrl(address, 'ollama') : undefined;
  const parsed = own?.ok === true ? own : parseBaseUrl('', 'ollama');
  const { base: baseUrl = '', basicAuth } = parsed.ok ? parsed.address : {};
  // As `connect` of the providers reads it: many pages show a key with the word that goes before it.
  const key = own?.ok === true ? apiKey.trim().replace(/^Bearer\s+/i, '') : '';
  return { baseUrl, apiKey: key, authorization: key === '' ? basicAuth : `Bearer ${key}` };
}
