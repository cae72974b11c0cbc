interface Cell {
  element: Element;
  /** A place another cell spans over. */
  repeated: boolean;
  /** Spanned from the left (`colspan`); otherwise from above, where repeating the words keeps a row readable alone. */
  across: boolean;
}

interface Row {
  cells: Cell[];
  /** All its cells are `<th>`, or it stands in `<thead>`. */
  header: boolean;
}

/** Columns and rows one cell may span, and cells a table may come to: `colspan="1000"` on every cell is a known joke. */
const MAX_SPAN = 50;
const MAX_CELLS = 20_000;

/**
 * The rows of a table with spans filled in; nested tables are not entered. `layout` is true for tables that arrange
 * a page instead of data: declared so, or holding other tables or code.
 */
export function tableRows(table: Element): { caption?: Element; rows: Row[]; layout: boolean } {
  const role = table.getAttribute('role');
  const layout =
    role === 'presentation' ||
    role === 'none' ||
    table.querySelector('table,pre,h1,h2,h3') !== null;
  let caption: Element | undefined;
  const rows: Row[] = [];
  const below = new Map<number, { element: Element; left: number }>();
  let total = 0;
  const addRow = (row: Element, inHead: boolean): void => {
    const cells: Cell[] = [];
    const own = Array.from(row.children).filter(
      ({ localName }) => localName === 'td' || localName === 'th',
    );
    const fillFromAbove = (): void => {
      for (;;) {
        const above = below.get(cells.length);
        if (above === undefined) return;
        if (above.left === 1) below.delete(cells.length);
        else above.left -= 1;
        cells.push({ element: above.element, repeated: true, across: false });
      }
    };
    for (const element of own) {
      fillFromAbove();
      const wide = span(element, 'colspan');
      const tall = span(element, 'rowspan');
      for (let column = 0; column < wide && total < MAX_CELLS; column += 1) {
        if (tall > 1) below.set(cells.length, { element, left: tall - 1 });
        cells.push({ element, repeated: column > 0, across: column > 0 });
        total += 1;
      }
    }
    fillFromAbove();
    const header = inHead || (own.length > 0 && own.every(({ localName }) => localName === 'th'));
    if (cells.length > 0) rows.push({ cells, header });
  };
  const visit = (parent: Element, inHead: boolean): void => {
    for (const child of parent.children) {
      if (child.localName === 'caption') caption ??= child;
      else if (child.localName === 'tr') addRow(child, inHead);
      else if (/^(?:thead|tbody|tfoot)$/.test(child.localName))
        visit(child, child.localName === 'thead');
    }
  };
  visit(table, false);
  return { ...(caption === undefined ? {} : { caption }), rows, layout };
}

function span(element: Element, name: 'colspan' | 'rowspan'): number {
  const value = Number(element.getAttribute(name) ?? '1');
  return Number.isInteger(value) && value > 1 ? Math.min(value, MAX_SPAN) : 1;
}
