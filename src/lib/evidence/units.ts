import type { Node, Scan } from '../code';

/** A stretch of an answer that sentences do not go beyond. */
export interface Unit {
  kind: 'paragraph' | 'item' | 'heading' | 'cell';
  start: number;
  end: number;
  /** Lists it stands in. */
  depth: number;
  /** Of a cell: number of its row, where the row begins and ends, and whether it is the head of the table. */
  row?: { number: number; start: number; end: number; isHead: boolean };
}

/** The paragraphs, list items, headings and table cells of an answer, in order. */
export function unitsOf(scanned: Scan): Unit[] {
  const units: Unit[] = [];
  let rows = 0;
  let isHead = false;
  const visit = (node: Node, depth: number, row: Unit['row']): void => {
    const { type, start, end, children } = node;
    switch (type) {
      case 'paragraph':
        units.push({ kind: depth > 0 ? 'item' : 'paragraph', start, end, depth });
        return;
      case 'unparsed':
        units.push({ kind: 'paragraph', start, end, depth });
        return;
      case 'atxHeadingText':
      case 'setextHeadingText':
        units.push({ kind: 'heading', start, end, depth });
        return;
      case 'tableContent':
        if (row) units.push({ kind: 'cell', start, end, depth, row });
        return;
      case 'tableDelimiterRow':
        return;
      case 'tableRow':
        rows += 1;
        for (const child of children) visit(child, depth, { number: rows, start, end, isHead });
        return;
    }
    const isList = type === 'listUnordered' || type === 'listOrdered';
    if (type === 'tableHead') isHead = true;
    for (const child of children) visit(child, isList ? depth + 1 : depth, row);
    if (type === 'tableHead') isHead = false;
  };
  visit(scanned.tree, 0, undefined);
  return units;
}
