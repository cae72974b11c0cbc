/**
 * Inline tags the pane draws well. They stay, without attributes; every other `<` outside code is shown as written,
 * because the pane hands raw HTML to a rich-text widget that fetches images and style sheets without a click.
 */
const KEPT = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'del', 'sub', 'sup', 'br', 'kbd']);

/**
 * One raw inline tag of the model as pane Markdown: a kept tag without its attributes, or the tag as visible text.
 * A comment is not text and vanishes.
 */
export function lowerInlineHtml(raw: string): string {
  if (raw.startsWith('<!--')) return '';
  const tag = /^<(\/?)([a-z][a-z\d]*)(?=[\s/>])/i.exec(raw);
  const name = (tag?.[2] ?? '').toLowerCase();
  return tag && KEPT.has(name) ? `<${tag[1] ?? ''}${name}>` : escapeHtml(raw);
}

/** Raw HTML as Markdown that shows it as written: nothing in it acts as a tag, an entity or Markdown. */
export function escapeHtml(raw: string): string {
  return raw.replace(/[<>&\\`*_[\]~$|]/g, '\\$&');
}
