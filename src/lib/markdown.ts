/** Exchanges and conversations as Markdown: for the pane, and for the clipboard. */
export { sessionToPlainText, turnToMarkdown, type CopiedTurn } from './markdown/copy';
export {
  buildThreadMarkdown,
  threadMarkdown,
  turnMarkdown,
  type Message,
  type ThreadOptions,
} from './markdown/thread';
