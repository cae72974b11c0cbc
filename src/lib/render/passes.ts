/** The passes of the render pipeline; see `passes/pass.ts`. */
export { fencePass, indentedPass } from './passes/code';
export { htmlPass } from './passes/html';
export { definitionPass, linkPass, referencePass } from './passes/links';
export { mathsPass } from './passes/maths';
export type { ListState, Pass, PassContext } from './passes/pass';
export { tablePass } from './passes/tables';
export { addressPass, inertPass, taskPass, tildePass, unparsedPass } from './passes/text';
export { structure } from './passes/structure';
