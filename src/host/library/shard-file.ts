import { readFileSync } from 'node:fs';

import writeFileAtomic from 'write-file-atomic';

import type { Shard } from './shard';
import { decodeShard, encodeShard } from './shard-text';
import type { Vocabulary } from './vocabulary';

/** Undefined when there is none that can be used. Never throws. */
export function readShard(path: string, vocabulary: Vocabulary): Shard | undefined {
  try {
    return decodeShard(readFileSync(path, 'utf8'), vocabulary);
  } catch {
    return undefined;
  }
}

/** Writes the whole file or nothing; a failure only costs time at the next launch. Never throws. Not synced: a torn shard is built anew. */
export function writeShard(path: string, shard: Shard, vocabulary: Vocabulary): void {
  try {
    writeFileAtomic.sync(path, encodeShard(shard, vocabulary), { mode: 0o600, fsync: false });
  } catch {
    // See above.
  }
}
