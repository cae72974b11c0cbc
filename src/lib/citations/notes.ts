import type { Definition, Edit, Scan } from '../code';
import type { Source } from '../types';

import { pageKey } from './page-key';

/**
 * Rows that define a label: `[1]: https://…` and `[^1]: …`, whether the parser takes them as link definitions or leaves
 * them as text. They decide which labels belong to the model, and footnotes that only repeat a source are dropped.
 */
export interface Notes {
  /** Labels (`1`, `^1`) that name something else than the source of that number: as written everywhere in this answer. */
  owned: Set<string>;
  /** The rows that stay, if their label is a number. */
  rows: NoteRow[];
  /** Ranges in which nothing is a marker: the label of a row, or the whole row when an address follows. */
  silent: { start: number; end: number }[];
  /** Footnotes that only repeat a source, taken out. */
  drops: Edit[];
  /** First brackets escaped, so that the parser does not swallow a note. */
  escapes: Edit[];
}

/** A row with a number as its label: `[1]: …`, `[^1]: …`. */
export interface NoteRow {
  /** Of the label, brackets included, colon not. */
  start: number;
  end: number;
  number: number;
  /** `^` or nothing. */
  caret: string;
  /** The number is the model's own, not that of a source. */
  isOwn: boolean;
}

interface Row {
  /** `1`, `^1`, `^note`. */
  label: string;
  start: number;
  /** After the colon. */
  contentStart: number;
  /** Before the line ending. */
  end: number;
  /** Of the physical line. */
  lineStart: number;
  /** End of the indented lines that go on with it, before the line ending. */
  continuationEnd: number;
  definition?: Definition;
}

const ROW = /^\\?\[(\^?[^\]\\\s]{1,40})\]:/;

function findRows(scan: Scan): Row[] {
  const { text } = scan;
  const continuations = new Map(scan.lines.map((line) => [line.lineStart, line]));
  const rows: Row[] = [];
  const push = (start: number, end: number, lineStart: number, definition?: Definition): void => {
    const head = ROW.exec(text.slice(start, start + 64));
    if (!head?.[1]) return;
    let continuationEnd = end;
    for (;;) {
      const next = /^\r?\n/.exec(text.slice(continuationEnd, continuationEnd + 2));
      if (!next) break;
      const nextStart = continuationEnd + next[0].length;
      const line = continuations.get(nextStart);
      if (!line || !/^(?: {2}|\t)/.test(text.slice(nextStart, nextStart + 2))) break;
      continuationEnd = line.end;
    }
    rows.push({
      label: head[1],
      start,
      contentStart: start + head[0].length,
      end,
      lineStart,
      continuationEnd,
      ...(definition ? { definition } : {}),
    });
  };
  for (const line of scan.lines) {
    const first = text[line.start];
    if (first === '[' || first === '\\') push(line.start, line.end, line.lineStart);
  }
  for (const definition of scan.definitions) {
    const lineStart = text.lastIndexOf('\n', definition.start - 1) + 1;
    push(definition.start, definition.end, lineStart, definition);
  }
  return rows.sort((a, b) => a.start - b.start);
}

