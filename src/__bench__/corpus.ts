import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../__tests__/fixtures/answers/', import.meta.url);

/** Answers as models write them: the same that the tests look at. */
export const corpus: readonly string[] = readdirSync(folder)
  .filter((name) => /^\d.*\.md$/.test(name))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'));
