// Indexes documents until it has read all or is killed, for documents.resume.test.ts. Bundled and run as a process of its own:
//   node document-writer.cjs <kept> <folder> <milliseconds for each file>
// Prints the name of each file before it is read, and `end` when the index is whole.

import { writeSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { openIndex, plainExtractor } from './document-folders';

const [kept = '', folder = '', pause = '0'] = process.argv.slice(2);
const { extract } = plainExtractor();
const index = openIndex(kept, [{ path: folder, name: 'notes' }], {
  token: `writer-${process.pid}`,
  storeAfterMs: 100,
  extract: async (path) => {
    writeSync(1, `${basename(path)}\n`);
    await delay(Number(pause));
    return extract(path);
  },
});

async function main(): Promise<void> {
  // Another one may be at work: then what it has not read is looked for again.
  do await index.update();
  while (index.status().counts.pending > 0 && (await delay(20, true)));
  writeSync(1, 'end\n');
}

main().catch((error: unknown) => {
  writeSync(1, `error ${String(error)}\n`);
  process.exitCode = 1;
});
