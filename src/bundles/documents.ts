export { serveDocuments } from '../host/documents/serve';
