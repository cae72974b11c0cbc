import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { cleanName } from './document-name';
import { FollowedLink, refusalFor, TOO_LATE } from './file-bytes';
import { holds, LINKED } from './folders';
import { ignoreRules, type IgnoreRules } from './ignore-rules';
import { withinTime } from './time-limit';

/** Files of one walk. What people write and collect stays below; more is a disk, not a folder of documents. */
const MAX_FILES = 50_000;
/** Folders, and rows of what was skipped. */
const MAX_OTHERS = 50_000;
/** Entries of one folder that are looked at. */
const MAX_ENTRIES = 100_000;
/** Folders within each other. */
const MAX_DEPTH = 40;
/** Files asked about at once. */
const BATCH = 64;
/** Milliseconds for one folder's list: a drive that sleeps wakes in five; one that is gone would never answer. */
const LIMIT_MS = 20_000;

/** A folder that the person chose. `name` is how its documents are called. */
export interface ChosenFolder {
  path: string;
  name: string;
}

/** `path` is the real one. `name` is one line: the name of the folder and the path below it. */
export type WalkEntry =
  | { kind: 'file'; path: string; name: string; size: number; mtimeMs: number }
  | {
      kind: 'skipped';
      path: string;
      name: string;
      /** One sentence. */
      reason: string;
    };

interface WalkOptions {
  maxFiles?: number;
  /** A folder whose files are no documents, wherever it stands: Lam's own. */
  without?: string | undefined;
}

interface Folder extends ChosenFolder {
  depth: number;
  rules: IgnoreRules;
}

/**
 * The files below the chosen folders, in the order of their names, and what was left out for a reason worth telling: links,
 * which are never followed, devices, folders that cannot be read, and what is beyond the limits. What is hidden, belongs to
 * packages or version control, or is named in `.gitignore` or `.ignore` is left out without a word.
 *
 * A folder whose path leads to another place is skipped too: `path` is to be the real one.
 *
 * Never rejects. Ends soon after an abort. Other work runs meanwhile; memory is bounded by the largest folder.
 */
export async function* walk(
  folders: readonly ChosenFolder[],
  signal: AbortSignal,
  { maxFiles = MAX_FILES, without }: WalkOptions = {},
): AsyncGenerator<WalkEntry> {
  const roots = new Map<string, ChosenFolder>();
  const own = without === undefined ? undefined : await realOr(without, signal);
  const count = { files: 0, most: maxFiles, others: 0, isFull: false };
  for (const folder of folders) {
    const skipped = (reason: string): WalkEntry => ({ kind: 'skipped', ...folder, reason });
    const root = await bounded(() => realpath(folder.path), signal);
    if (isAborted(signal)) return;
    if (!root.ok) yield skipped(root.reason);
    else if (root.value !== folder.path) yield skipped(LINKED);
    else if (roots.has(folder.path)) yield skipped('It was chosen twice.');
    else if (own === undefined || !holds(own, folder.path)) roots.set(folder.path, folder);
  }
  for (const [path, { name }] of roots) {
    if (count.isFull) {
      yield { kind: 'skipped', path, name, reason: tooMany(count.most) };
      continue;
    }
    const rules = await bounded(() => ignoreRules(path), signal);
    if (isAborted(signal)) return;
    if (rules.ok)
      yield* walkFolder(
        { path, name, depth: 0, rules: rules.value },
        { roots, own, count, signal },
      );
    else yield { kind: 'skipped', path, name, reason: rules.reason };
  }
}

interface Walking {
  /** The chosen folders by their real paths. One inside another is a folder of its own: it may be hidden in the other. */
  roots: ReadonlyMap<string, ChosenFolder>;
  /** The real path of what is left out without a word. */
  own: string | undefined;
  count: { files: number; most: number; others: number; isFull: boolean };
  signal: AbortSignal;
}

