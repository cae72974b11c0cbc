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
  ['edit-secondary', 'ctrl+shift+e'],
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

/**
 * Keys that an action would take away from the window: what moves in the list (its default style, and the one that moves like
 * Emacs), and what edits the text in the search bar. An action may have them, and a person who uses them loses them.
 */
const USED = new Map([
  ['ctrl+j', 'moves down'],
  ['ctrl+k', 'moves up'],
  ['ctrl+h', 'moves left'],
  ['ctrl+l', 'moves right'],
  ['ctrl+shift+z', 'redoes'],
  ['ctrl+y', 'redoes'],
  ['ctrl+backspace', 'deletes a word'],
  ['ctrl+delete', 'deletes a word'],
  ['ctrl+arrowleft', 'moves by a word'],
  ['ctrl+arrowright', 'moves by a word'],
  ['ctrl+shift+v', 'pastes without format'],
  ['shift+return', 'runs the second action'],
  ['ctrl+return', 'runs the second action, or submits'],
  ['return', 'runs the first action'],
  ['escape', 'goes back'],
  ['tab', 'goes to the next field'],
  ['shift+tab', 'goes to the field before'],
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

/** What a person uses these keys for, or undefined when nothing is lost to an action that has them. */
export function usedFor(keys: string): string | undefined {
  return USED.get(keys);
}

function join(modifiers: string[], key: string): string {
  const known = modifiers.map((name) => {
    const modifier = MODIFIERS.get(name.toLowerCase());
    if (modifier === undefined) throw new Error(`There is no modifier "${name}".`);
    return modifier;
  });
  return [...ORDER.filter((name) => known.includes(name)), key].join('+');
}
