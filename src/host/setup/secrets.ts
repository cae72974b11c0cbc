import type { Preferences } from '../preferences';
import { withoutSecrets } from '../providers/quote';

/** Code points of a text of the check: a failure with what the server said is at most some 450. */
const MAX_CHARS = 600;

/**
 * Preferences that hold a secret; `address` and `searxngUrl` may hold one too, and are shown without it.
 *
 * @internal Exported for tests.
 */
export const KEY_FIELDS = ['apiKey', 'braveKey', 'tavilyKey', 'exaKey', 'ollamaKey'] as const;

/**
 * Every spelling of a secret that a server may repeat: as it was typed, without the word that many pages show before it, as in
 * an address, and in the header of a user name and password. Longest first, so that a part does not hide the whole.
 */
export function secretsOf(preferences: Preferences): string[] {
  const typed = KEY_FIELDS.map((name) => preferences[name]);
  const inAddresses = [preferences.address, preferences.searxngUrl].flatMap((address) => {
    const { userInfo, password } = credentialsOf(address);
    return password === '' ? [] : [password, Buffer.from(userInfo).toString('base64')];
  });
  const bare = typed.map((key) => key.replace(/^Bearer\s+/i, ''));
  const all = [...typed, ...bare, ...inAddresses].flatMap((secret) => [
    secret,
    encodeURIComponent(wellFormed(secret)),
  ]);
  return [...new Set(all)]
    .filter((secret) => secret !== '')
    .sort((one, other) => other.length - one.length);
}

/** Foreign text of a step: one line, no control characters, no secret, at most `MAX_CHARS` code points. */
export function cleanText(text: string, secrets: readonly string[]): string {
  const line = text
    .slice(0, MAX_CHARS * 4)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return cutTo(withoutSecrets(wellFormed(line), secrets), MAX_CHARS);
}

/** Half a surrogate pair can neither be encoded nor shown. */
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** At most `max` code points, with an ellipsis where something is left out. */
export function cutTo(text: string, max: number): string {
  const points = Array.from(text);
  if (points.length <= max) return text;
  return `${points
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}

/**
 * An address as it may be shown: without user name, password, query and fragment.
 *
 * @returns '' for an empty one; words instead of one that is no address, because it may be a key in the wrong field
 */
export function shownAddress(address: string): string {
  if (address.trim() === '') return '';
  const url = urlOf(address);
  return url === undefined ? 'set, but not a web address' : `${url.origin}${url.pathname}`;
}

function urlOf(address: string): URL | undefined {
  const text = address.trim();
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/\s/.test(text) || !URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

function credentialsOf(address: string): { userInfo: string; password: string } {
  const { username = '', password = '' } = urlOf(address) ?? {};
  return { userInfo: `${decoded(username)}:${decoded(password)}`, password: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
