import type { Piece } from './pieces';
import { EM, join } from './pieces';
import type { Saying, Speaker } from './speaker';
import type { TexNode } from './tree';
import { isNode, nodesOf, Unsayable } from './tree';

const BREAK: Piece = { text: '', role: 'break', hold: 'atom' };

function rowsOf(node: TexNode): TexNode[][] {
  if (!Array.isArray(node.body)) throw new Unsayable('table');
  const rows: unknown[] = node.body;
  return rows.map(nodesOf);
}

function classesOf(node: TexNode): Set<unknown> {
  return new Set(Array.isArray(node.envClasses) ? node.envClasses : []);
}

/** The `\tag` of a row, as it would be printed beside it. Automatic numbers are not the formula's. */
function tagOf(node: TexNode, row: number, say: Speaker): Piece[] {
  const tags: unknown[] = Array.isArray(node.tags) ? node.tags : [];
  const tag = tags[row];
  if (!Array.isArray(tag)) return [];
  return [{ text: EM, role: 'space', hold: 'atom' }, ...say.pieces(nodesOf(tag))];
}

/**
 * Aligned equations in a row. An `&` only aligns, a second pair of columns is a second equation;
 * a row that begins with a relation, or with a sign behind its `&`, goes on with the one before.
 */
function equations(node: TexNode, say: Speaker, joined: boolean): Piece[] {
  const out: Piece[] = [];
  rowsOf(node).forEach((cells, at) => {
    const row: Piece[] = [];
    let continues = joined;
    cells.forEach((cell, column) => {
      const pieces = say.pieces([cell]);
      const start = pieces.findIndex((piece) => piece.role !== 'space');
      const first = pieces[start];
      if (first === undefined) return;
      const operator = first.role === 'sign' || first.role === 'bin';
      if (row.length > 0 && column % 2 === 0) row.push({ text: EM, role: 'space', hold: 'atom' });
      else if (row.length === 0 && (first.role === 'rel' || (operator && column % 2 === 1)))
        continues = true;
      if (operator && (column % 2 === 1 || continues)) row.push({ ...first, role: 'bin' });
      else row.push(first);
      row.push(...pieces.slice(start + 1));
    });
    if (row.length === 0) return;
    if (out.length > 0 && !continues) out.push(BREAK);
    out.push(...row, ...tagOf(node, at, say));
  });
  return out;
}

/** For each column, whether a vertical rule follows it. */
function rulesOf(node: TexNode): boolean[] {
  const cols: unknown[] = Array.isArray(node.cols) ? node.cols : [];
  const rules: boolean[] = [];
  for (const col of cols) {
    if (isNode(col) && col.type === 'align') rules.push(false);
    else if (rules.length > 0) rules[rules.length - 1] = true;
  }
  return rules;
}

/** `1, x > 0; 2, x ≤ 0`: commas between cells, semicolons between rows, a bar where a rule is drawn. */
function cellsText(node: TexNode, say: Speaker, cases: boolean): string {
  const rules = rulesOf(node);
  return rowsOf(node)
    .map((cells) => {
      let text = '';
      cells.forEach((cell, column) => {
        const cellText = join(say.pieces([cell]), say.tight).text;
        if (cases && cellText === '') return;
        if (column > 0) {
          if (rules[column - 1] === true && !cases) text += ' | ';
          else text += text === '' ? '' : /[,;:]$/.test(text) ? ' ' : ', ';
        }
        text += cellText === '' ? '·' : cellText;
      });
      return cells.length === 1 || cases ? text.replace(/[,;]$/, '') : text;
    })
    .filter((row) => row !== '')
    .join('; ');
}

function table(node: TexNode, say: Speaker): Piece[] {
  const classes = classesOf(node);
  if (classes.has('cd') || classes.has('bordermatrix')) throw new Unsayable('diagram');
  if (['align', 'alignat', 'abut', 'multline'].some((name) => classes.has(name)))
    return equations(node, say, classes.has('multline'));
  const bare = cellsText(node, say, classes.has('cases'));
  if (bare === '') return [];
  // \substack has one column: a list of conditions, which its script puts in brackets.
  const list = classes.has('small') && rowsOf(node).every((cells) => cells.length === 1);
  return [
    list
      ? { text: bare, role: 'ord', hold: 'loose', bare }
      : { text: `(${bare})`, role: 'ord', hold: 'atom', bracketed: 'sum', bare },
  ];
}

/** Sayings of `array` nodes: matrices, case distinctions, aligned equations. */
export const TABLES: readonly (readonly [string, Saying])[] = [['array', table]];
