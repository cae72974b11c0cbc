export { copyEvidence } from '../host/evidence/copies';
export { seeEvidence } from '../host/evidence/see';
