import { cleanTitle, listedSources } from '../../citations';
import { escapeMarkdown, markdownLink } from '../../code';
import { renderForCopy } from '../../render';
import type { Source } from '../../types';
import { foreignText } from '../foreign-text';
import { fileName, sourceName } from '../source-name';

import { trimBlankLines, type CopiedAnswer, type Format } from './format';
import { markdownFormat, quoteQuestion } from './markdown';
import { sourceList } from './source-list';

/** Parsers do not agree whether `&copy;` in angle brackets is an entity. */
const mayStandInBrackets = (url: string): boolean =>
  /^https?:/i.test(url) && !/&#?\w{1,32};/.test(url);

/** What a source is called in its footnote, and where it is. */
interface Footnote {
  words: string;
  address: string;
}

/**
 * The footnote of a source. The words before the address keep a parser that knows no footnotes from reading the row as the
 * definition of a link: `[^1]: <https://…>` would be one, and `[^1]: Tea` too. Of a local document it has the name of the
 * file: its path would lead nowhere for others.
 */
function footnoteOf(source: Source): Footnote {
  const { title, url, kind } = source;
  if (kind === 'document') {
    const name = sourceName(source);
    const file = fileName(url);
    return {
      words: foreignText(name),
      address: file === name ? 'local file' : `local file ${foreignText(file)}`.trimEnd(),
    };
  }
  const name = cleanTitle(title);
  return {
    words: name === '' || name === url ? 'Web page' : foreignText(name),
    address: mayStandInBrackets(url) ? `<${url}>` : markdownLink(escapeMarkdown(url), url),
  };
}

/**
 * Markdown with footnotes, for editors that know them. Labels keep the number visible: `[^1]`, in a document of several
 * answers `[^2-1]` (second exchange, source 1), and `[^1a]` where the model has a footnote `1` of its own.
 *
 * @param between what stands between the words and the address of a source: Markdown on one line, with a dash in front; or ''
 */
export const footnotesWith = (
  between: (source: Source, answer: CopiedAnswer) => string,
): Format => ({
  ...markdownFormat,
  question: (typed) => quoteQuestion(typed, { prefix: '' }),
  answer(answer, { exchange }) {
    const { response, sources, isRunning } = answer;
    const { text, cited, labels } = renderForCopy(response, {
      sources,
      isShared: exchange !== undefined,
      footnotes: { prefix: exchange === undefined ? '' : `${String(exchange)}-` },
    });
    const body = trimBlankLines(text);
    // A footnote that nothing refers to is not drawn. Marks need theirs, even while the answer grows.
    if (cited.size === 0) return { body, sources: isRunning ? '' : sourceList(sources, cited) };
    const rows = listedSources(sources, cited).rows.map((source) => {
      const { words, address } = footnoteOf(source);
      const label = labels.get(source.index) ?? String(source.index);
      return `[^${label}]: ${words}${between(source, answer)} – ${address}`;
    });
    return { body, sources: rows.join('\n') };
  },
});

/** Footnotes that name their source and its address. */
export const footnotesFormat: Format = footnotesWith(() => '');
