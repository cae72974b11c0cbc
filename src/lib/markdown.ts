/** Exchanges and conversations as Markdown: for the pane, and for the clipboard. */
export { sessionToPlainText, turnToMarkdown } from './markdown/copy';
export { threadMarkdown, turnMarkdown } from './markdown/thread';
/** @public */
export { buildThreadMarkdown } from './markdown/thread';