const ADDRESS = /<?(https?:\/\/[^\s<>"]+)>?/gi;

/** The address without the punctuation that follows it in a sentence. */
const bare = (address: string): string => address.replace(/[\])}.,;:!?'*_]+$/, '');

type Content = 'repeats' | 'adds' | 'other';

/** Whether a note says no more than the source does (its address, its title, or both), says more, or something else. */
function compare(content: string, source: Source): Content {
  const key = pageKey(source.url);
  const isPage = (address: string): boolean =>
    [address, bare(address), bare(`${bare(address)})`)].some((each) => pageKey(each) === key);
  const addresses = [...content.matchAll(ADDRESS)].map((match) => match[1] ?? '');
  if (!addresses.every(isPage)) return 'other';
  let found = addresses.length > 0;
  const fold = (each: string): string => each.toLowerCase().replace(/\s+/g, ' ').trim();
  let rest = fold(content.replace(ADDRESS, ' ').replace(/[[\]()]/g, ' '));
  const title = fold(source.title.replace(/[[\]()]/g, ' '));
  const opening = rest.slice(Math.max(0, rest.search(/[\p{L}\p{N}]/u)));
  // A title inside other words (`Tea` in `Teak`, or further on in the note) is no repeat of the source.
  if (
    title !== '' &&
    opening.startsWith(title) &&
    !/^[\p{L}\p{N}]/u.test(opening.slice(title.length))
  ) {
    found = true;
    rest = opening.slice(title.length);
  }
  if (!found) return 'other';
  return /[\p{L}\p{N}]/u.test(rest) ? 'adds' : 'repeats';
}

/** Whether a definition leads to the page of `source`, or is only its title (`[1]: First`). */
function namesSource(definition: string, source: Source | undefined): boolean {
  if (!source) return false;
  return (
    pageKey(definition) === pageKey(source.url) ||
    definition.trim().toLowerCase() === source.title.toLowerCase()
  );
}

/**
 * Whether what stands behind a line stays what it is without the line. Indented code would become a part of the list item
 * before, and a line of the same paragraph could begin a block of its own once it is the first: HTML, a list, code.
 */
function canLeave(text: string, end: number): boolean {
  const rest = text.slice(end, end + 200);
  if (/^\s*\n(?: {4}|\t)/.test(rest)) return false;
  return rest === '' || /^\r?\n(?:[ \t]*(?:\r?\n|$)|[\p{L}[［【])/u.test(rest);
}

/** Consecutive dropped lines as one range; it goes with the line end after it, or the one before it at the end of the text. */
function dropLines(text: string, ranges: readonly { start: number; end: number }[]): Edit[] {
  const merged: { start: number; end: number }[] = [];
  for (const range of ranges) {
    const newline = /^\r?\n/.exec(text.slice(range.end, range.end + 2))?.[0] ?? '';
    const end = range.end + newline.length;
    const last = merged.at(-1);
    if (last && last.end === range.start) last.end = end;
    else merged.push({ start: range.start, end });
  }
  return merged.map(({ start, end }) => {
    const before =
      end >= text.length && !text.endsWith('\n') ? /\r?\n$/.exec(text.slice(0, start)) : null;
    return { start: start - (before?.[0].length ?? 0), end, text: '' };
  });
}

/** Reads the rows of an answer. `sources` by number. */
export function readNotes(scan: Scan, sources: ReadonlyMap<number, Source>): Notes {
  const { text } = scan;
  const owned = new Set<string>();
  const silent: Notes['silent'] = [];
  const kept: Row[] = [];
  const escapes: Edit[] = [];
  const drops: { start: number; end: number }[] = [];
  // A definition that links other words must stay, or those links would die.
  const linkedElsewhere = new Set(
    scan.links
      .filter((link) => link.identifier !== undefined && link.form !== 'shortcut')
      .map((link) => link.identifier),
  );

  const defined = new Map([...scan.definitions].reverse().map((each) => [each.label, each]));
  for (const row of findRows(scan)) {
    const source = sources.get(Number(/^\^?([1-9]\d{0,3})$/.exec(row.label)?.[1] ?? 0));
    const content = text.slice(row.contentStart, row.end);
    const hasAddress = /^\s*<?https?:\/\//i.test(content);
    if (!row.label.startsWith('^')) {
      kept.push(row);
      silent.push({
        start: row.start,
        end: hasAddress || row.definition ? row.end : row.contentStart,
      });
      const address =
        row.definition?.destination ??
        (hasAddress ? bare((/https?:\/\/[^\s<>"]+/i.exec(content) ?? [''])[0]) : undefined);
      // The first definition of a label is the one that holds, for the parser and so for the reader.
      const decides =
        row.definition === undefined
          ? !defined.has(row.label)
          : defined.get(row.label) === row.definition;
      if (address !== undefined && decides && !namesSource(address, source)) owned.add(row.label);
      continue;
    }

    const whole = text.slice(row.contentStart, row.continuationEnd);
    const verdict = source ? compare(whole, source) : 'other';
    const droppable =
      verdict === 'repeats' &&
      text[row.start] === '[' &&
      /^[\s>]*$/.test(text.slice(row.lineStart, row.start)) &&
      canLeave(text, row.continuationEnd) &&
      !(row.definition && linkedElsewhere.has(row.definition.identifier));
    if (droppable) {
      drops.push({ start: row.lineStart, end: row.continuationEnd });
      silent.push({ start: row.start, end: row.continuationEnd });
      continue;
    }
    kept.push(row);
    silent.push({ start: row.start, end: hasAddress ? row.end : row.contentStart });
    if (verdict === 'other') owned.add(row.label);
    if (row.definition && !linkedElsewhere.has(row.definition.identifier)) {
      escapes.push({ start: row.start, end: row.start, text: '\\' });
    }
  }
  const rows = kept.flatMap(({ label, start, contentStart }): NoteRow[] => {
    const [, caret = '', number] = /^(\^?)([1-9]\d{0,3})$/.exec(label) ?? [];
    if (number === undefined || text[start] !== '[') return [];
    const index = Number(number);
    const isOwn = owned.has(label) || !sources.has(index);
    return [{ start, end: contentStart - 1, number: index, caret, isOwn }];
  });
  return { owned, rows, silent, drops: dropLines(text, drops), escapes };
}
