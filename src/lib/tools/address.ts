/**
 * An address in one of the forms that models write and that can mean only one thing: `first.example/page`, `<https://…>`.
 * Anything else comes back trimmed and otherwise unchanged.
 */
export function repairAddress(text: string): string {
  const url = text.trim().replace(/^<([^<>]*)>$/u, '$1');
  return /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#]|$)/iu.test(url) ? `https://${url}` : url;
}

/** Whether a page may be opened and numbered under this address: http or https, on one line, nothing that ends a link. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//iu.test(url) && !/[\s<>\\\p{Cc}]/u.test(url) && URL.canParse(url);
}
