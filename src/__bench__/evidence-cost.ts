import { blocksOf } from '../lib/blocks';
import { findEvidence } from '../lib/evidence';
import type { ToolCallRecord } from '../lib/types';

import { median } from './statistics';

const RUNS = 15;
const SOURCES = 20;
/** UTF-16 units of each source's text: what one result shows. */
const SOURCE_LENGTH = 20_000;
/** Bytes of the answer in UTF-8. */
const ANSWER_BYTES = 10_000;

/** Made-up words of different length: the first ones are as common as "the", the last ones as rare as names. */
const LETTERS: Record<string, string> = {
  Latin: 'etaoinshrdlucmfwypvbgk',
  Cyrillic: 'оеаинтсрвлкмдпуяыьгзбч',
  // Texts are written with some two thousand characters; these are not their most common ones, but as many.
  Han: Array.from({ length: 2_000 }, (_, n) => String.fromCodePoint(0x4e00 + n * 7)).join(''),
};

/** The same row of numbers in every run (Lehmer, multiplier 48271). */
function createRandom(): () => number {
  let state = 20_261_130;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function createWords(letters: string, random: () => number): () => string {
  const alphabet = Array.from(letters);
  const isDense = /\p{Script=Han}/u.test(letters);
  const words = Array.from({ length: 5_000 }, (_, n) =>
    Array.from(
      { length: isDense ? 2 : 2 + Math.floor(Math.log2(n + 2) * (0.5 + random())) },
      () => alphabet[Math.floor(random() * alphabet.length)] ?? '',
    ).join(''),
  );
  return () => words[Math.floor(words.length ** random()) - 1] ?? '';
}

interface Scene {
  response: string;
  toolCalls: ToolCallRecord[];
}

/** An answer of sentences that are taken from the sources, every third word another, each with its marker. */
function sceneOf(letters: string): Scene {
  const random = createRandom();
  const word = createWords(letters, random);
  const glue = /\p{Script=Han}/u.test(letters) ? '' : ' ';
  const stop = glue === '' ? '。' : '. ';
  const sentence = (): string[] => Array.from({ length: 14 }, word);
  const kept: { index: number; words: string[] }[] = [];
  const toolCalls = Array.from({ length: SOURCES }, (_, n): ToolCallRecord => {
    const index = n + 1;
    let text = '';
    while (text.length < SOURCE_LENGTH) {
      const paragraph = Array.from({ length: 5 }, sentence);
      kept.push(...paragraph.slice(0, 1).map((words) => ({ index, words })));
      text += `${paragraph.map((words) => words.join(glue)).join(stop)}${stop.trim()}\n\n`;
    }
    const url = `https://page-${index}.example/`;
    return {
      name: 'web_fetch',
      arguments: { url },
      result: text,
      isError: false,
      sources: [{ index, title: `Page ${index}`, url, status: 'read' }],
      shown: blocksOf({ text }).map(({ id, number, start, end }) => ({
        index,
        at: start,
        length: end - start,
        start,
        block: id,
        number,
      })),
    };
  });
  let response = '';
  while (Buffer.byteLength(response) < ANSWER_BYTES) {
    const { index, words } = kept[Math.floor(random() * kept.length)] ?? { index: 1, words: [] };
    const said = words.map((each, n) => (n % 3 === 2 ? word() : each)).join(glue);
    response += `${said} [${index}]${stop}${random() < 0.2 ? '\n\n' : ''}`;
  }
  return { response, toolCalls };
}

/** What the evidence of one answer costs and gives. */
export interface EvidenceCost {
  letters: string;
  /** Milliseconds of the first run. That of the first script runs code nobody ran before, as the first answer of a launch does. */
  first: number;
  /** Milliseconds of the median run. */
  time: number;
  /** Passages that were found, of so many markers. */
  rows: number;
  markers: number;
}

/** The evidence of an answer of 10 KB over 20 sources with 20,000 characters each, by script. */
export function evidenceCosts(): EvidenceCost[] {
  return Object.entries(LETTERS).map(([letters, alphabet]) => {
    const scene = sceneOf(alphabet);
    const times: number[] = [];
    let rows = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const before = performance.now();
      rows = findEvidence(scene, []).evidence.length;
      times.push(performance.now() - before);
    }
    const markers = scene.response.match(/\[\d+\]/g)?.length ?? 0;
    return { letters, first: times[0] ?? NaN, time: median(times), rows, markers };
  });
}
