/** The render pipeline: model Markdown in, pane Markdown out. */
export { inertText } from './render/inert';
export { renderForCopy } from './render/copy';
export { opens } from './render/passes';
export { renderModelOutput } from './render/pipeline';
export { createRenderStream } from './render/stream';
