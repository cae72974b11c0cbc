export { readJsonFeed } from './page/feed';
export { readCsv, readJson } from './page/data';
export { readOffice } from './page/office';
export { readPage, readPlain } from './page/read';
export { readXml } from './page/xml';
