import { resolve } from 'node:path';

import { buildBundle } from '../__tests__/support/build';

import { composition, sizeOf, type Share } from './bundle-size';
import { coldImports, type Built } from './cold-import';
import { idleCost, indexingCost, queryCosts } from './documents';
import { withEmptyExtension } from './empty-extension';
import { evidenceCosts } from './evidence-cost';
import { firstFrames } from './first-frame';
import { hostileCosts } from './hostile-cost';
import { lastByteToResult, pageCosts } from './page-cost';
import { renderCosts, type kinds } from './render-cost';
import { chunkAdvantage, pipelineCosts, redraws } from './pipeline-cost';
import { sourceMemory } from './source-memory';
import { storageCosts, type StorageCost } from './storage';
import { median } from './statistics';
import { streamCosts } from './stream-cost';
import { refusalCost, webTurn } from './web-turn';

/**
 * `npm run bench`: prints how large and how slow Lam is. Every time is printed as a ratio to another time of the same run,
 * so the figures of two machines can be compared. Nothing is asserted.
 */

const IMPORT_RUNS = 15;
const FRAME_RUNS = 7;
const STREAM_LENGTHS = [1_000, 10_000, 100_000, 200_000];
/** By kind: a mixed answer beyond 700 KB is partly left as written, which would flatter. */
const RENDER_LENGTHS = {
  mixed: [10_000, 100_000, 700_000],
  paragraphs: [10_000, 100_000, 1_000_000],
};
const HOSTILE_LENGTH = 1_000_000;
const MEMORY_TURNS = 1_000;
/** Conversations of a store; each has one of 1,000 turns. */
const STORE_SIZES = [100, 1_000, 10_000];
/** Blocks of an index of documents. */
const INDEX_SIZES = [2_000, 20_000, 200_000];
const LARGEST = 12;
const ASSETS = ['web', 'page', 'pdf', 'agent', 'providers', 'library', 'documents', 'evidence'].map(
  (name) => `assets/${name}.js`,
);

