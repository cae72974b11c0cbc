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
  submenu?: string;
  icon?: string;
  /** Normalized keys, for instance `ctrl+shift+c`. */
  shortcut?: string;
  node: PaneNode;
}

export interface PaneField {
  id: string;
  type: string;
  title?: string;
  placeholder?: string;
  value: unknown;
  error?: string;
  info?: string;
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
  return parent.children.flatMap((node): PaneAction[] => {
    if (node.type === 'action-panel-section')
      return entries(node, { ...place, section: text(node, 'title') });
    const entry: PaneAction = {
      title: text(node, 'title') ?? '',
      kind: kindOf(node),
      ...place,
      icon: iconName(node.props.icon),
      shortcut: shortcutKeys(node.props.shortcut),
      node,
    };
    return node.type === 'action-panel-submenu'
      ? [entry, ...entries(node, { section: place.section, submenu: entry.title })]
      : [entry];
  });
}

function kindOf(node: PaneNode): PaneAction['kind'] {
  if (node.type === 'action-panel-submenu') return 'submenu';
  if (node.props.onSubmit !== undefined) return 'submit';
  return node.props.type === 'create-quicklink' ? 'quicklink' : 'action';
}

/** The fields of a form; `values` holds what was filled in, and a controlled `value` wins over it. */
export function formFields(form: PaneNode, values: Map<string, unknown>): PaneField[] {
  return form.children
    .filter((node) => node.type.endsWith('-field'))
    .map((node) => {
      const id = text(node, 'id') ?? '';
      return {
        id,
        type: node.type,
        title: text(node, 'title'),
        placeholder: text(node, 'placeholder'),
        value: node.props.value ?? (values.has(id) ? values.get(id) : node.props.defaultValue),
        error: text(node, 'error'),
        info: text(node, 'info'),
      };
    });
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
