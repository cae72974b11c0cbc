import { listedSources } from '../../citations';
import { markdownLink } from '../../code';
import type { Source } from '../../types';
import { foreignText } from '../foreign-text';
import { isForOthers, sourceName } from '../source-name';

/**
 * The list under an answer for other people and programs: a local document is no link, which would lead nowhere there and tell its
 * path, and addresses in titles are code, or programs make links of them. `''` without sources.
 */
export function sourceList(sources: readonly Source[], cited: Iterable<number>): string {
  const { rows, more } = listedSources(sources, cited);
  if (rows.length === 0) return '';
  const lines = rows.map((source) => {
    const { index, url } = source;
    const number = isForOthers(source) ? markdownLink(`\\[${index}\\]`, url) : `[${index}]`;
    return `- ${number} ${foreignText(sourceName(source))}`;
  });
  return ['_Sources_', '', ...lines, ...(more > 0 ? ['', `and ${more} more`] : [])].join('\n');
}
