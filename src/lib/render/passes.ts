/** The passes of the render pipeline; see `passes/pass.ts`. */
export { addressPass } from './passes/address';
export { breakPass } from './passes/breaks';
export { fencePass, indentedPass } from './passes/code';
export { emphasisPass, mayBeShutOpening, MAX_EMPHASIS } from './passes/emphasis';
export { htmlCodePass, htmlPass } from './passes/html';
export { definitionPass, linkPass, referencePass } from './passes/links';
export { isStartOpen } from './passes/line-ending';
export { literalPass, openLiteral } from './passes/literal';
export { mathsPass } from './passes/maths';
export { numberPass } from './passes/numbers';
export type { ListState, Pass, PassContext } from './passes/pass';
export { tablePass } from './passes/tables';
export { inertPass, linePass, taskPass, tildePass, unparsedPass } from './passes/text';
export { structure } from './passes/structure';
