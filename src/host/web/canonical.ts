/**
 * `rel=canonical` if the page may claim it: on the same host, give or take `www.`, `m.` or `amp.` in front. Stricter
 * than "same registrable host", which needs the public suffix list: `alice.host.example` may not claim to be `bob`.
 */
export function trustedCanonical(canonical: string | undefined, url: string): string | undefined {
  if (canonical === undefined || !URL.canParse(canonical)) return undefined;
  const claimed = new URL(canonical);
  const bare = (host: string): string => host.replace(/^(?:www|m|amp)\.(?=[^.]+\.)/, '');
  const actual = new URL(url);
  if (!/^https?:$/.test(claimed.protocol) || claimed.port !== actual.port) return undefined;
  return bare(claimed.hostname) === bare(actual.hostname) ? claimed.href : undefined;
}
