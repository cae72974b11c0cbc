export { serveLibrary } from '../host/library/serve';
