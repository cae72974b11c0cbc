import { cleanTitle, renderSources } from '../../citations';
import { renderForCopy } from '../../render';
import { foreignText } from '../foreign-text';
import { quote } from '../quote';

import { trimBlankLines, type Format } from './format';

/** Room for any sentence about a failure, with what the server said of it. */
const MAX_ERROR_CHARS = 2000;

/** A question as a quote: as typed, but no definition, open block or footnote of it reaches the answers. */
export const quoteQuestion = (typed: string, footnotes?: { prefix: string }): string => {
  const options = { isShared: true, ...(footnotes ? { footnotes } : {}) };
  const text = trimBlankLines(renderForCopy(typed, options).text);
  return text === '' ? '' : quote(text);
};

/** Markdown with the markers as links, for one's own notes: a local document is a link to its path, which works there. */
export const markdownFormat: Format = {
  question: (typed) => quoteQuestion(typed),
  answer({ response, sources, isRunning }, { exchange }) {
    const { text, cited } = renderForCopy(response, { sources, isShared: exchange !== undefined });
    // The list is the pane's, sign by sign.
    return { body: trimBlankLines(text), sources: renderSources(sources, cited, isRunning) };
  },
  error: (message) => `**[error]** ${foreignText(cleanTitle(message, MAX_ERROR_CHARS))}`,
  remark: (words) => `_(${words})_`,
  gap: '\n\n',
  rule: '\n\n---\n\n',
};
