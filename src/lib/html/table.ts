import { bold, cell } from './inline';
import type { HtmlElement, HtmlNode } from './tree';

/** Cells of a table in the pane; see the render pipeline's own tables. */
const MAX_CELLS = 400;
const MAX_SPAN = 20;

/** Parts of a table, which may stand alone where a blank line cut the table. */
export const isTablePart = ({ name }: HtmlElement): boolean =>
  /^(?:thead|tbody|tfoot|tr|t[dh]|col|colgroup)$/.test(name);

const RULES: Partial<Record<string, string>> = { left: ':--', center: ':-:', right: '--:' };

interface Table {
  rows: HtmlElement[][];
  captions: HtmlNode[][];
  /** What stands in the table outside of its rows. */
  others: HtmlNode[];
}

/** Rows and captions of a table, in order; the rows of tables in its cells are not among them. */
function collect(nodes: readonly HtmlNode[], table: Table): Table {
  for (const node of nodes) {
    if (node.kind === 'text') {
      if (node.raw.trim() !== '') table.others.push(node);
    } else if (node.name === 'tr') {
      table.rows.push([]);
      collect(node.children, table);
    } else if (node.name === 'td' || node.name === 'th') {
      if (table.rows.length === 0) table.rows.push([]);
      table.rows.at(-1)?.push(node);
    } else if (node.name === 'caption') table.captions.push(node.children);
    else if (isTablePart(node)) collect(node.children, table);
    else table.others.push(node);
  }
  return table;
}

function cells(row: readonly HtmlElement[]): string[] {
  return row.flatMap(({ attributes, children, name }) => {
    const span = Math.min(Number(/^\d+/.exec(attributes.get('colspan') ?? '')?.[0] ?? 1), MAX_SPAN);
    const text = cell(children);
    // The first row of a table is drawn in bold already; a heading of a row is not.
    const shown = name === 'th' && text !== '' && !text.includes('<b>') ? `<b>${text}</b>` : text;
    return [shown, ...Array<string>(Math.max(0, span - 1)).fill('')];
  });
}

/**
 * A table as Markdown: its captions, its rows, and what stands in it by mistake. Its first row is its head. Beyond the cells that
 * the pane can bear each row is a line of text.
 */
export function tableMarkdown(nodes: readonly HtmlNode[]): {
  captions: string[];
  others: HtmlNode[];
  table: string;
  isText: boolean;
} {
  const { rows, captions, others } = collect(nodes, { rows: [], captions: [], others: [] });
  const [head, ...body] = rows.filter((row) => row.length > 0);
  const written = [
    ...(head ? [cells(head).map((text) => text.replace(/^<b>(.*)<\/b>$/, '$1'))] : []),
    ...body.map(cells),
  ];
  const columns = Math.max(0, ...written.map(({ length }) => length));
  const isText = columns * written.length > MAX_CELLS;
  const base = { captions: captions.map(bold), others, isText };
  if (isText) return { ...base, table: written.map((row) => row.join(' \\| ')).join('\n') };
  if (columns === 0 || written.every((row) => row.every((text) => text === ''))) {
    return { ...base, table: '' };
  }
  const line = (row: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, i) => row[i] ?? '').join(' | ')} |`;
  const rule = Array.from({ length: columns }, (_, i) => {
    const align = (head?.[i] ?? body[0]?.[i])?.attributes.get('align') ?? '';
    return RULES[align.toLowerCase()] ?? '---';
  });
  const [first = [], ...rest] = written;
  return { ...base, table: [line(first), line(rule), ...rest.map(line)].join('\n') };
}
