import type { PaneAction } from './tree';

/** Kinds of views by the keys the launcher gives to their first actions. */
export type KeyedView = 'list' | 'form';

/**
 * The keys that work without being asked for (action-panel-state.hpp): Return runs the first action of a list or a Detail, the
 * second one of the same section has Ctrl+Return from 0.25 on and Shift+Return before. In a form Return belongs to the fields,
 * and Ctrl+Return (before 0.25 Shift+Return) runs the first action. An action's own shortcut stays beside them.
 */
const DEFAULT_KEYS: Record<KeyedView, string[][]> = {
  list: [['return'], ['ctrl+return', 'shift+return']],
  form: [['ctrl+return', 'shift+return']],
};

/** The keys that run this action by themselves; the newest launcher's first. */
export function defaultKeys(
  actions: readonly PaneAction[],
  view: KeyedView,
  action: PaneAction,
): string[] {
  const place = primarySection(actions).indexOf(action);
  return DEFAULT_KEYS[view][place] ?? [];
}

/** What keys such as `return` run by themselves; they come before what an action asks for. */
export function defaultAction(
  actions: readonly PaneAction[],
  view: KeyedView,
  keys: string,
): PaneAction | undefined {
  return primarySection(actions).find((action) =>
    defaultKeys(actions, view, action).includes(keys),
  );
}

function primarySection(actions: readonly PaneAction[]): PaneAction[] {
  return actions.filter(
    ({ submenu, group }) => submenu === undefined && group === actions[0]?.group,
  );
}
