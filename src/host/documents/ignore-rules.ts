import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import ignore, { type Ignore } from 'ignore';

/** Folders of packages and of version control whose names do not begin with a dot. */
const IGNORED_NAMES = new Set(['node_modules', 'bower_components', 'CVS', '_darcs']);

/** Files with rules; what the second says comes after the first and wins, as in ripgrep. */
const RULE_FILES = ['.gitignore', '.ignore'];

/** Bytes of a file with rules; templates for every language there is have 30 KB. */
const MAX_RULE_BYTES = 256 * 1024;
/** Rules that hold in a folder, its own and those above: each is tried on each name. */
const MAX_RULES = 2_000;
/** Those of them with stars at several places between two slashes; a template has twenty. */
const MAX_DEAR_RULES = 200;
/** UTF-16 units of a rule; names have 255 bytes. */
const MAX_RULE_UNITS = 1_000;
/** Pairs of stars in a rule. Each becomes a loop of a pattern within the loops before it, over the folders on the way. */
const MAX_PAIRS = 3;
/**
 * Stars within what stands between two slashes, beside those at its ends. Each is a loop over the letters of a name within
 * the loops before it: with three, a name of 250 letters takes a second, and rules come with foreign projects.
 */
const MAX_INNER_STARS = 1;

/** The rules that hold in a folder: its own and those of the folders above it, up to the chosen one. */
export interface IgnoreRules {
  /** Whether something right in this folder is left out. */
  leavesOut: (name: string, isFolder: boolean) => boolean;
  /** The rules of a folder in it. Never rejects: rules that cannot be read are none. */
  below: (name: string) => Promise<IgnoreRules>;
}

/** Rules from a folder's own files: `path` is where it is. */
export async function ignoreRules(path: string): Promise<IgnoreRules> {
  return rulesIn(path, [], WHOLE_ROOM);
}

/** True for what is left out whatever the rules say: hidden, or not the person's own. */
function isIgnoredName(name: string): boolean {
  return name.startsWith('.') || IGNORED_NAMES.has(name);
}

/** The rules of a folder above, and the way from there to here: `a/b/`, or nothing for the folder itself. */
interface Level {
  rules: Ignore;
  way: string;
}

/** How many more rules may hold. */
interface Room {
  rules: number;
  dear: number;
}

const WHOLE_ROOM: Room = { rules: MAX_RULES, dear: MAX_DEAR_RULES };

async function rulesIn(path: string, above: readonly Level[], room: Room): Promise<IgnoreRules> {
  const { own, left } = await readRules(path, room);
  // The nearest first: what it says about a name, the ones above cannot take back.
  const levels = own === undefined ? above : [{ rules: own, way: '' }, ...above];
  return {
    leavesOut(name, isFolder) {
      if (isIgnoredName(name)) return true;
      for (const { rules, way } of levels) {
        const { ignored, unignored } = rules.test(`${way}${name}${isFolder ? '/' : ''}`);
        if (ignored || unignored) return ignored;
      }
      return false;
    },
    below: (name) =>
      rulesIn(
        join(path, name),
        levels.map(({ rules, way }) => ({ rules, way: `${way}${name}/` })),
        left,
      ),
  };
}

/** The rules of a folder that there is room for, and the room that is left for the folders in it. */
async function readRules(path: string, room: Room): Promise<{ own?: Ignore; left: Room }> {
  const left = { ...room };
  const lines: string[] = [];
  for (const file of RULE_FILES)
    for (const line of await rulesOf(join(path, file))) {
      const dear = isDear(line) ? 1 : 0;
      if (left.rules === 0 || left.dear < dear) continue;
      left.rules -= 1;
      left.dear -= dear;
      lines.push(line);
    }
  if (lines.length === 0) return { left };
  try {
    return { own: ignore({ ignorecase: false }).add(lines), left };
  } catch {
    return { left };
  }
}

async function rulesOf(file: string): Promise<string[]> {
  try {
    const { size } = await stat(file).then((found) => (found.isFile() ? found : { size: 0 }));
    if (size === 0 || size > MAX_RULE_BYTES) return [];
    const text = await readFile(file, 'utf8');
    return text.split(/\r?\n/).filter((line) => /^\s*[^\s#]/.test(line) && isBounded(line));
  } catch {
    return [];
  }
}

const starsIn = (text: string): number => text.match(/\*+/g)?.length ?? 0;

function isBounded(rule: string): boolean {
  if (rule.length > MAX_RULE_UNITS || (rule.match(/\*{2,}/g)?.length ?? 0) > MAX_PAIRS)
    return false;
  return segmentsOf(rule).every(
    (segment) => starsIn(segment.replace(/^\*+/, '').replace(/\*+$/, '')) <= MAX_INNER_STARS,
  );
}

function isDear(rule: string): boolean {
  return segmentsOf(rule).some((segment) => starsIn(segment) > 1);
}

function segmentsOf(rule: string): string[] {
  return rule.trim().replace(/^!/, '').split('/');
}
