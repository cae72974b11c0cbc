export { readPage, readPlain } from './page/read';
