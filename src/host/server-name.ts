import type { Preferences } from './preferences';

/** What kinds of servers are called; one that anybody may run is called by its host. */
const NAMES = { ollama: 'Ollama', anthropic: 'Anthropic', 'openai-compatible': '' } as const;

/**
 * The model server as it stands over its models: `Ollama`, `Ollama at nas.local:11434`, `api.openai.com`. Of the address only
 * the host is used: the rest may hold a key.
 */
export function serverNameOf({
  modelServer,
  address,
}: Pick<Preferences, 'modelServer' | 'address'>): string {
  const name = NAMES[modelServer];
  const url = /^[a-z][a-z\d+.-]*:\/\//iu.test(address) ? address : `http://${address}`;
  const host = address !== '' && URL.canParse(url) ? new URL(url).host : '';
  if (host === '') return name === '' ? 'Model server' : name;
  if (name === '') return host;
  return /^(?:localhost|127\.|\[::1\])/u.test(host) ? name : `${name} at ${host}`;
}
