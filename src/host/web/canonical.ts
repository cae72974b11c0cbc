/**
 * `rel=canonical` if the page may claim it: the same address, give or take `www.`, `m.` or `amp.` in front of the host, a
 * slash at the end of the path, and the query. Stricter than "same registrable host": on many sites the first part of the
 * path is another person's, and a site that names its start page on every page must not make one page of all.
 */
export function trustedCanonical(canonical: string | undefined, url: string): string | undefined {
  if (canonical === undefined || !URL.canParse(canonical)) return undefined;
  const claimed = new URL(canonical);
  const actual = new URL(url);
  if (!/^https?:$/.test(claimed.protocol) || claimed.port !== actual.port) return undefined;
  const isSame =
    bareHost(claimed.hostname) === bareHost(actual.hostname) &&
    barePath(claimed.pathname) === barePath(actual.pathname);
  return isSame ? claimed.href : undefined;
}

/** Without the label of a variant, if what is left is a site and not a place where everybody has a label. */
function bareHost(host: string): string {
  const rest = host.replace(/^(?:www|m|amp)\./, '');
  return /^[^.]+\./.test(rest) && !SHARED.test(rest) ? rest : host;
}

const barePath = (path: string): string => path.replace(/\/$/, '');

/**
 * Where `m.` may be a person's name. The public suffix list (https://publicsuffix.org) has thousands; these are the ones a
 * search finds pages on. What is missing costs little: the path has to be the same too.
 */
const SHARED =
  /^(?:(?:ac|co|com|edu|go|gov|ne|net|or|org)\.[a-z]{2}|(?:github|gitlab|readthedocs)\.io|(?:netlify|vercel|web)\.app|(?:blogspot|firebaseapp|herokuapp|substack|tumblr|wordpress)\.com|(?:fly|pages|workers)\.dev|neocities\.org)$/;
