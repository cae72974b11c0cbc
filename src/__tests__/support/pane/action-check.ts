import type { Pane } from './pane';
import { takenBy, usedFor } from './shortcuts';
import type { PaneAction } from './tree';

/** Characters of an action's title that the panel shows beside a shortcut; it cuts longer ones. */
const MAX_TITLE = 40;

/**
 * What is wrong with the action panel on screen, as sentences; empty when nothing is: two actions with one shortcut or one
 * title, a shortcut that the launcher keeps or that a person uses for something else, a title that is empty or cut, a
 * submenu without entries.
 */
export function checkShortcuts(pane: Pick<Pane, 'actions'>): string[] {
  const actions = pane.actions();
  const panels = new Map<string | undefined, PaneAction[]>();
  for (const action of actions)
    panels.set(action.submenu, [...(panels.get(action.submenu) ?? []), action]);
  return [...panels].flatMap(([submenu, entries]) => {
    const where = submenu === undefined ? '' : ` in ${submenu}`;
    return [...checkPanel(entries), ...emptySubmenus(entries, panels)].map(
      (problem) => `${problem}${where}`,
    );
  });
}

function checkPanel(entries: PaneAction[]): string[] {
  const problems: string[] = [];
  const byKeys = new Map<string, string>();
  const byTitle = new Set<string>();
  for (const { title, shortcut } of entries) {
    if (title.trim() === '') problems.push('an action without a title');
    if (title.length > MAX_TITLE)
      problems.push(`"${title}" is longer than ${MAX_TITLE} characters`);
    if (byTitle.has(title)) problems.push(`two actions are called "${title}"`);
    byTitle.add(title);
    if (shortcut === undefined) continue;
    const other = byKeys.get(shortcut);
    if (other !== undefined) problems.push(`"${other}" and "${title}" have the same ${shortcut}`);
    byKeys.set(shortcut, title);
    const lost = takenBy(shortcut) ?? usedFor(shortcut);
    if (lost !== undefined) problems.push(`"${title}" has ${shortcut}, which ${lost}`);
  }
  return problems;
}

function emptySubmenus(
  entries: PaneAction[],
  panels: Map<string | undefined, PaneAction[]>,
): string[] {
  return entries
    .filter(({ kind, title, node }) => {
      return kind === 'submenu' && !panels.has(title) && node.props.onOpen === undefined;
    })
    .map(({ title }) => `the submenu "${title}" is empty`);
}
