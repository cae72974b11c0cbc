/** The passages behind citations: which they are, what is quoted of them, where they open, and what an answer leaves open. */
export { auditOf, type Audit } from './evidence/audit';
export { findEvidence } from './evidence/find';
export { passageAddress } from './evidence/address';
export { evidenceLine } from './evidence/line';
export { evidencePlace } from './evidence/place';
