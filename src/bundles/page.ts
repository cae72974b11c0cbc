export { readJsonFeed } from './page/feed';
export { readPage, readPlain } from './page/read';
export { readXml } from './page/xml';
