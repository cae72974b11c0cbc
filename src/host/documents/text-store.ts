import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';

import type { Block, BlockKind } from '../../lib/types';

/** A later version of the extraction or of this file gets another number: the files are then read anew. */
const VERSION = 1;

/** UTF-16 units of texts that are held in memory where they cannot be written. */
const MAX_HELD_UNITS = 32_000_000;

const HeadSchema = z.object({
  format: z.literal(VERSION),
  path: z.string(),
  /** SHA-256 of the file the text is from. */
  version: z.string(),
  pages: z.optional(z.object({ total: z.number(), starts: z.array(z.number()) })),
  cut: z.optional(z.boolean()),
  /** See `blockLines`. */
  blocks: z.string(),
});

/** The readable text of a document, as it was indexed. */
export interface KeptText {
  path: string;
  version: string;
  text: string;
  pages?: { total: number; starts: number[] } | undefined;
  cut?: boolean | undefined;
  blocks: Block[];
}

/** Copies of the documents' texts: passages are shown from them, whatever becomes of the file meanwhile. */
export interface TextStore {
  /**
   * Never throws: what cannot be written is held in memory, as long as there is room.
   *
   * @param store false = it is only held
   * @returns what the file system threw
   */
  put(text: KeptText, store: boolean): unknown;
  /** Undefined when there is none of this version. */
  get(path: string, version: string): KeptText | undefined;
  /** Removes all texts but those of these paths. */
  keepOnly(paths: Iterable<string>): void;
  /** True while texts are held that could not be written. */
  isHolding(): boolean;
  /**
   * Writes the texts that are held, and lets go of those that are no longer current. Ends with the first that fails.
   *
   * @returns what the file system threw
   */
  storeHeld(isCurrent: (path: string, version: string) => boolean): unknown;
  /** Those of the paths of which there is no text of any version, neither held nor on the disk. */
  missing(paths: Iterable<string>): string[];
}

/** The name of a document's text: paths are too long and too free for one. */
const nameOf = (path: string): string =>
  `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.text`;

const sumOf = (body: string): string =>
  createHash('sha256').update(body).digest('hex').slice(0, 16);

/** @param folder it is made with the first text */
export function createTextStore(folder: string): TextStore {
  const held = new Map<string, KeptText>();
  let heldUnits = 0;
  let isMade = false;

  function release(path: string): void {
    heldUnits -= held.get(path)?.text.length ?? 0;
    held.delete(path);
  }

  function hold(kept: KeptText): void {
    held.set(kept.path, kept);
    heldUnits += kept.text.length;
    for (const [oldest] of held) {
      if (heldUnits <= MAX_HELD_UNITS) break;
      release(oldest);
    }
  }

  function put(kept: KeptText, store: boolean): unknown {
    const { path, text, blocks, ...rest } = kept;
    release(path);
    if (!store) {
      hold(kept);
      return undefined;
    }
    try {
      if (!isMade) mkdirSync(folder, { recursive: true, mode: 0o700 });
      isMade = true;
      const head = JSON.stringify({ format: VERSION, path, ...rest, blocks: blockLines(blocks) });
      const body = `${head}\n${text}`;
      const whole = `${sumOf(body)}\n${body}`;
      // Not synced: a torn text is known by its sum, and its file is read anew.
      writeFileAtomic.sync(join(folder, nameOf(path)), whole, { mode: 0o600, fsync: false });
      return undefined;
    } catch (error) {
      isMade = false;
      hold(kept);
      return error;
    }
  }

  return {
    put,
    get(path, version) {
      const known = held.get(path);
      if (known?.version === version) return known;
      try {
        const kept = decodeText(readFileSync(join(folder, nameOf(path)), 'utf8'));
        return kept?.path === path && kept.version === version ? kept : undefined;
      } catch {
        return undefined;
      }
    },
    keepOnly(paths) {
      const kept = new Set<string>();
      for (const path of paths) kept.add(nameOf(path));
      for (const path of [...held.keys()]) if (!kept.has(nameOf(path))) release(path);
      for (const name of namesIn(folder)) {
        if (kept.has(name)) continue;
        try {
          unlinkSync(join(folder, name));
        } catch {
          // Gone already, or removed at the next run.
        }
      }
    },
    isHolding: () => held.size > 0,
    storeHeld(isCurrent) {
      for (const kept of [...held.values()]) {
        const { path, version } = kept;
        if (!isCurrent(path, version)) {
          release(path);
          continue;
        }
        const error = put(kept, true);
        if (error !== undefined) return error;
      }
      return undefined;
    },
    missing(paths) {
      const names = new Set(namesIn(folder));
      return [...paths].filter((path) => !held.has(path) && !names.has(nameOf(path)));
    },
  };
}

function decodeText(whole: string): KeptText | undefined {
  const first = whole.indexOf('\n');
  const body = whole.slice(first + 1);
  if (first < 0 || whole.slice(0, first) !== sumOf(body)) return undefined;
  const second = body.indexOf('\n');
  try {
    const head = z.safeParse(HeadSchema, JSON.parse(body.slice(0, second)));
    if (!head.success) return undefined;
    const { path, version, pages, cut, blocks } = head.data;
    const found = blocksFrom(blocks);
    if (found === undefined) return undefined;
    return { path, version, text: body.slice(second + 1), pages, cut, blocks: found };
  } catch {
    return undefined;
  }
}

const KINDS: readonly BlockKind[] = ['heading', 'paragraph', 'list', 'table', 'code'];

/** One block a line. Kept because cutting a text into blocks takes ten times as long as reading it. */
function blockLines(blocks: readonly Block[]): string {
  return blocks
    .map(({ id, kind, start, end, page = 0 }) =>
      [id, KINDS.indexOf(kind), start, end, page].join(' '),
    )
    .join('\n');
}

/** Undefined when one of the lines is none. */
function blocksFrom(lines: string): Block[] | undefined {
  const blocks: Block[] = [];
  for (const line of lines === '' ? [] : lines.split('\n')) {
    const [id = '', ...rest] = line.split(' ');
    const [place = NaN, start = NaN, end = NaN, page = NaN] = rest.map(Number);
    const kind = KINDS[place];
    if (kind === undefined || id === '' || ![start, end, page].every(Number.isSafeInteger))
      return undefined;
    const number = blocks.length + 1;
    blocks.push({ id, kind, start, end, number, ...(page === 0 ? {} : { page }) });
  }
  return blocks;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
