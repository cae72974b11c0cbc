/** The one scan of a Markdown text, and the edits that passes contribute to it. */
export { applyEdits, type Edit } from './code/edit';
export { hasPlainHost, placeNote } from './code/host';
export {
  emittedAddress,
  escapeMarkdown,
  isOpenable,
  isWebAddress,
  markdownLink,
  opensInPane,
  shownAddress,
} from './code/link';
export type { Node } from './code/parse';
export { prepare } from './code/prepare';
export { scan, type Definition, type Link, type Scan } from './code/scan';
