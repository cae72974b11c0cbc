export { readJsonFeed } from './page/feed';
export { readCsv, readJson } from './page/data';
export { readPage, readPlain } from './page/read';
export { readXml } from './page/xml';