async function* walkFolder(folder: Folder, walking: Walking): AsyncGenerator<WalkEntry> {
  const { path, name, depth, rules } = folder;
  const { roots, own, count, signal } = walking;
  const skipped = (reason: string): WalkEntry => ({ kind: 'skipped', path, name, reason });
  if (path === own || (depth > 0 && roots.has(path))) return;
  if (depth > MAX_DEPTH) {
    yield skipped(`It stands in more than ${MAX_DEPTH} folders.`);
    return;
  }
  const listed = await bounded(() => list(path, rules, signal), signal);
  if (signal.aborted) return;
  if (!listed.ok) {
    yield skipped(listed.reason);
    return;
  }
  const { entries, more } = listed.value;
  if (more) yield skipped(`It has more than ${amount(MAX_ENTRIES)} entries; some are left out.`);
  for (let from = 0; from < entries.length; from += BATCH) {
    const batch = entries.slice(from, from + BATCH);
    const looked = await bounded(
      () => Promise.all(batch.map((entry) => look(path, entry))),
      signal,
    );
    for (const [n, entry] of batch.entries()) {
      if (isAborted(signal) || count.isFull) return;
      if (count.files >= count.most || count.others >= MAX_OTHERS) {
        count.isFull = true;
        yield skipped(tooMany(count.most));
        return;
      }
      const place = { path: join(path, entry.name), name: `${name}/${cleanName(entry.name)}` };
      if (!entry.isDirectory()) {
        const row = rowOf(entry, place, looked.ok ? looked.value[n] : looked);
        if (row.kind === 'file') count.files += 1;
        else count.others += 1;
        yield row;
        continue;
      }
      count.others += 1;
      const below = await bounded(() => rules.below(entry.name), signal);
      if (below.ok) yield* walkFolder({ ...place, depth: depth + 1, rules: below.value }, walking);
      else if (!isAborted(signal)) yield { kind: 'skipped', ...place, reason: below.reason };
    }
  }
}

async function realOr(path: string, signal: AbortSignal): Promise<string> {
  const real = await bounded(() => realpath(path), signal);
  return real.ok ? real.value : path;
}

/** What the system says of a file; nothing of what is none. Never rejects. */
async function look(folder: string, entry: Dirent): Promise<Bounded<Stats> | undefined> {
  if (!entry.isFile()) return undefined;
  try {
    return { ok: true, value: await lstat(join(folder, entry.name)) };
  } catch (error) {
    return { ok: false, reason: refusalFor(error).reason };
  }
}

function tooMany(most: number): string {
  return `Lam reads ${amount(most)} files at most, and there are more; choose a smaller folder.`;
}

function amount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A signal may fire at any await, which the compiler does not know. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

function rowOf(entry: Dirent, place: ChosenFolder, facts: Bounded<Stats> | undefined): WalkEntry {
  const skipped = (reason: string): WalkEntry => ({ kind: 'skipped', ...place, reason });
  if (entry.isSymbolicLink()) return skipped('It is a link, which Lam does not follow.');
  if (facts === undefined) return skipped('It is a device or a pipe, not a file.');
  if (!facts.ok)
    return skipped(
      // Node gives names as UTF-8, and finds nothing under what is not.
      entry.name.includes('\ufffd') ? 'Its name is not written in UTF-8.' : facts.reason,
    );
  const { size, mtimeMs } = facts.value;
  // Between the list and the look something else may have taken its place.
  if (!facts.value.isFile()) return skipped('It is a link, a device or a pipe, not a file.');
  return { kind: 'file', ...place, size, mtimeMs };
}

/** What is in a folder and not left out, in the order of UTF-16 units, which no setting changes. */
async function list(
  path: string,
  rules: IgnoreRules,
  signal: AbortSignal,
): Promise<{ entries: Dirent[]; more: boolean }> {
  const entries: Dirent[] = [];
  let looked = 0;
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    looked += 1;
    if (signal.aborted || looked > MAX_ENTRIES) break;
    if (!rules.leavesOut(entry.name, entry.isDirectory())) entries.push(entry);
  }
  // A link may have taken the place of a folder since its own folder was listed.
  if ((await realpath(path)) !== path) throw new FollowedLink();
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { entries, more: looked > MAX_ENTRIES };
}

type Bounded<T> = { ok: true; value: T } | { ok: false; reason: string };

/** Questions to the file system, or why there is no answer. Never rejects. */
async function bounded<T>(work: () => Promise<T>, signal: AbortSignal): Promise<Bounded<T>> {
  try {
    const timed = await withinTime(work, signal, LIMIT_MS);
    return timed.ok ? timed : { ok: false, reason: TOO_LATE };
  } catch (error) {
    return { ok: false, reason: refusalFor(error).reason };
  }
}
