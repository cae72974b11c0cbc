/**
 * What the launcher draws: a model of its Markdown pane and of its plain-text labels, written from what was read in its
 * sources and seen on its screen (version 0.26.3). It errs on the side of danger: what some version was seen to fetch counts as fetched.
 */
export { clickEffect } from './pane-model/addresses';
export { drawPane } from './pane-model/blocks';
export type { PaneDrawing } from './pane-model/blocks';
export { drawPlainText } from './pane-model/plain-text';
export { updatePane } from './pane-model/update';
export { undrawnWords } from './pane-model/words';
