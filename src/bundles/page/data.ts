import { layOutCsv } from './csv';
import { layOutJson } from './json';
import type { ReadPage } from './read';

/** UTF-16 units of JSON laid out: ten parts of a tool result. What is longer is cut by its structure, which tells more than its beginning. */
const MAX_JSON_CHARS = 200_000;

/** A JSON text laid out for reading; `torn` = its end did not arrive. */
export function readJson(text: string, torn: boolean): ReadPage {
  return { title: '', ...layOutJson(text, MAX_JSON_CHARS, { torn }), scripts: 0 };
}

/** A table of separated values as a Markdown table. */
export function readCsv(text: string): ReadPage {
  return { title: '', ...layOutCsv(text), scripts: 0 };
}
