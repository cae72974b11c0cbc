import { readFileSync } from 'node:fs';

import type * as z from 'zod/mini';

/** Rows of a fixture file with one JSON object a line, each checked against `schema`: a row that does not fit fails loudly. */
export function readCases<T extends z.ZodMiniType>(name: string, schema: T): z.output<T>[] {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => schema.parse(JSON.parse(line)));
}
