import { statSync } from 'node:fs';
import { join } from 'node:path';

import { expect, inject, it } from 'vitest';

/** Bytes of a command's bundle. The launcher reads and parses all of it at every launch (docs/performance.md). */
const MAX_COMMAND_BYTES = 650_000;

it.each(['chat.js', 'conversations.js'])(
  '%s stays small enough to load at every launch',
  (file) => {
    const { size } = statSync(join(inject('bundleDir'), file));
    expect(size).toBeGreaterThan(100_000); // it is the whole command, not a stub that loads it from somewhere else
    expect(size).toBeLessThanOrEqual(MAX_COMMAND_BYTES);
  },
);

it.each([
  ['assets/page.js', 'the page reader', 100_000],
  ['assets/charset.js', 'the tables of encodings', 10_000],
])('%s is a file of its own, with %s in it', (file, _content, bytes) => {
  const { size } = statSync(join(inject('bundleDir'), file));
  expect(size).toBeGreaterThan(bytes);
});
