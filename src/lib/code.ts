/** The one scan of a Markdown text, and the edits that passes contribute to it. */
export { applyEdits, type Edit } from './code/edit';
export {
  emittedAddress,
  escapeMarkdown,
  isOpenable,
  isWebAddress,
  markdownLink,
} from './code/link';
export type { Node, ParseOptions } from './code/parse';
export {
  scan,
  type Definition,
  type Formula,
  type Line,
  type Link,
  type Run,
  type Scan,
} from './code/scan';
