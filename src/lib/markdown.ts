/** Exchanges and conversations as Markdown for the pane, and in every format of the clipboard. */
export {
  COPY_FORMATS,
  copyAnswer,
  copyExchanges,
  sessionToPlainText,
  type CopyFormat,
} from './markdown/copy';
/** @public */
export { turnToMarkdown, type CopiedTurn } from './markdown/copy';
/** Quotes the passages behind the citations. Of an answer that has none it is the same as `footnotes`. */
export { evidenceFormat } from './markdown/formats/evidence';
export { askedOf, quoteOf } from './markdown/quote';
export { bibtex, cslJson } from './markdown/references';
/** @public */
export type { ReferencedTurn } from './markdown/references';
export { sourceListMarkdown, sourceMarkdown } from './markdown/sources';
export { threadMarkdown, turnMarkdown } from './markdown/thread';
/** @public */
export { buildThreadMarkdown } from './markdown/thread';
