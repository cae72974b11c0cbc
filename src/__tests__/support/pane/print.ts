import { drawPane, drawPlainText } from '../pane-model';
import { describeItem, flag, iconName, text, type PaneAction, type PaneAccessory } from './tree';
import type { PaneNode } from './protocol';

/** What the printer needs of a view. */
export interface PrintedView {
  node: PaneNode;
  search: string;
  rows: { node: PaneNode; section?: PaneNode }[];
  selected: string | null;
  actions: PaneAction[];
  form: { id: string; title?: string; value: unknown; error?: string }[];
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
  else if (node.type === 'form')
    for (const field of view.form) {
      const error = field.error === undefined ? '' : `  (${label(field.error)})`;
      lines.push(`${label(field.title ?? field.id)}: ${show(field.value)}${error}`);
    }
  if (flag(node, 'isLoading')) lines.push('~~~ loading ~~~');
  lines.push(actionLine(view.actions));
  return lines.join('\n');
}

function printList({ node, search, rows, selected }: PrintedView): string[] {
  const placeholder = text(node, 'searchBarPlaceholder');
  const bar = search === '' ? `(${label(placeholder ?? 'Search…')})` : search;
  const lines = [`> ${bar}`];
  const empty = node.children.find((child) => child.type === 'empty-view');
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

function show(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
