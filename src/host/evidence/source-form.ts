import type { Evidence, Source } from '../../lib/types';

/** How the text of a source is written: `lines` are those of a program or of data, each of which stands by itself. */
export type TextForm = 'markdown' | 'prose' | 'lines';

/** Files whose readable text is Markdown: theirs, or what Lam made of them. */
const MARKDOWN = /\.(?:md|markdown|mdx|mdown|mkd|qmd|rmd|html?|xhtml|docx|odt|epub)$/iu;

/** Files of running text. */
const PROSE = /\.(?:txt|text|pdf|rst|adoc|org|tex|log)$/iu;

/** How the text of a source is written, told by its kind and the name of its file; what has pages is a PDF file. */
export function textForm({ url, kind, page }: Pick<Evidence, 'url' | 'kind' | 'page'>): TextForm {
  if (page !== undefined) return 'prose';
  if (kind !== 'document' || MARKDOWN.test(url)) return 'markdown';
  return PROSE.test(url) || !/\.[^./]+$/u.test(url) ? 'prose' : 'lines';
}

/** The host of a page or the name of a file: where a passage is from, in few words. */
export function originOf({ url, kind }: Pick<Source, 'url' | 'kind'>): string {
  if (kind === 'document') return url.slice(url.lastIndexOf('/') + 1);
  return URL.canParse(url) ? new URL(url).host : '';
}
