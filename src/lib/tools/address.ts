/**
 * An address in one of the forms that models write and that can mean only one thing: `first.example/page`, `<https://…>`.
 * Anything else comes back trimmed and otherwise unchanged.
 */
export function repairAddress(text: string): string {
  const url = text.trim().replace(/^<([^<>]*)>$/u, '$1');
  return /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#]|$)/iu.test(url) ? `https://${url}` : url;
}
