import type { Definition, Edit, Node, Scan } from '../code';
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
  /** First brackets escaped, so that the parser does not swallow a note; in what it would have swallowed nothing is a marker. */
  escapes: Edit[];
  /** The definitions that become text by these escapes: what refers to them does too. */
  texts: Set<Definition>;
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

/** Where a row leads, if anywhere: only such a destination can be opened, `[1]: yes` is a word behind a label. */
const DESTINATION = /^(?:https?:\/\/|mailto:)/i;

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
function bare(address: string): string {
  let end = address.length;
  // Not an expression that ends in `$`: its time is quadratic in a run of dots that has a letter behind it.
  while (end > 0 && "])}.,;:!?'*_".includes(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}

type Content = 'repeats' | 'adds' | 'other';

/** Whether a note says no more than the source does (its address, its title, or both), says more, or something else. */
function compare(content: string, source: Source): Content {
  const key = pageKey(source.url);
  const isPage = (address: string): boolean =>
    [address, bare(address), `${bare(address)})`].some((each) => pageKey(each) === key);
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

/** A note as the model wrote it: without the links and the escapes (see `silence`) that an earlier pass put in. */
const asWritten = (content: string): string =>
  content
    .replace(/\[\\\[(\d{1,4})\\\]\]\((?:<[^<>\n]*>|(?:[^\s()]|\([^\s()]*\))*)\)/g, '[$1]')
    .replace(/\\(?=[[`<])/g, '')
    .replaceAll('&#x3010;', '【')
    .replaceAll('&#xFF3B;', '［');

/**
 * Whether what stands behind a line stays what it is without the line. Indented code would become a part of the list item
 * before, and a line of the same paragraph could begin a block of its own once it is the first: HTML, a list, code.
 */
function canLeave(text: string, end: number): boolean {
  const rest = text.slice(end, end + 200);
  if (/^\s*\n(?: {4}|\t)/.test(rest)) return false;
  return rest === '' || /^\r?\n(?:[ \t]*(?:\r?\n|$)|[\p{L}[［【])/u.test(rest);
}

/**
 * A line that could be a link definition at the beginning of a paragraph. None is what has a bracket in its label, no colon
 * behind it, or a second word behind the address that begins no title.
 */
const MAY_DEFINE = /^\[(?![^[\]\\]*(?:\[|\](?!:)))(?![^[\]\\]+\]:[ \t]+[^\s<]\S*[ \t]+[^\s"'(])/;

/** The lines of the paragraphs that have one of `starts` among the beginnings of their lines. */
function paragraphsWith(scan: Scan, starts: ReadonlySet<number>): Scan['lines'][] {
  const first = new Set<number>();
  const visit = (node: Node): void => {
    if (node.type === 'paragraph') first.add(node.start);
    else node.children.forEach(visit);
  };
  visit(scan.tree);
  const paragraphs: Scan['lines'][] = [];
  for (const line of scan.lines) {
    if (first.has(line.start) || paragraphs.length === 0) paragraphs.push([]);
    paragraphs.at(-1)?.push(line);
  }
  return paragraphs.filter((lines) => lines.some(({ start }) => starts.has(start)));
}

/**
 * The rows that must stay although they repeat a source. A line that becomes the first of its paragraph could become a
 * definition, which the parser swallows: the row before it stays then, and is looked at in its turn.
 */
function neededRows(scan: Scan, rows: readonly Row[]): Set<Row> {
  const needed = new Set<Row>();
  const byStart = new Map(rows.filter((row) => !row.definition).map((row) => [row.start, row]));
  if (byStart.size === 0) return needed;
  const startsDefinition = (line: { start: number; end: number } | undefined): boolean =>
    line !== undefined && MAY_DEFINE.test(scan.text.slice(line.start, line.end));
  for (const lines of paragraphsWith(scan, new Set(byStart.keys()))) {
    let row: Row | undefined;
    const rowOf = lines.map((line) => {
      row = byStart.get(line.start) ?? (row && line.end <= row.continuationEnd ? row : undefined);
      return row;
    });
    let first = rowOf.indexOf(undefined);
    if (first === 0) {
      // `[tea]:` at the end of a line takes its address from the next one.
      if (startsDefinition(lines[0])) for (const each of rowOf) if (each) needed.add(each);
      continue;
    }
    while (first > 0 && startsDefinition(lines[first])) {
      const before = rowOf[first - 1];
      if (!before) break;
      needed.add(before);
      first = rowOf.indexOf(before);
    }
  }
  return needed;
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

/** A bracket that could be a marker or begin a link that cites, a backtick, or a tag, with the backslashes before it. */
const ACTIVE = /(\\*)(`|<(?![a-z][a-z\d+.-]*:)|[[［【](?=(?:<sup>)?(?:\\?\[)?\^?\d))/gi;

/** Brackets that no backslash escapes. */
const ENTITY: Partial<Record<string, string>> = { '【': '&#x3010;', '［': '&#xFF3B;' };

/**
 * Takes the meaning from the numbers (and the code) in what the parser would have swallowed. The pane shows it as plain text
 * too, and a second pass, which reads it as a line like any other, must not cite what the first one did not see.
 */
function silence(text: string, from: number, end: number): Edit[] {
  return [...text.slice(from, end).matchAll(ACTIVE)].flatMap((match): Edit[] => {
    const [, backslashes = '', char = ''] = match;
    if (backslashes.length % 2 === 1) return [];
    const start = from + match.index + backslashes.length;
    const entity = ENTITY[char];
    return [
      entity === undefined
        ? { start, end: start, text: '\\' }
        : { start, end: start + 1, text: entity },
    ];
  });
}

/** A line under text that makes a heading or a table of it. */
const UNDERLINE = /^[ \t>]*[-=|:][-=|: \t]*$/;

/**
 * Blank lines behind escaped definitions. What was a definition and is a paragraph now must not take in the definition behind
 * it, or be made a heading by the line under it.
 */
function blankLines({ text, definitions }: Scan, texts: Notes['texts'], drops: Edit[]): Edit[] {
  const next = new Map(definitions.map((each) => [lineStartOf(text, each.start), each]));
  const dropped = new Map(drops.map((each) => [each.start, each.end]));
  return [...texts].flatMap(({ end }) => {
    const newline = /^\r?\n/.exec(text.slice(end, end + 2))?.[0];
    if (newline === undefined) return [];
    let at = end + newline.length;
    at = dropped.get(at) ?? at;
    const following = next.get(at);
    const stays = following !== undefined && !texts.has(following);
    const line = text.slice(at, at + 1000).split(/\r?\n/, 1)[0] ?? '';
    if (!stays && !UNDERLINE.test(line)) return [];
    const prefix = /^[ \t>]*/.exec(line)?.[0].trimEnd() ?? '';
    return [{ start: at, end: at, text: `${prefix}${newline}` }];
  });
}

const lineStartOf = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

/** Reads the rows of an answer. `sources` by number. */
export function readNotes(scan: Scan, sources: ReadonlyMap<number, Source>): Notes {
  const { text } = scan;
  const owned = new Set<string>();
  const silent: Notes['silent'] = [];
  const kept: Row[] = [];
  const escapes: Edit[] = [];
  const texts: Notes['texts'] = new Set();
  const drops: { start: number; end: number }[] = [];
  // A definition that links other words must stay, or those links would die. `[tea][1]` with `[1]: yes` is no link, but a
  // word and a marker.
  const linkedElsewhere = new Set(
    scan.links
      .filter(
        ({ kind, identifier = '', form, destination = '' }) =>
          (form === 'full' || form === 'collapsed') &&
          ((kind === 'image' && form === 'full') ||
            !NUMBER.test(identifier) ||
            identifier.startsWith('^') ||
            DESTINATION.test(destination)),
      )
      .map((link) => link.identifier),
  );

  // The first definition of a label is the one that holds, for the parser and so for the reader.
  const defined = new Map([...scan.definitions].reverse().map((each) => [each.label, each]));
  const textLabels = new Set<string>();
  const found = findRows(scan);
  const verdicts = new Map<Row, Content>();
  const repeats: Row[] = [];
  for (const row of found) {
    if (!row.label.startsWith('^')) continue;
    const source = sourceOf(row, sources);
    const content = asWritten(text.slice(row.contentStart, row.continuationEnd));
    const verdict = source ? compare(content, source) : 'other';
    verdicts.set(row, verdict);
    const droppable =
      verdict === 'repeats' &&
      text[row.start] === '[' &&
      /^[\s>]*$/.test(text.slice(row.lineStart, row.start)) &&
      canLeave(text, row.continuationEnd) &&
      !(row.definition && linkedElsewhere.has(row.definition.identifier));
    if (droppable) repeats.push(row);
  }
  const needed = neededRows(scan, repeats);
  const dropped = new Set(repeats.filter((row) => !needed.has(row)));

  for (const row of found) {
    const { definition, start, contentStart, end } = row;
    if (dropped.has(row)) {
      drops.push({ start: row.lineStart, end: row.continuationEnd });
      silent.push({ start, end: row.continuationEnd });
      continue;
    }
    kept.push(row);
    const verdict = verdicts.get(row);
    const content = text.slice(contentStart, end).trimStart().replace(/^</, '');
    const hasAddress = DESTINATION.test(definition?.destination ?? content);
    silent.push({ start, end: hasAddress ? end : contentStart });
    if (verdict === 'other') owned.add(row.label);
    if (verdict === undefined && hasAddress) {
      const decides = definition ? defined.get(row.label) === definition : !defined.has(row.label);
      const address = definition?.destination ?? bare(/^[^\s<>"]*/.exec(content)?.[0] ?? '');
      if (decides && !leadsTo(address, sourceOf(row, sources))) owned.add(row.label);
    }
    // Of the rows without `^` only numbers without an address: all others are the model's own definitions.
    // One that repeats the label of a note would hold in its place.
    const isNote =
      verdict !== undefined || textLabels.has(row.label) || (!hasAddress && NUMBER.test(row.label));
    if (isNote && definition && !linkedElsewhere.has(definition.identifier)) {
      texts.add(definition);
      textLabels.add(row.label);
      escapes.push({ start, end: start, text: '\\' }, ...silence(text, contentStart, end));
    }
  }
  const rows = kept.flatMap(({ label, start, contentStart }): NoteRow[] => {
    const [, caret = '', number] = NUMBER.exec(label) ?? [];
    if (number === undefined || text[start] !== '[') return [];
    const index = Number(number);
    const isOwn = owned.has(label) || !sources.has(index);
    return [{ start, end: contentStart - 1, number: index, caret, isOwn }];
  });
  const lineDrops = dropLines(text, drops);
  escapes.push(...blankLines(scan, texts, lineDrops));
  return { owned, rows, silent, drops: lineDrops, escapes, texts };
}

const NUMBER = /^(\^?)([1-9]\d{0,3})$/;

const sourceOf = ({ label }: Row, sources: ReadonlyMap<number, Source>): Source | undefined =>
  sources.get(Number(NUMBER.exec(label)?.[2] ?? 0));

const leadsTo = (address: string, source: Source | undefined): boolean =>
  source !== undefined && pageKey(address) === pageKey(source.url);
