import { markdownLink, opensInPane, placeNote } from '../code';
import { decodeEntities, escapeText } from './text';

/** Where a tag's attribute leads. */
export const addressOf = (attribute: string | undefined): string =>
  decodeEntities(attribute ?? '').trim();

/** What stands behind the text of a link that cannot be one: where it leads. */
export function addressBehind(label: string, address: string): string {
  if (address === '' || label === address) return '';
  const shown = opensInPane(address)
    ? markdownLink(escapeText(address), address)
    : escapeText(address);
  return label === '' ? shown : ` (${shown})`;
}

/** Whether a link that shows `text` may lead to an address. */
export const mayLead = (text: string, address: string): boolean =>
  opensInPane(address) && placeNote(text, address) === undefined;

/** A link of HTML. `label` is inline Markdown that shows `text`. */
export const anchor = (label: string, text: string, address: string): string =>
  label !== '' && mayLead(text, address)
    ? markdownLink(label, address)
    : label + addressBehind(text, address);

/** The description of an image. */
export const altOf = (attributes: ReadonlyMap<string, string>): string =>
  decodeEntities(attributes.get('alt') ?? '')
    .replace(/\s+/g, ' ')
    .trim();

/** An image: a link with its description, as for Markdown's images; the description alone where it leads nowhere safe. */
export function image(attributes: ReadonlyMap<string, string>, isInLink: boolean): string {
  const alt = altOf(attributes);
  const address = addressOf(attributes.get('src'));
  if (isInLink || !opensInPane(address)) return escapeText(alt);
  return anchor(escapeText(alt || 'image'), alt || 'image', address);
}

/** A box to tick, or nothing. */
export function box(attributes: ReadonlyMap<string, string>): string {
  if (!/^(?:checkbox|radio)$/i.test(attributes.get('type') ?? '')) return '';
  return attributes.has('checked') ? '☑' : '☐';
}