const ratio = (one: number | undefined, other: number | undefined): string =>
  `${((one ?? NaN) / (other ?? NaN)).toPrecision(3)}x`;
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`;

function table(title: string, rows: readonly (readonly string[])[]): void {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)),
    [],
  );
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  '),
  );
  console.log(`\n${title}\n  ${lines.join('\n  ')}`);
}

const shares = (parts: readonly Share[]): string[][] =>
  parts.slice(0, LARGEST).map(({ name, bytes }) => [name, kilobytes(bytes)]);

async function printSizes(bundleDir: string): Promise<void> {
  const files = ['chat.js', 'conversations.js', 'documents.js', ...ASSETS];
  table(
    'Size, minified',
    files.map((file) => [file, kilobytes(sizeOf(bundleDir, file))]),
  );
  table(`In chat.js, the ${LARGEST} largest`, shares(await composition('src/chat.tsx')));
  table(
    `In assets/page.js, the ${LARGEST} largest`,
    shares(await composition('src/bundles/page.ts', { mainFields: ['module', 'main'] })),
  );
}

async function printLaunch(bundleDir: string): Promise<void> {
  await withEmptyExtension(async (emptyDir) => {
    const commands: Built[] = [
      { dir: emptyDir, command: 'empty' },
      { dir: bundleDir, command: 'chat' },
    ];
    const imports = await coldImports(commands, IMPORT_RUNS);
    const frames = await firstFrames(commands, FRAME_RUNS);
    const against = (times: readonly number[][], of: (values: number[]) => number): string =>
      ratio(of(times[1] ?? []), of(times[0] ?? []));
    const fastest = (values: number[]): number => Math.min(...values);
    table('Launch of chat, against an empty command', [
      ['', 'median', 'fastest'],
      ['import of the bundle', against(imports, median), against(imports, fastest)],
      ['first frame', against(frames, median), against(frames, fastest)],
    ]);
  });
}

function printStream(): void {
  const costs = streamCosts(STREAM_LENGTHS);
  const unit = costs[0]?.perChunk[0];
  table('A streamed chunk of four characters, against one of paragraphs at 1 KB', [
    ['', ...STREAM_LENGTHS.map((length) => `${length / 1000} KB`), 'last/first'],
    ...costs.map(({ shape, perChunk }) => [
      shape,
      ...perChunk.map((cost) => ratio(cost, unit)),
      ratio(perChunk.at(-1), perChunk[0]),
    ]),
  ]);
}

function printRender(kind: keyof typeof kinds): void {
  const lengths = RENDER_LENGTHS[kind];
  const costs = renderCosts(kind, lengths);
  const bare = costs[0];
  table(`A thousand characters of a finished answer (${kind}), against the bare parser`, [
    ['', ...lengths.map((length) => `${length / 1000} KB`), 'last/first'],
    ...costs.map(({ subject, perKilo }) => [
      subject,
      ...perKilo.map((cost, i) => ratio(cost, bare?.perKilo[i])),
      ratio(perKilo.at(-1), perKilo[0]),
    ]),
  ]);
}

function printPipelines(): void {
  const { length, costs } = pipelineCosts();
  const own = costs[0]?.total;
  table('The corpus of answers, through Lam and through what others use', [
    ['', 'MB/s', 'time against Lam'],
    ...costs.map(({ subject, total }) => [
      subject,
      (length / total / 1000).toPrecision(3),
      ratio(total, own),
    ]),
  ]);
  const { redrawn, answers } = redraws();
  table('While an answer arrives', [
    ['a chunk at 50 KB, against a whole render', `1/${chunkAdvantage(50_000).toFixed(0)}`],
    ['answers that end in a redraw', `${redrawn} of ${answers}`],
  ]);
}

function printHostile(): void {
  const { bare, costs } = hostileCosts(HOSTILE_LENGTH);
  const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;
  table(`A hostile text of ${HOSTILE_LENGTH / 1000} KB, against the bare parser on paragraphs`, [
    ['', 'linkCitations', '', 'renderModelOutput', ''],
    ['bare parser, paragraphs', seconds(bare), ratio(bare, bare), '', ''],
    ...costs.map(({ name, link, render }) => [
      name,
      seconds(link),
      ratio(link, bare),
      seconds(render),
      ratio(render, bare),
    ]),
  ]);
}

function printMemory(): void {
  const { turns, heapPerTurn, jsonPerTurn } = sourceMemory(MEMORY_TURNS);
  table(`The sources of a conversation of ${turns} turns, ten pages each, in memory`, [
    ['', 'a turn', 'all', 'against JSON'],
    [
      'heap',
      kilobytes(heapPerTurn),
      kilobytes(heapPerTurn * turns),
      ratio(heapPerTurn, jsonPerTurn),
    ],
  ]);
}

/** Rows of the table of stores: what, and whether it is a size. */
const STORE_ROWS: readonly (readonly [string, keyof StorageCost, 'time' | 'size'])[] = [
  ['the store', 'bytes', 'size'],
  ['rows of the first frame', 'recent', 'time'],
  ['the whole list', 'list', 'time'],
  ['the first list of all', 'firstList', 'time'],
  ['memory of the list', 'listHeap', 'size'],
  ['opening 1,000 turns', 'open', 'time'],
  ['a piece of an answer stored, 1,000 turns', 'appendLong', 'time'],
  ['a piece of an answer stored, 3 turns', 'appendShort', 'time'],
  ['search: first answer of a launch', 'searchFirst', 'time'],
  ['search: whole answer of a launch', 'searchWarm', 'time'],
  ['search: index made for the first time', 'searchCold', 'time'],
  ['search: a further key', 'key', 'time'],
  ['search: the slowest key', 'slowestKey', 'time'],
  ['search: memory of its thread', 'searchHeap', 'size'],
];

async function printStorage(): Promise<void> {
  const costs = await storageCosts(STORE_SIZES);
  const [least] = costs;
  const cell = (value: number, kind: 'time' | 'size'): string =>
    kind === 'size' ? `${(value / 1e6).toFixed(1)} MB` : `${value.toPrecision(3)} ms`;
  table('Stores of different sizes, each with a conversation of 1,000 turns', [
    ['', ...STORE_SIZES.map(String), 'last/first'],
    ...STORE_ROWS.map(([name, key, kind]) => [
      name,
      ...costs.map((cost) => cell(cost[key], kind)),
      ratio(costs.at(-1)?.[key], least?.[key]),
    ]),
  ]);
}

async function printWeb(): Promise<void> {
  const costs = pageCosts();
  const own = costs[0]?.speed;
  table('Twenty pages read, through Lam and through what it is built on', [
    ['', 'MB/s', 'speed against Lam', 'word F1', 'least'],
    ...costs.map(({ subject, speed, f1, least }) => [
      subject,
      speed.toPrecision(3),
      ratio(speed, own),
      f1.toFixed(3),
      least.toFixed(3),
    ]),
  ]);
  const { wait, reading } = await lastByteToResult();
  const { turn, slowest, sum } = await webTurn();
  const { body, left, peak, sent } = await refusalCost();
  table('The web', [
    ['from the last byte of 200 KB to the result, against the bare reading', ratio(wait, reading)],
    ['5 searches and 10 pages in a turn, against the slowest server', ratio(turn, slowest)],
    ['the same, against one after the other', ratio(turn, sum)],
    [
      'a body refused: memory it took at most, and left, of its size',
      `${ratio(peak, body)}, ${ratio(left, body)}`,
    ],
    ['the same: bytes that were sent, of all', ratio(sent, body)],
  ]);
}

function printEvidence(): void {
  table('The evidence of an answer of 10 KB over 20 sources of 20,000 characters, by script', [
    ['', 'first', 'median', 'passages of markers'],
    ...evidenceCosts().map(({ letters, first, time, rows, markers }) => [
      letters,
      `${first.toFixed(0)} ms`,
      `${time.toFixed(0)} ms`,
      `${rows} of ${markers}`,
    ]),
  ]);
}

async function printDocuments(): Promise<void> {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const milliseconds = (time: number): string => `${time.toPrecision(3)} ms`;
  const assets = resolve('assets');
  const idle = await idleCost(assets);
  const { files, bytes, blocks, first, again, oneChanged, peak, kept } = await indexingCost(assets);
  table(`A folder of ${files} files, ${megabytes(bytes)}, ${blocks} blocks`, [
    ['a start without any folder', milliseconds(idle)],
    ['read for the first time', `${(bytes / 1e3 / first).toPrecision(3)} MB/s`],
    ['nothing has changed, against the first time', ratio(again, first)],
    ['one file has changed, against the first time', ratio(oneChanged, first)],
    ['memory at most', megabytes(peak)],
    ['kept on the disk, against the files', ratio(kept, bytes)],
  ]);
  const costs = await queryCosts(INDEX_SIZES);
  const row = (name: string, cells: string[]) => [name, ...cells];
  table('A question to an index of documents', [
    ['', ...costs.map((cost) => `${cost.blocks} blocks`)],
    row(
      'first answer of a launch',
      costs.map(({ load }) => milliseconds(load)),
    ),
    row(
      'p50',
      costs.map(({ p50 }) => milliseconds(p50)),
    ),
    row(
      'p95',
      costs.map(({ p95 }) => milliseconds(p95)),
    ),
    row(
      'a word that is nowhere',
      costs.map(({ misspelt }) => milliseconds(misspelt)),
    ),
    row(
      'memory',
      costs.map(({ memory }) => megabytes(memory)),
    ),
  ]);
}

async function main(): Promise<void> {
  const bundleDir = await buildBundle();
  await printSizes(bundleDir);
  await printLaunch(bundleDir);
  printStream();
  printRender('mixed');
  printRender('paragraphs');
  printPipelines();
  printHostile();
  printMemory();
  printEvidence();
  await printDocuments();
  await printStorage();
  await printWeb();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
