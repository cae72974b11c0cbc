import { shortcutKeys } from './shortcuts';
import type { PaneNode } from './protocol';

/** A row of a list as it is drawn, with the names of icons and the text of accessories. */
export interface PaneItem {
  id: string;
  title: string;
  subtitle?: string;
  /** Name of a builtin icon, or whatever the icon's source says. */
  icon?: string;
  accessories: PaneAccessory[];
  /** Title of the section around the row. */
  section?: string;
  /** Markdown of the row's detail; absent when the row ships none. Only the selected row's is drawn. */
  detail?: string;
}

export interface PaneAccessory {
  text?: string;
  tag?: string;
  icon?: string;
  tooltip?: string;
}

/** One entry of the action panel. An entry of a submenu names it in `submenu`, and follows the submenu's own entry. */
export interface PaneAction {
  title: string;
  kind: 'action' | 'submit' | 'quicklink' | 'submenu';
  section?: string;
  /** Which section it stands in, counted from the top: sections need no title, and actions outside of one form their own. */
  group: number;
  submenu?: string;
  icon?: string;
  /** Normalized keys, for instance `ctrl+shift+c`. */
  shortcut?: string;
  node: PaneNode;
}

export function text(node: PaneNode, prop: string): string | undefined {
  const value = node.props[prop];
  return typeof value === 'string' ? value : undefined;
}

export function flag(node: PaneNode, prop: string): boolean {
  return node.props[prop] === true;
}

export function child(node: PaneNode, type: string): PaneNode | undefined {
  return node.children.find((each) => each.type === type);
}

/** The words for a list without rows; the launcher hides them while it is loading and nothing is typed. */
export function shownEmptyView(list: PaneNode, search: string): PaneNode | undefined {
  return flag(list, 'isLoading') && search === '' ? undefined : child(list, 'empty-view');
}

/** The rows of a list in order; `section` is the node around a row, if any. */
export function listItems(list: PaneNode): { node: PaneNode; section?: PaneNode }[] {
  return list.children.flatMap((node) => {
    if (node.type === 'list-item') return [{ node }];
    if (node.type !== 'list-section') return [];
    return node.children.map((item) => ({ node: item, section: node }));
  });
}

export function describeItem({ node, section }: { node: PaneNode; section?: PaneNode }): PaneItem {
  const detail = child(node, 'list-item-detail');
  const accessories: unknown = node.props.accessories;
  return {
    id: text(node, 'id') ?? '',
    title: text(node, 'title') ?? '',
    subtitle: text(node, 'subtitle'),
    icon: iconName(node.props.icon),
    accessories: Array.isArray(accessories) ? accessories.map(describeAccessory) : [],
    section: section && text(section, 'title'),
    detail: detail && (text(detail, 'markdown') ?? ''),
  };
}

/**
 * Whether the launcher itself would show this row for `query` (lists that leave filtering to it). The launcher's match
 * is fuzzy; here every word must occur in the title, the subtitle or a keyword.
 */
export function matches(node: PaneNode, query: string): boolean {
  const keywords = Array.isArray(node.props.keywords) ? node.props.keywords.map(String) : [];
  const haystack = [text(node, 'title'), text(node, 'subtitle'), ...keywords]
    .join(' ')
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

/** The panel's entries in order, submenus followed by their entries. */
export function panelActions(panel: PaneNode | undefined): PaneAction[] {
  return panel ? entries(panel, {}) : [];
}

function entries(parent: PaneNode, place: { section?: string; submenu?: string }): PaneAction[] {
  const found: PaneAction[] = [];
  let group = -1;
  let isInside = true; // of a section; what follows one outside begins the next
  for (const node of parent.children) {
    if (node.type === 'action-panel-section') {
      group++;
      isInside = true;
      const section = text(node, 'title');
      for (const each of node.children) found.push(...entry(each, { ...place, section, group }));
      continue;
    }
    if (isInside) group++;
    isInside = false;
    found.push(...entry(node, { ...place, group }));
  }
  return found;
}

function entry(
  node: PaneNode,
  place: { section?: string; submenu?: string; group: number },
): PaneAction[] {
  const own: PaneAction = {
    title: text(node, 'title') ?? '',
    kind: kindOf(node),
    ...place,
    icon: iconName(node.props.icon),
    shortcut: shortcutKeys(node.props.shortcut),
    node,
  };
  return own.kind === 'submenu'
    ? [own, ...entries(node, { section: place.section, submenu: own.title })]
    : [own];
}

function kindOf(node: PaneNode): PaneAction['kind'] {
  if (node.type === 'action-panel-submenu') return 'submenu';
  if (node.props.onSubmit !== undefined) return 'submit';
  return node.props.type === 'create-quicklink' ? 'quicklink' : 'action';
}

/** Adds the names of the icons in a view to `icons`. */
export function collectIcons(node: PaneNode, icons: Set<string>): void {
  const accessories: unknown[] = Array.isArray(node.props.accessories)
    ? node.props.accessories
    : [];
  for (const icon of [node.props.icon, ...accessories.map((each) => get(each, 'icon'))]) {
    const name = iconName(icon);
    if (name !== undefined) icons.add(name);
  }
  for (const each of node.children) collectIcons(each, icons);
}

/** `{source:{raw:"star"}}`, also inside `{value, tooltip}`, → `star`. */
export function iconName(icon: unknown): string | undefined {
  const inner = get(icon, 'value') ?? icon;
  const source = get(inner, 'source');
  const name = get(source, 'raw') ?? get(get(source, 'themed'), 'dark');
  return typeof name === 'string' ? name : undefined;
}

function describeAccessory(accessory: unknown): PaneAccessory {
  const words = (part: unknown): string | undefined => {
    const value = typeof part === 'object' ? get(part, 'value') : part;
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text: words(get(accessory, 'text')),
    tag: words(get(accessory, 'tag')),
    icon: iconName(get(accessory, 'icon')),
    tooltip: words(get(accessory, 'tooltip')),
  };
}

function get(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? Reflect.get(value, key)
    : undefined;
}
