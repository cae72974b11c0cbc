import { drawPane, drawPlainText } from '../pane-model';
import { defaultKeys, type KeyedView } from './default-keys';
import type { PaneDropdown } from './dropdown';
import type { PaneField } from './form-state';
import {
  describeItem,
  flag,
  iconName,
  shownEmptyView,
  text,
  type PaneAction,
  type PaneAccessory,
} from './tree';
import type { PaneNode } from './protocol';

/** What the printer needs of a view. */
export interface PrintedView {
  node: PaneNode;
  search: string;
  rows: { node: PaneNode; section?: PaneNode }[];
  selected: string | null;
  actions: PaneAction[];
  dropdown: PaneDropdown | undefined;
  fields: PaneField[];
}

/**
 * What a person would read in the window, top to bottom: search bar or title, rows with their icons, the selected row's
 * detail as the launcher draws it, and the line with the first action.
 */
export function printView(view: PrintedView): string {
  const { node } = view;
  const lines: string[] = [];
  const title = text(node, 'navigationTitle');
  if (title !== undefined) lines.push(`= ${label(title)}`);
  if (node.type === 'list') lines.push(...printList(view));
  else if (node.type === 'detail') lines.push(drawPane(text(node, 'markdown') ?? '').text);
  else if (node.type === 'form') lines.push(...printForm(view));
  if (flag(node, 'isLoading')) lines.push('~~~ loading ~~~');
  lines.push(actionLine(view.actions));
  return lines.join('\n');
}

/** The action panel as a person sees it: sections, titles and keys, the entries of a submenu below it. */
export function printPanel(actions: PaneAction[], view: KeyedView): string {
  const lines: string[] = [];
  let last: number | undefined; // section of the last entry outside of a submenu
  for (const action of actions) {
    const { title, submenu, section, group, kind, shortcut } = action;
    if (submenu === undefined && group !== last) {
      if (last !== undefined) lines.push('');
      if (section !== undefined) lines.push(label(section));
      last = group;
    }
    const keys = defaultKeys(actions, view, action)[0] ?? shortcut;
    const parts = [
      submenu === undefined ? ' ' : '   ',
      label(title),
      kind === 'submenu' ? '▸' : '',
      keys === undefined ? '' : ` ${keys}`,
    ];
    lines.push(parts.filter((part) => part !== '').join(' '));
  }
  return lines.join('\n');
}

function printList({ node, search, rows, selected, dropdown }: PrintedView): string[] {
  const placeholder = text(node, 'searchBarPlaceholder');
  const bar = search === '' ? `(${label(placeholder ?? 'Search…')})` : search;
  const choice =
    dropdown && dropdown.options.length > 0 ? `  [${label(dropdown.title ?? '')} ▾]` : '';
  const lines = [`> ${bar}${choice}`];
  const empty = shownEmptyView(node, search);
  if (rows.length === 0 && empty)
    for (const part of [text(empty, 'title'), text(empty, 'description')])
      if (part !== undefined) lines.push(label(part));
  let section: string | undefined;
  for (const row of rows) {
    const item = describeItem(row);
    if (item.section !== undefined && item.section !== section) lines.push(label(item.section));
    section = item.section;
    const parts = [
      item.id === selected ? '▸' : ' ',
      item.icon === undefined ? '' : `[${item.icon}]`,
      label(item.title),
      item.subtitle === undefined ? '' : `— ${label(item.subtitle)}`,
      ...item.accessories.map(printAccessory),
    ];
    lines.push(parts.filter((part) => part !== '').join(' '));
  }
  const shown = rows.map(describeItem).find((item) => item.id === selected);
  if (flag(node, 'isShowingDetail') && shown?.detail !== undefined)
    lines.push('-----', drawPane(shown.detail).text, '-----');
  return lines;
}

function printAccessory({ text: words, tag, icon }: PaneAccessory): string {
  const parts = [icon === undefined ? undefined : `[${icon}]`, words, tag];
  const shown = parts.filter((part) => part !== undefined).map(label);
  return shown.length === 0 ? '' : `· ${shown.join(' ')}`;
}

function actionLine(actions: PaneAction[]): string {
  const first = actions[0];
  if (!first) return '[no actions]';
  const icon = iconName(first.node.props.icon);
  const more = actions.filter((action) => action.submenu === undefined).length - 1;
  return `[↵ ${icon === undefined ? '' : `(${icon}) `}${label(first.title)}] [${more} more]`;
}

function label(words: string): string {
  return drawPlainText(words).text;
}

function printForm({ node, fields }: PrintedView): string[] {
  const lines: string[] = [];
  const left = [...fields];
  for (const each of node.children) {
    if (each.type === 'separator') lines.push('----');
    if (each.type === 'form-description') {
      const title = text(each, 'title');
      const words = label(text(each, 'text') ?? '');
      lines.push(title === undefined ? words : `${label(title)}: ${words}`);
    }
    if (each.type === left[0]?.type) lines.push(...printField(left.shift()));
  }
  return lines;
}

function printField(field: PaneField | undefined): string[] {
  if (!field) return [];
  const lines = [`${label(field.title ?? '')}: ${printValue(field)}`.replace(/^: /, '')];
  if (field.error !== undefined && field.error !== '') lines.push(`  ! ${label(field.error)}`);
  if (field.info !== undefined && field.info !== '') lines.push(`  ? ${label(field.info)}`);
  return lines;
}

function printValue({ type, value, label: words, placeholder, options }: PaneField): string {
  const shown = typeof value === 'string' ? value : '';
  const hint = placeholder === undefined ? '' : `(${label(placeholder)})`;
  switch (type) {
    case 'checkbox-field':
      return `[${value === true ? 'x' : ' '}] ${label(words ?? '')}`.trimEnd();
    case 'dropdown-field': {
      const chosen = options?.find((option) => option.value === shown);
      return `${chosen === undefined ? hint : label(chosen.title)} ▾`.trimStart();
    }
    case 'file-picker-field':
      return Array.isArray(value) && value.length > 0 ? value.join(', ') : '(choose a file)';
    case 'password-field':
      return shown === '' ? hint : '•'.repeat(shown.length);
    default:
      return shown === '' ? hint : shown;
  }
}
