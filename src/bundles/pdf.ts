export { readPdf } from './pdf/read';
