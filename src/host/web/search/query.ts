import type { SearchOptions } from '../../../lib/types';

/** What a service takes of a query. */
interface QueryLimits {
  /** Characters, those of the site operator included. */
  chars: number;
  /** Words, the site operator included; absent = as many as there are. */
  words?: number;
}

/** The words of a query and, behind them, its site in the way search engines read it; cut to what the service takes. */
export function queryWithSite(query: string, { site }: SearchOptions, limits: QueryLimits): string {
  const end = site === undefined ? '' : ` site:${site}`;
  const words = query.trim().split(/\s+/u);
  const room = (limits.words ?? words.length + 1) - (end === '' ? 0 : 1);
  const text = words.slice(0, room).join(' ');
  return `${Array.from(text)
    .slice(0, Math.max(limits.chars - end.length, 0))
    .join('')
    .trimEnd()}${end}`.trim();
}

/** Those of the options that were given and that a service lacks; for the `ignored` of an outcome. */
export function given(
  options: SearchOptions,
  lacks: readonly ('site' | 'freshness')[],
): ('site' | 'freshness')[] {
  return lacks.filter((name) => options[name] !== undefined);
}
