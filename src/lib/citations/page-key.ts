/** Parameters that say where a visitor came from, never which page it is. All others stay, in their order. */
const TRACKING = new Set([
  'gclid',
  'gbraid',
  'wbraid',
  'dclid',
  'fbclid',
  'msclkid',
  'mc_cid',
  'mc_eid',
  'igshid',
  '_gl',
  'yclid',
  'ref_src',
]);

/** Percent-encoded letters, digits and `-._~` mean the same as the characters themselves (RFC 3986, 6.2.2.2). */
const undoNeedlessEncoding = (part: string): string =>
  part.replace(/%([\da-f]{2})/gi, (whole, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(char) ? char : whole;
  });

function withoutTracking(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => {
      const name = (pair.split('=', 1)[0] ?? '').toLowerCase();
      return pair !== '' && !name.startsWith('utm_') && !TRACKING.has(name);
    });
  return kept.length > 0 ? `?${kept.join('&')}` : '';
}

/**
 * What makes two addresses the same page. Conservative: `www.`, trailing slashes, `m.` and the order of parameters all
 * count; http and https do not, nor does a fragment unless it is a route (`#/`, `#!`).
 *
 * An address that is no http(s) URL is its own key; a blank one has none (`''`).
 */
export function pageKey(address: string): string {
  const trimmed = address.trim();
  if (!/^https?:/i.test(trimmed) || !URL.canParse(trimmed)) return trimmed;
  const url = new URL(trimmed);
  const host = url.hostname.replace(/\.$/, '');
  const user = url.username || url.password ? `${url.username}:${url.password}@` : '';
  const route = /^#[/!]/.test(url.hash) ? url.hash : '';
  return `//${user}${host}${url.port ? `:${url.port}` : ''}${undoNeedlessEncoding(url.pathname)}${undoNeedlessEncoding(withoutTracking(url.search))}${route}`;
}
