import {
  escapeMarkdown,
  isWebAddress,
  markdownLink,
  type Definition,
  type Edit,
  type Link,
  type Scan,
} from '../../code';
import type { Pass } from './pass';

/**
 * Links the pane may open. Everything else would start whatever program claims the scheme, without a question.
 * A mail link is its address only: some mail programs attach files that a parameter names.
 */
const opens = (destination: string): boolean =>
  isWebAddress(destination) || /^mailto:[^\s<>\\@?]+@[^\s<>\\@?]+$/i.test(destination);

/** Images become links with their alternative text: the pane would fetch them without a click, or die of `icon://`. */
function imageEdits(scan: Scan, image: Link): Edit[] {
  const alt = scan.text.slice(image.label.start, image.label.end).trim();
  const { start, end, destination, isInLink } = image;
  if (destination === undefined || !opens(destination) || isInLink) {
    return [{ start, end, text: escapeMarkdown(alt.replace(/\\(?=[[\]*_`])/g, '')) }];
  }
  return [{ start, end, text: markdownLink(escapeMarkdown(alt || 'image'), destination) }];
}

/** The part behind the text of a link, in the one form that every parser reads alike: no title, the least encoding. */
function tailEdits({ text }: Scan, { label, end }: Link, destination: string): Edit[] {
  const tail = markdownLink('', destination).slice(1);
  return text.slice(label.end, end) === tail ? [] : [{ start: label.end, end, text: tail }];
}

/** Reference links and images as inline ones, for Markdown that goes elsewhere. */
export const referencePass: Pass = (scan) =>
  scan.links.flatMap((link) => {
    const { form, isClosed, identifier = '', destination } = link;
    const isReference = form === 'full' || form === 'collapsed' || form === 'shortcut';
    if (!isReference || isClosed || identifier.startsWith('^')) return [];
    return destination === undefined ? [] : tailEdits(scan, link, destination);
  });

function linkEdits(scan: Scan, link: Link): Edit[] {
  const { start, end, label, destination, form, identifier } = link;
  // A footnote of the model's own: the pane has none, so the mark stays as written and the note is shown where it stands.
  if (identifier?.startsWith('^')) return [{ start, end: start + 1, text: '\\[' }];
  // A reference whose definition stands in another part of the answer, or an index between code tags: text.
  if (destination === undefined || (link.isClosed && identifier !== undefined)) {
    return [{ start, end: start + 1, text: '\\[' }];
  }
  if (form === 'autolink') {
    const shown = escapeMarkdown(scan.text.slice(label.start, label.end));
    return [{ start, end, text: opens(destination) ? markdownLink(shown, destination) : shown }];
  }
  if (opens(destination)) return tailEdits(scan, link, destination);
  const address = escapeMarkdown(destination);
  return [
    { start, end: label.start, text: '' },
    { start: label.end, end, text: address === '' ? '' : ` (${address})` },
  ];
}

export const linkPass: Pass = (scan) =>
  scan.links.flatMap((link) =>
    link.kind === 'image' ? imageEdits(scan, link) : linkEdits(scan, link),
  );

/** Which definitions are taken out: those that link something. Their links are inline ones now. */
export function isTakenOut(scan: Scan): (definition: Definition) => boolean {
  const used = new Set(scan.links.map((link) => link.identifier));
  const first = new Map<string, Definition>();
  for (const each of scan.definitions)
    if (!first.has(each.identifier)) first.set(each.identifier, each);
  return (definition) =>
    !definition.label.startsWith('^') &&
    used.has(definition.identifier) &&
    first.get(definition.identifier) === definition &&
    opens(definition.destination);
}

/**
 * No definition is ever emitted: one that links something is taken out, one that does not is shown as text, because the
 * pane would swallow it.
 */
export const definitionPass: Pass = (scan) => {
  const isOut = isTakenOut(scan);
  return scan.definitions.map((definition) => {
    const { start, end, label, destination } = definition;
    if (isOut(definition)) {
      // In a container the rest of the line stays: without its line ending, the next line's marks would stand behind it.
      const isAtMargin = start === 0 || scan.text[start - 1] === '\n';
      const newline = isAtMargin
        ? (/^\r?\n/.exec(scan.text.slice(end, end + 2))?.[0].length ?? 0)
        : 0;
      return { start, end: end + newline, text: '' };
    }
    const shown = opens(destination)
      ? markdownLink(escapeMarkdown(destination), destination)
      : escapeMarkdown(scan.text.slice(start + label.length + 3, end).trim());
    return { start, end, text: `\\[${escapeMarkdown(label)}]: ${shown}` };
  });
};
