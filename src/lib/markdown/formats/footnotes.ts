import { cleanTitle, listedSources, renderSources } from '../../citations';
import { escapeMarkdown, markdownLink } from '../../code';
import { renderForCopy } from '../../render';
import type { Source } from '../../types';

import { trimBlankLines, type Format } from './format';
import { markdownFormat, quoteQuestion } from './markdown';

/** Parsers do not agree whether `&copy;` in angle brackets is an entity. */
const mayStandInBrackets = (url: string): boolean =>
  /^https?:/i.test(url) && !/&#?\w{1,32};/.test(url);

/**
 * The footnote of a source. The words before the address keep a parser that knows no footnotes from reading the row as the
 * definition of a link: `[^1]: <https://…>` would be one, and `[^1]: Tea` too.
 */
function definition({ title, url }: Source, label: string): string {
  const name = cleanTitle(title);
  const words = name === '' || name === url ? 'Web page' : escapeMarkdown(name);
  const address = mayStandInBrackets(url) ? `<${url}>` : markdownLink(escapeMarkdown(url), url);
  return `[^${label}]: ${words} – ${address}`;
}

/**
 * Markdown with footnotes, for editors that know them. Labels keep the number visible: `[^1]`, in a document of several
 * answers `[^2-1]` (second exchange, source 1), and `[^1a]` where the model has a footnote `1` of its own.
 */
export const footnotesFormat: Format = {
  ...markdownFormat,
  question: (typed) => quoteQuestion(typed, { prefix: '' }),
  answer({ response, sources, isRunning }, { exchange }) {
    const { text, cited, labels } = renderForCopy(response, {
      sources,
      isShared: exchange !== undefined,
      footnotes: { prefix: exchange === undefined ? '' : `${String(exchange)}-` },
    });
    const body = trimBlankLines(text);
    // A footnote that nothing refers to is not drawn. Marks need theirs, even while the answer grows.
    if (cited.size === 0) return { body, sources: renderSources(sources, cited, isRunning) };
    const rows = listedSources(sources, cited).rows.map((source) =>
      definition(source, labels.get(source.index) ?? String(source.index)),
    );
    return { body, sources: rows.join('\n') };
  },
};
