/** Source numbers, the marker grammar, and the list under an answer. */
export { isOpenable } from './code';
export { analyse, type Analysis } from './citations/analyse';
export { carrySources } from './citations/carry';
export { citedIndices } from './citations/link';
export { cleanTitle, listedSources, renderSources, type ListedSources } from './citations/list';
export { pageKey } from './citations/page-key';
export { createSourceList, type SourceList } from './citations/sources';
export { citedCarried, numberedSources, spentNumbers, turnSources } from './citations/turn';
/** @public */
export { linkCitations } from './citations/link';
/** @public */
export { collectSources } from './citations/turn';
