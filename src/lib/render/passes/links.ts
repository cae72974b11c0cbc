import {
  escapeMarkdown,
  isWebAddress,
  markdownLink,
  opensInPane,
  placeNote,
  shownAddress,
  type Definition,
  type Edit,
  type Link,
  type Node,
  type Scan,
} from '../../code';
import { inertText } from '../inert';
import type { Pass, PassContext } from './pass';
import { linkNodes, shownText } from './shown-text';

type NumberOf = PassContext['numberOf'];

/** Nothing that is seen. */
const UNSEEN = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*$/u;

/** What stands behind a link whose text lets a reader believe in another place. */
function noteFor(shown: string, destination: string, numberOf?: NumberOf): string {
  const place = placeNote(shown, destination, numberOf);
  return place === undefined ? '' : ` (${escapeMarkdown(place)})`;
}

/** A link with `shown` as its text, and behind it where it really goes if that has to be said. */
export function linkTo(shown: string, destination: string): string {
  return markdownLink(escapeMarkdown(shown), destination) + noteFor(shown, destination);
}

/** The pane's own parameters for the size of an image: with them a picture could cover what stands around it. */
const SIZE = /[?&]raycast-/i;

/**
 * Images become links with their alternative text: the pane would fetch them without a click, or die of `icon://`. With
 * the person's leave, one from the web is drawn where the pane can draw it (`isAlone`: in a paragraph of the top level).
 */
function imageEdits(image: Link, alt: string, isDrawn: boolean): Edit[] {
  const { start, end, destination, isInLink } = image;
  const shown = UNSEEN.test(alt) ? 'image' : alt;
  if (destination === undefined || !opensInPane(destination) || isInLink) {
    const isNamed = isInLink || !UNSEEN.test(alt);
    return [{ start, end, text: escapeMarkdown(isNamed ? shown : '(image)') }];
  }
  if (isDrawn && isWebAddress(destination) && !SIZE.test(destination)) {
    // The caption is a plain-text label.
    const caption = UNSEEN.test(alt) ? '' : escapeMarkdown(inertText(alt));
    return [{ start, end, text: `!${markdownLink(caption, destination)}` }];
  }
  return [{ start, end, text: linkTo(shown, destination) }];
}

/** The part behind the text of a link, in the one form that every parser reads alike: no title, the least encoding. */
function tailEdits({ text }: Scan, link: Link, destination: string, note = ''): Edit[] {
  const { label, end } = link;
  const tail = markdownLink('', destination).slice(1) + note;
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

function linkEdits(scan: Scan, link: Link, shown: string, numberOf: NumberOf): Edit[] {
  const { start, end, label, destination, form, identifier } = link;
  // A footnote of the model's own: the pane has none, so the mark stays as written and the note is shown where it stands.
  if (identifier?.startsWith('^')) return [{ start, end: start + 1, text: '\\[' }];
  // A reference whose definition stands in another part of the answer, or an index between code tags: text.
  if (destination === undefined || (link.isClosed && identifier !== undefined)) {
    return [{ start, end: start + 1, text: '\\[' }];
  }
  const address = shownAddress(destination);
  const opens = opensInPane(destination);
  if (form === 'autolink') {
    const text = opens ? linkTo(shown, destination) : escapeMarkdown(address);
    return [{ start, end, text }];
  }
  // A link without text could be clicked and not be read.
  if (UNSEEN.test(shown)) {
    return [{ start, end, text: opens ? linkTo(address, destination) : escapeMarkdown(address) }];
  }
  if (opens) return tailEdits(scan, link, destination, noteFor(shown, destination, numberOf));
  const isSaid = address === '' || address === shown;
  return [
    { start, end: label.start, text: '' },
    { start: label.end, end, text: isSaid ? '' : ` (${escapeMarkdown(address)})` },
  ];
}

/** Where the images begin that the pane can draw: in a paragraph of the top level, not in marks or a link. */
const drawable = (tree: Node): Set<number> =>
  new Set(
    tree.children
      .filter(({ type }) => type === 'content')
      .flatMap(({ children }) => children.filter(({ type }) => type === 'paragraph'))
      .flatMap(({ children }) => children.filter(({ type }) => type === 'image'))
      .map(({ start }) => start),
  );

export const linkPass: Pass = (scan, { drawsImages, numberOf }) => {
  if (scan.links.length === 0) return [];
  const found = linkNodes(scan.tree);
  const drawn = drawsImages ? drawable(scan.tree) : undefined;
  return scan.links.flatMap((link) => {
    const node = found.get(link.start);
    const shown = node
      ? shownText(scan, node)
      : scan.text.slice(link.label.start, link.label.end).trim();
    return link.kind === 'image'
      ? imageEdits(link, shown, drawn?.has(link.start) ?? false)
      : linkEdits(scan, link, shown, numberOf);
  });
};

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
    opensInPane(definition.destination);
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
    const shown = opensInPane(destination)
      ? linkTo(destination, destination)
      : escapeMarkdown(scan.text.slice(start + label.length + 3, end).trim());
    // An underline was none of this line's, because a definition cannot have one.
    const below = scan.text.slice(end, end + 200);
    const isUnderlined = /^\r?\n[ \t]*(?:-+|=+)[ \t]*(?:\r?\n|$)/.test(below);
    const gap = isUnderlined ? '\n' : /^\r?\n[ \t]*\S/.test(below) ? '  ' : '';
    // Behind the text of an item the bracket could close one that was opened there.
    const isAlone = start === 0 || scan.text[start - 1] === '\n';
    const close = isAlone ? ']' : '\\]';
    return { start, end, text: `\\[${escapeMarkdown(label)}${close}: ${shown}${gap}` };
  });
};
