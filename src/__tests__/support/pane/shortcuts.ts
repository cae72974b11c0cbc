/** Default keys of the launcher's named shortcuts (its keybind-manager.cpp). A person may bind them to others. */
const NAMED = new Map([
  ['copy', 'ctrl+shift+c'],
  ['copy-name', 'ctrl+shift+.'],
  ['copy-path', 'ctrl+shift+,'],
  ['save', 'ctrl+s'],
  ['duplicate', 'ctrl+d'],
  ['new', 'ctrl+n'],
  ['refresh', 'ctrl+r'],
  ['edit', 'ctrl+e'],
  ['open', 'ctrl+o'],
  ['pin', 'ctrl+shift+p'],
  ['remove', 'ctrl+x'],
  ['remove-all', 'ctrl+shift+x'],
  ['move-up', 'ctrl+shift+arrowup'],
  ['move-down', 'ctrl+shift+arrowdown'],
]);

/** Keys the launcher keeps for itself: an action bound to one of them is never run by it. */
const TAKEN = new Map([
  ['ctrl+a', 'selects all text'],
  ['ctrl+c', 'copies the selection'],
  ['ctrl+v', 'pastes'],
  ['ctrl+z', 'undoes'],
  ['ctrl+b', 'opens the action panel'],
  ['ctrl+p', 'opens the search filter'],
  ['ctrl+,', 'opens the settings'],
]);

const MODIFIERS = new Map([
  ['cmd', 'ctrl'], // Ctrl on Linux and Windows
  ['ctrl', 'ctrl'],
  ['opt', 'alt'],
  ['alt', 'alt'],
  ['shift', 'shift'],
]);
const ORDER = ['ctrl', 'alt', 'shift'];

/** `Shift+Cmd+C` → `ctrl+shift+c`: modifiers in one order, lower case. Throws on a modifier that does not exist. */
export function normalizeKeys(keys: string): string {
  const lower = keys.toLowerCase();
  const key = lower.endsWith('++') ? '+' : (lower.split('+').at(-1) ?? '');
  const names = lower
    .slice(0, lower.length - key.length)
    .split('+')
    .filter(Boolean);
  return join(names, key === 'enter' ? 'return' : key);
}

/**
 * The keys of an action's `shortcut` prop: a named one (`"copy"`), or `{ modifiers, key }`. Undefined when the
 * value is neither.
 */
export function shortcutKeys(shortcut: unknown): string | undefined {
  if (typeof shortcut === 'string') return NAMED.get(shortcut);
  if (typeof shortcut !== 'object' || shortcut === null || !('key' in shortcut)) return undefined;
  const modifiers = 'modifiers' in shortcut ? shortcut.modifiers : [];
  if (typeof shortcut.key !== 'string' || !Array.isArray(modifiers)) return undefined;
  return join(modifiers.map(String), shortcut.key.toLowerCase());
}

/** What the launcher does with these keys itself, or undefined when an action may have them. */
export function takenBy(keys: string): string | undefined {
  return TAKEN.get(keys);
}

function join(modifiers: string[], key: string): string {
  const known = modifiers.map((name) => {
    const modifier = MODIFIERS.get(name.toLowerCase());
    if (modifier === undefined) throw new Error(`There is no modifier "${name}".`);
    return modifier;
  });
  return [...ORDER.filter((name) => known.includes(name)), key].join('+');
}
