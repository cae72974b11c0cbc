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
export { askedOf, quoteOf } from './markdown/quote';
export { sourceListMarkdown, sourceMarkdown } from './markdown/sources';
export { threadMarkdown, turnMarkdown } from './markdown/thread';
/** @public */
export { buildThreadMarkdown } from './markdown/thread';
