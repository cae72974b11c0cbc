import type { Node, Scan } from '../code';

/** A stretch of the answer that is not read as it stands. */
export interface Hidden {
  start: number;
  end: number;
  /** What is read instead of each of its characters. */
  as: ' ' | 'x' | 'X' | '\uFFFC';
}

/** The text with the stretches replaced, offsets unchanged. Of two that overlap the one that begins first counts. */
export function masked(text: string, hidden: readonly Hidden[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, as } of [...hidden].sort((one, other) => one.start - other.start)) {
    if (start < at || end <= start) continue;
    parts.push(text.slice(at, start), as.repeat(end - start));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Signs that stand in a paragraph and are no part of what it says. */
const SIGNS = new Set([
  'strongSequence',
  'emphasisSequence',
  'strikethroughSequence',
  'blockQuotePrefix',
  'linePrefix',
  'listItemIndent',
  'hardBreakEscape',
]);

/** Blocks that are no prose. */
const SILENT = new Set(['codeFenced', 'codeIndented', 'mathFlow', 'htmlFlow']);

/**
 * Everything of an answer that is no prose. `signs`: signs of Markdown, link targets, line breaks inside a paragraph, which end no
 * sentence; `blocks`: code, formulas and HTML on lines of their own; `opaque`: those inside a line, and bare addresses; `links`: whole links, whose text is
 * a title more often than a sentence.
 */
export function hiddenIn(scanned: Scan): {
  signs: Hidden[];
  blocks: Hidden[];
  opaque: Hidden[];
  links: Hidden[];
} {
  const signs: Hidden[] = [];
  const blocks: Hidden[] = [];
  const visit = (node: Node, isInParagraph: boolean): void => {
    const { type, start, end } = node;
    if (SILENT.has(type)) {
      blocks.push({ start, end, as: ' ' });
      return;
    }
    if (SIGNS.has(type)) signs.push({ start, end, as: ' ' });
    const isProse = isInParagraph || type === 'paragraph';
    let isAfterBreak = false;
    for (const child of node.children) {
      if (isProse && child.type === 'lineEnding' && !isAfterBreak)
        signs.push({ start: child.start, end: child.end, as: ' ' });
      isAfterBreak = child.type === 'hardBreakTrailing' || child.type === 'hardBreakEscape';
      visit(child, isProse);
    }
  };
  visit(scanned.tree, false);
  for (const { label, start, end, form } of scanned.links) {
    if (form === 'autolink') continue;
    signs.push({ start, end: label.start, as: ' ' }, { start: label.end, end, as: ' ' });
  }
  const opaque: Hidden[] = [
    ...scanned.spans.map(({ start, end }) => ({ start, end, as: 'x' as const })),
    ...scanned.formulas.map(({ start, end }) => ({ start, end, as: 'x' as const })),
    ...scanned.links
      .filter(({ form }) => form === 'autolink')
      .map(({ start, end }) => ({ start, end, as: 'x' as const })),
  ];
  const links = scanned.links.map(({ start, end }) => ({ start, end, as: 'x' as const }));
  return { signs, blocks, opaque, links };
}
