/**
 * What the launcher does with an image address (tried with a web server that counts requests).
 * `loads` lists the addresses it reads without a click; `crashes` is true when it ends the launcher's process.
 */
export function imageEffect(url: string): { loads: string[]; crashes: boolean } {
  const icon = /^icon:\/\/(?<path>.*)$/is.exec(url.trim());
  if (!icon) return { loads: loadable(url) ? [url.trim()] : [], crashes: false };

  const path = icon.groups?.path ?? '';
  const [main, query] = splitOnce(path, '?');
  const fallback = new URLSearchParams(query).get('fallback');
  const behind = fallback === null ? { loads: [], crashes: false } : imageEffect(fallback);
  const [kind, rest] = splitOnce(main, '/');
  const network = /^https?$/i.test(kind) && rest !== '' ? [`${kind.toLowerCase()}://${rest}`] : [];
  const local = /^local$/i.test(kind) && rest !== '' ? [rest] : [];
  // Asks a favicon service for that site.
  const favicon = /^favicon$/i.test(kind) && rest !== '' ? [`icon://favicon/${rest}`] : [];
  // Seen to crash: a known icon type without a path. The types are not all known, so every bare one counts.
  return {
    loads: [...network, ...local, ...favicon, ...behind.loads],
    crashes: rest === '' || behind.crashes,
  };
}

/** Whether the rich-text widget loads this address: http, https, data, file and bare paths; `//host` was seen not to. */
export function loadable(url: string): boolean {
  const address = url.trim();
  if (address === '' || address.startsWith('//') || address.startsWith('#')) return false;
  const scheme = /^([a-z][\d+.a-z-]*):/i.exec(address)?.[1]?.toLowerCase();
  return scheme === undefined || ['http', 'https', 'data', 'file', 'qrc'].includes(scheme);
}

/** Addresses a style sheet or a style attribute loads: imports and `url()`, except list markers, which were seen not to. */
export function styleLoads(css: string): string[] {
  const addresses: string[] = [];
  for (const declaration of css.split(/[;{}]/)) {
    if (/^\s*list-style(?:-image)?\s*:/i.test(declaration)) continue;
    for (const match of declaration.matchAll(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"')]*))/gi))
      addresses.push(match[1] ?? match[2] ?? match[3] ?? '');
    const imported = /@import\s+(?:"([^"]*)"|'([^']*)')/i.exec(declaration);
    if (imported) addresses.push(imported[1] ?? imported[2] ?? '');
  }
  return addresses.filter(loadable);
}

/**
 * What a click on a link does; the launcher never asks and never warns (tried on its screen). `browser` and `mail` open the
 * default program, `launcher` obeys the address as a command, `application` opens a file by its type, `other` goes to
 * whatever program claims the scheme, and `nothing` fails.
 */
export function clickEffect(
  href: string,
): 'browser' | 'mail' | 'launcher' | 'application' | 'other' | 'nothing' {
  const scheme = /^([a-z][\d+.a-z-]*):/i.exec(href.trim())?.[1]?.toLowerCase();
  if (scheme === undefined) return href === '' || href.includes('#') ? 'nothing' : 'application';
  if (scheme === 'http' || scheme === 'https') return 'browser';
  if (scheme === 'mailto') return 'mail';
  if (['vicinae', 'raycast', 'com.raycast'].includes(scheme)) return 'launcher';
  return scheme === 'file' || scheme === 'javascript' ? 'nothing' : 'other';
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
