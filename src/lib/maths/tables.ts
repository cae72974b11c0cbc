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

/** One row of aligned equations. */
interface EquationRow {
  pieces: Piece[];
  /** It goes on with the equation of the row before. */
  continues: boolean;
}

const isAligned = (classes: ReadonlySet<unknown>): boolean =>
  ['align', 'alignat', 'abut', 'multline'].some((name) => classes.has(name));

/**
 * Rows of aligned equations. An `&` only aligns, a second pair of columns is a second equation;
 * a row that begins with a relation, or with a sign behind its `&`, goes on with the one before.
 */
function equationRows(node: TexNode, say: Speaker): EquationRow[] {
  const joined = classesOf(node).has('multline');
  const rows: EquationRow[] = [];
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
    if (row.length > 0) rows.push({ pieces: [...row, ...tagOf(node, at, say)], continues });
  });
  return rows;
}

/** Aligned equations in one line. */
function equations(node: TexNode, say: Speaker): Piece[] {
  return equationRows(node, say).flatMap(({ pieces, continues }, at) =>
    at === 0 || continues ? pieces : [BREAK, ...pieces],
  );
}

/** Whether a node is drawn as several lines of equations. */
export const isEquations = (node: TexNode): boolean =>
  node.type === 'array' && isAligned(classesOf(node));

/** Aligned equations, one line a row. A row that goes on with the one before is indented. */
export function equationLines(node: TexNode, say: Speaker): string[] {
  return equationRows(node, say).map(({ pieces, continues }, at) => {
    const isFurther = continues && at > 0;
    const row = pieces.map((piece, i): Piece =>
      isFurther && i === 0 && piece.role === 'bin' ? { ...piece, role: 'rel' } : piece,
    );
    return (isFurther ? EM : '') + join(row, say.tight).text;
  });
}

/** The table of a case distinction with its brace on the left; undefined for everything else. */
export function casesOf(node: TexNode): TexNode | undefined {
  if (node.type !== 'leftright' || node.left !== '\\{' || node.right !== '.') return undefined;
  const [only, ...others] = nodesOf(node.body);
  const isTable = others.length === 0 && only?.type === 'array' && rowsOf(only).length > 1;
  return isTable ? only : undefined;
}

/** A case distinction, one line a row behind the pieces of a brace. */
export function caseLines(node: TexNode, say: Speaker): string[] {
  const rows = cellRows(node, say, true);
  const middle = Math.floor(rows.length / 2);
  return rows.map((row, at) => {
    if (at === 0) return `⎧ ${row}`;
    if (at === rows.length - 1) return `⎩ ${row}`;
    return `${at === middle ? '⎨' : '⎪'} ${row}`;
  });
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

/** The rows of a table: `1, x > 0`. Commas between cells, a bar where a rule is drawn. */
function cellRows(node: TexNode, say: Speaker, cases: boolean): string[] {
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
    .filter((row) => row !== '');
}

function table(node: TexNode, say: Speaker): Piece[] {
  const classes = classesOf(node);
  if (classes.has('cd') || classes.has('bordermatrix')) throw new Unsayable('diagram');
  if (isAligned(classes)) return equations(node, say);
  const bare = cellRows(node, say, classes.has('cases')).join('; ');
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
