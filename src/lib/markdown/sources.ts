import { cleanTitle, listedSources, turnSources } from '../citations';
import { escapeMarkdown, isOpenable, markdownLink } from '../code';
import { renderForCopy } from '../render';
import type { Source, Turn } from '../types';

import { foreignText } from './foreign-text';

/** A source as a Markdown link under its title. One that cannot be opened is its title and address. */
export function sourceMarkdown({ title, url, kind }: Source): string {
  const name = cleanTitle(title) || cleanTitle(url);
  // In the words of a link no parser looks for another one.
  return isOpenable({ url, kind })
    ? markdownLink(escapeMarkdown(name), url)
    : `${foreignText(name)} (${foreignText(cleanTitle(url))})`;
}

/** The sources under an answer as a Markdown list with the numbers of the text; '' if there are none. */
export function sourceListMarkdown(turn: Turn): string {
  const sources = turnSources(turn);
  const { cited } = renderForCopy(turn.response, { sources });
  const { rows } = listedSources(sources, cited);
  return rows.map((source) => `- [${source.index}] ${sourceMarkdown(source)}`).join('\n');
}
