/** The render pipeline: model Markdown in, pane Markdown out. */
export { inertText } from './render/inert';
export {
  renderForCopy,
  renderModelOutput,
  type Rendered,
  type RenderOptions,
} from './render/pipeline';
export { createRenderStream, type RenderStream } from './render/stream';
