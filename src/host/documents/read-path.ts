import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';

import { cleanName } from './document-name';
import { holds } from './folders';
import { ignoreRules } from './ignore-rules';
import type { ChosenFolder } from './walk';

/** `path` is the real one, `name` the one a walk gives it. `reason`: one sentence, without absolute paths. */
type FoundPath =
  | { ok: true; path: string; name: string }
  | { ok: false; status: 'refused' | 'not-found'; reason: string };

/** Code points of a name in a sentence. */
const MAX_SHOWN = 120;

interface PathOptions {
  /** A folder whose files are no documents, wherever it stands: Lam's own. */
  without?: string | undefined;
}

/**
 * The file that a model means by a name such as `Notes/tea/wuyi.md`. Only what a walk would find too: below a chosen folder
 * by its real path, not hidden, not left out by a rule. Case and the form of accents need not be right if only one file can
 * be meant. Never rejects; whether it is a file that can be read is not looked at. What stands outside and what stands nowhere
 * get the same sentence.
 */
export async function readPath(
  folders: readonly ChosenFolder[],
  name: string,
  options: PathOptions = {},
): Promise<FoundPath> {
  const shown = shownName(name);
  if (name.includes('\0')) return refuse(`${shown} is no name of a document.`);
  if (isAbsolute(name) || /^~|^file:/i.test(name))
    return refuse(`Name a document by its folder and the path below it, not as ${shown}.`);
  const folder = folders
    .filter((each) => name === each.name || name.startsWith(`${each.name}/`))
    .sort((one, other) => other.name.length - one.name.length)[0];
  if (folder === undefined) {
    const known = folders.map((each) => `"${cleanName(each.name)}"`).join(', ');
    return missing(
      known === ''
        ? 'No folder of documents is chosen.'
        : `${shown} is in none of the chosen folders: ${known}.`,
    );
  }
  const segments = name
    .slice(folder.name.length)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) return refuse(`${shown} leads out of its folder.`);
  if (segments.length === 0) return refuse(`${shown} is a folder; name a document in it.`);
  let path = folder.path;
  if ((await realPath(path)) !== path) return missing(`There is no document ${shown}.`);
  for (const segment of segments) {
    const found = await entryIn(path, segment);
    if (found === undefined) return missing(`There is no document ${shown}.`);
    path = join(path, found);
    // What a link leads to outside is not even listed.
    const placed = await place(folders, path, options);
    if (placed === undefined) return missing(`There is no document ${shown}.`);
  }
  return locate(folders, path, shown, options);
}

/**
 * Whether an absolute path is below a chosen folder, by the real paths of both, and what it is called there. Refused as in
 * `readPath`. Never rejects.
 *
 * @public
 */
export async function within(
  folders: readonly ChosenFolder[],
  path: string,
  options: PathOptions = {},
): Promise<FoundPath> {
  const shown = shownName(path.slice(path.lastIndexOf('/') + 1));
  if (path.includes('\0') || !isAbsolute(path)) return refuse(`${shown} is no path of a document.`);
  return locate(folders, path, shown, options);
}

async function locate(
  folders: readonly ChosenFolder[],
  path: string,
  shown: string,
  options: PathOptions,
): Promise<FoundPath> {
  const placed = await place(folders, path, options);
  if (placed === undefined) return missing(`There is no document ${shown}.`);
  const { real, root, name } = placed;
  const segments = real.slice(root.length).split(sep);
  if (await isLeftOut(root, segments))
    return refuse(`${shown} is hidden or left out by a rule of its folder.`);
  return { ok: true, path: real, name: [name, ...segments.map(cleanName)].join('/') };
}

/** The real path, and the innermost folder it is in, with a slash. Undefined for what is in none, or is not there. */
async function place(
  folders: readonly ChosenFolder[],
  path: string,
  { without }: PathOptions,
): Promise<{ real: string; root: string; name: string } | undefined> {
  const real = await realPath(path);
  if (real === undefined) return undefined;
  const own = without === undefined ? undefined : ((await realPath(without)) ?? without);
  if (own !== undefined && holds(own, real)) return undefined;
  let best: { root: string; name: string } | undefined;
  for (const folder of folders) {
    // One that became a link since it was chosen is another one.
    if ((await realPath(folder.path)) !== folder.path) continue;
    const root = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
    if (real.startsWith(root) && root.length > (best?.root.length ?? 0))
      best = { root, name: folder.name };
  }
  return best === undefined ? undefined : { real, ...best };
}

/** The name on the disk that is meant: the same; the same as it is shown; or the only one that differs in case and accents' form. */
async function entryIn(folder: string, wanted: string): Promise<string | undefined> {
  const direct = await realPath(join(folder, wanted));
  if (direct !== undefined) return wanted;
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    return undefined;
  }
  const shown = names.find((name) => cleanName(name) === wanted);
  if (shown !== undefined) return shown;
  const alike = (fold: (name: string) => string): string | undefined => {
    const key = fold(wanted);
    const found = names.filter((name) => fold(cleanName(name)) === key);
    return found.length === 1 ? found[0] : undefined;
  };
  return (
    alike((name) => name.normalize('NFC')) ?? alike((name) => name.normalize('NFC').toLowerCase())
  );
}

async function isLeftOut(root: string, segments: readonly string[]): Promise<boolean> {
  let rules = await ignoreRules(root);
  for (const [index, segment] of segments.entries()) {
    const isFolder = index < segments.length - 1;
    if (rules.leavesOut(segment, isFolder)) return true;
    if (isFolder) rules = await rules.below(segment);
  }
  return false;
}

/** Undefined when it is not there, or nobody may know. */
async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}

function refuse(reason: string): FoundPath {
  return { ok: false, status: 'refused', reason };
}

function missing(reason: string): FoundPath {
  return { ok: false, status: 'not-found', reason };
}

function shownName(name: string): string {
  const line = name.slice(0, MAX_SHOWN * 8).replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ');
  const signs = Array.from(line.trim());
  return `"${signs.length > MAX_SHOWN ? `${signs.slice(0, MAX_SHOWN).join('')}…` : signs.join('')}"`;
}
