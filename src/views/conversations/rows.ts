import type { LibraryHit } from '../../host/library/library';
import type { ConversationEntry } from '../../host/store/index-cache';
import { sectionOf, type AgeSection } from '../ages';

/** Rows that are drawn. Each frame ships all of them, and nobody reads further down: typing finds the rest. */
export const MAX_ROWS = 100;

/** One row of the list. */
export interface Row {
  entry: ConversationEntry;
  /** The exchange in which the search found its words. */
  turnId?: string;
}

interface RowSection {
  title: 'Pinned' | 'Found' | AgeSection;
  rows: Row[];
}

/** What the list shows. */
export interface Shown {
  sections: RowSection[];
  /** How many more there are than are drawn. */
  hidden: number;
}

/** Everything: pinned conversations on top, the others by age. `entries` newest first; `at` in milliseconds since the epoch. */
export function byAge(entries: readonly ConversationEntry[], at: number): Shown {
  const pinned = entries.filter((entry) => entry.pinned === true).slice(0, MAX_ROWS);
  const others = entries.filter((entry) => entry.pinned !== true);
  const sections: RowSection[] = [{ title: 'Pinned', rows: rowsOf(pinned) }];
  for (const entry of others.slice(0, MAX_ROWS - pinned.length)) {
    const title = sectionOf(entry.updatedAt, at);
    const last = sections.at(-1);
    if (last?.title === title) last.rows.push({ entry });
    else sections.push({ title, rows: [{ entry }] });
  }
  return {
    sections: sections.filter(({ rows }) => rows.length > 0),
    hidden: Math.max(0, entries.length - MAX_ROWS),
  };
}

/** What was found, best first. A hit that is no longer among the entries was deleted. */
export function byRank(hits: readonly LibraryHit[], entries: readonly ConversationEntry[]): Shown {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const rows = hits.flatMap(({ id, snippet }): Row[] => {
    const entry = byId.get(id);
    if (entry === undefined) return [];
    return [snippet === undefined ? { entry } : { entry, turnId: snippet.turnId }];
  });
  return found(rows);
}

/** What can be found without the index: titles that hold every word, as they are listed. */
export function byTitle(entries: readonly ConversationEntry[], query: string): Shown {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  return found(
    rowsOf(
      entries.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word))),
    ),
  );
}

function rowsOf(entries: readonly ConversationEntry[]): Row[] {
  return entries.map((entry) => ({ entry }));
}

function found(rows: Row[]): Shown {
  return {
    sections: rows.length === 0 ? [] : [{ title: 'Found', rows: rows.slice(0, MAX_ROWS) }],
    hidden: Math.max(0, rows.length - MAX_ROWS),
  };
}
