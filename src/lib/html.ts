/**
 * Inline tags the pane draws well. They stay, without attributes; every other `<` outside code is shown as written,
 * because the pane hands raw HTML to a rich-text widget that fetches images and style sheets without a click.
 */
const KEPT = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'del', 'sub', 'sup', 'br', 'kbd']);

/**
 * One raw inline tag of the model as pane Markdown: a kept tag without its attributes, or the tag as visible text.
 * A comment is not text and vanishes. `mayStay`: false where a tag alone could be taken for the start of an HTML block.
 */
export function lowerInlineHtml(raw: string, mayStay: boolean): string {
  if (raw.startsWith('<!--')) return '';
  const tag = /^<(\/?)([a-z][a-z\d]*)(?=[\s/>])/i.exec(raw);
  const name = (tag?.[2] ?? '').toLowerCase();
  if (!tag || !KEPT.has(name)) return escapeHtml(raw);
  return mayStay ? `<${tag[1] ?? ''}${name}>` : '';
}

/** A block of raw HTML as pane Markdown: shown as written, without its comments. An open comment hides nothing. */
export function lowerHtmlBlock(raw: string): string {
  return escapeHtml(raw.replace(/<!--[\s\S]*?-->/g, ''));
}

/** Raw HTML as Markdown that shows it as written: nothing in it acts as a tag, an entity or Markdown. */
function escapeHtml(raw: string): string {
  return raw.replace(/[<>&\\`*_[\]~$|]/g, '\\$&');
}
