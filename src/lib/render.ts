/** The render pipeline: model Markdown in, pane Markdown out. */
export { codeBlocks, type CodeBlock } from './render/code-blocks';
export { renderForCopy } from './render/copy';
export { inertText, plain, type PlainText } from './render/inert';
export { renderModelOutput } from './render/pipeline';
export { createRenderStream } from './render/stream';
