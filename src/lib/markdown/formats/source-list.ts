import { cleanTitle, isOpenable, listedSources } from '../../citations';
import { markdownLink } from '../../code';
import type { Source } from '../../types';
import { foreignText } from '../foreign-text';
import { isForOthers, sourceName } from '../source-name';

/**
 * The list under an answer as the pane has it, for other programs: they make links of addresses in titles. `''` without sources.
 *
 * @param withPaths whether local documents are links, which lead there on this machine only
 */
export function sourceList(
  sources: readonly Source[],
  cited: Iterable<number>,
  { withPaths }: { withPaths: boolean },
): string {
  const { rows, more } = listedSources(sources, cited);
  if (rows.length === 0) return '';
  const lines = rows.map((source) => {
    const { index, title, url } = source;
    const isLinked = withPaths ? isOpenable(source) : isForOthers(source);
    const name = withPaths ? cleanTitle(title) || cleanTitle(url) : sourceName(source);
    const number = isLinked ? markdownLink(`\\[${index}\\]`, url) : `[${index}]`;
    return `- ${number} ${foreignText(name)}`;
  });
  return ['_Sources_', '', ...lines, ...(more > 0 ? ['', `and ${more} more`] : [])].join('\n');
}
