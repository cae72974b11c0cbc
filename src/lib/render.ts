/** The render pipeline: model Markdown in, pane Markdown out. */
export { codeBlocks, type CodeBlock } from './render/code-blocks';
export { inertText, plain, type PlainText } from './render/inert';
export { renderForCopy, renderModelOutput } from './render/pipeline';
export { createRenderStream } from './render/stream';
