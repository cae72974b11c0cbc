/** The render pipeline: model Markdown in, pane Markdown out. */
export { inertText } from './render/inert';
export { renderForCopy, renderModelOutput } from './render/pipeline';
export { createRenderStream } from './render/stream';
