import { createRenderStream } from '../lib/render';

import { answerOf, shapes, sources } from './answers';
import { median } from './statistics';

/** UTF-16 units of a chunk: about one token. */
const CHUNK = 4;
/** The answer is brought to the beginning of a window in pieces of this length, which are not timed. */
const FILL = 256;
const RUNS = 3;

/** What one shape of answer costs. */
export interface StreamCost {
  shape: string;
  /** Mean milliseconds of a chunk, in a window around each of the lengths asked for. */
  perChunk: number[];
}

/**
 * The mean cost of a chunk of four characters in a window around each length, for each shape of answer. A window is a
 * quarter of the length wide (at least 1,000 characters), so that work which is done only now and then is in it.
 */
export function streamCosts(lengths: readonly number[]): StreamCost[] {
  return shapes.map((shape) => {
    const widest = Math.max(...lengths) * 1.25;
    const answer = answerOf(shape, widest);
    chunkCost(answer, 6_000, 4_000); // warms the code up
    const perChunk = lengths.map((length) => {
      const width = Math.max(1_000, length / 4);
      const runs = length > 20_000 ? 1 : RUNS;
      const times = Array.from({ length: runs }, () =>
        chunkCost(answer, Math.max(0, length - width / 2), width),
      );
      return median(times);
    });
    return { shape: shape.name, perChunk };
  });
}

function chunkCost(answer: string, from: number, width: number): number {
  const stream = createRenderStream({ sources });
  for (let at = 0; at < from; at += FILL) stream.push(answer.slice(at, Math.min(at + FILL, from)));
  let chunks = 0;
  const before = performance.now();
  for (let at = from; at < from + width; at += CHUNK, chunks++)
    stream.push(answer.slice(at, Math.min(at + CHUNK, from + width)));
  return (performance.now() - before) / chunks;
}
