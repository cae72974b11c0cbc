import { cleanTitle, listedSources, turnSources } from '../citations';
import { escapeMarkdown, isOpenable, markdownLink } from '../code';
import type { Source, Turn } from '../types';

import { renderForCopy } from '../render';

/** A source as a Markdown link under its title. One that cannot be opened is its title and address. */
export function sourceMarkdown(source: Source): string {
  const title = escapeMarkdown(cleanTitle(source.title) || cleanTitle(source.url));
  return isOpenable(source)
    ? markdownLink(title, source.url)
    : `${title} (${escapeMarkdown(cleanTitle(source.url))})`;
}

/** The sources under an answer as a Markdown list with the numbers of the text; '' if there are none. */
export function sourceListMarkdown(turn: Turn): string {
  const sources = turnSources(turn);
  const { cited } = renderForCopy(turn.response, { sources });
  const { rows } = listedSources(sources, cited);
  return rows.map((source) => `- [${source.index}] ${sourceMarkdown(source)}`).join('\n');
}
