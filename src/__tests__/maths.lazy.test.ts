import { createRequire } from 'node:module';

import { expect, it } from 'vitest';

import { texToUnicode } from '../lib/maths';

/** The modules this process has loaded with require. */
const { cache } = createRequire(import.meta.url);

function isLoaded(): boolean {
  return Object.keys(cache).some((path) => path.includes('/node_modules/temml/'));
}

it('loads the TeX parser with the first formula, not with the module', () => {
  expect(isLoaded()).toBe(false);
  expect(texToUnicode('x'.repeat(20_000), false)).toBeUndefined();
  expect(isLoaded()).toBe(false);
  expect(texToUnicode('x^2', false)).toBe('x²');
  expect(isLoaded()).toBe(true);
});
