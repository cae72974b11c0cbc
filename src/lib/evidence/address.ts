import { isOpenable } from '../code';
import type { Evidence } from '../types';

/** `#/…` and `#!…` are routes of a page that draws itself: what is added to them would lead elsewhere. */
const ROUTE = /#[/!]/;

/**
 * The address that opens at the passage: `url#:~:text=…` (WICG Text Fragments), `url#page=4` for a document on the web that has pages (RFC 8118,
 * section 3), the path for a file. The plain address where none of these would work, and undefined where the window may not
 * open it at all.
 */
export function passageAddress(
  evidence: Pick<Evidence, 'url' | 'kind' | 'page' | 'fragment'>,
): string | undefined {
  const { url, kind, page, fragment } = evidence;
  if (!isOpenable(evidence)) return undefined;
  if (kind === 'document' || ROUTE.test(url)) return url;
  if (page !== undefined) return `${url.replace(/#.*$/su, '')}#page=${page}`;
  if (fragment === undefined) return url;
  const plain = url.replace(/:~:.*$/su, '');
  const opened = `${plain}${plain.includes('#') ? '' : '#'}:~:${fragment}`;
  // A stored directive may have been changed by somebody else's hand.
  return isOpenable({ url: opened }) ? opened : url;
}
