import { shortcutKeys } from './shortcuts';
import type { PaneNode } from './protocol';

type Kind =
  | 'string'
  | 'required'
  | 'boolean'
  | 'number'
  | 'handler'
  | 'object'
  | 'words'
  | 'text'
  | 'keys'
  | 'accessories';

interface Shape {
  props: Record<string, Kind>;
  /** Tags allowed below; absent = not checked. */
  children?: string[];
}

const FIELD: Shape['props'] = {
  id: 'required',
  title: 'string',
  error: 'string',
  info: 'string',
  autoFocus: 'boolean',
  storeValue: 'boolean',
  onChange: 'handler',
  onFocus: 'handler',
  onBlur: 'handler',
};
const TEXT: Shape['props'] = {
  ...FIELD,
  placeholder: 'string',
  value: 'string',
  defaultValue: 'string',
};
const PANEL = ['action-panel-section', 'action-panel-submenu', 'action'];

/**
 * What the launcher demands of each element (its model-deser.cpp, version 0.26.3): one value of another type, and the whole
 * frame is dropped with nothing but a line in the server's log. Props that are not named here are not on the wire or not checked.
 */
const SHAPES: Record<string, Shape> = {
  list: {
    props: {
      filtering: 'boolean',
      isLoading: 'boolean',
      isShowingDetail: 'boolean',
      searchText: 'string',
      searchBarPlaceholder: 'string',
      navigationTitle: 'string',
      throttle: 'boolean',
      onSearchTextChange: 'handler',
      onSelectionChange: 'handler',
    },
    children: ['dropdown', 'list-section', 'list-item', 'empty-view', 'action-panel'],
  },
  'list-section': { props: { title: 'string', subtitle: 'string' }, children: ['list-item'] },
  'list-item': {
    props: {
      id: 'required',
      title: 'required',
      subtitle: 'string',
      icon: 'object',
      keywords: 'words',
      accessories: 'accessories',
    },
    children: ['list-item-detail', 'action-panel'],
  },
  'list-item-detail': {
    props: { markdown: 'string', isLoading: 'boolean' },
    children: ['metadata'],
  },
  'empty-view': {
    props: { title: 'string', description: 'string', icon: 'object' },
    children: ['action-panel'],
  },
  detail: {
    props: { markdown: 'string', navigationTitle: 'string', isLoading: 'boolean' },
    children: ['action-panel', 'metadata'],
  },
  metadata: {
    props: {},
    children: ['metadata-label', 'metadata-link', 'metadata-separator', 'tag-list'],
  },
  'metadata-label': { props: { title: 'required', text: 'text', icon: 'object' }, children: [] },
  'metadata-link': {
    props: { title: 'required', target: 'required', text: 'required' },
    children: [],
  },
  'metadata-separator': { props: {}, children: [] },
  'tag-list': { props: { title: 'required' }, children: ['tag-item'] },
  'tag-item': { props: { text: 'string', icon: 'object', onAction: 'handler' }, children: [] },
  'action-panel': { props: { title: 'string' }, children: PANEL },
  'action-panel-section': { props: { title: 'string' }, children: PANEL },
  'action-panel-submenu': {
    props: {
      title: 'required',
      icon: 'object',
      shortcut: 'keys',
      onOpen: 'handler',
      onSearchTextChange: 'handler',
      autoFocus: 'boolean',
      isLoading: 'boolean',
      throttle: 'boolean',
    },
    children: PANEL,
  },
  action: {
    props: {
      title: 'required',
      icon: 'object',
      shortcut: 'keys',
      onAction: 'handler',
      onSubmit: 'handler',
      type: 'string',
    },
    children: [],
  },
  dropdown: {
    props: {
      id: 'string',
      tooltip: 'string',
      placeholder: 'string',
      value: 'string',
      defaultValue: 'string',
      filtering: 'boolean',
      isLoading: 'boolean',
      storeValue: 'boolean',
      throttle: 'boolean',
      onChange: 'handler',
      onSearchTextChange: 'handler',
    },
    children: ['dropdown-item', 'dropdown-section'],
  },
  'dropdown-section': { props: { title: 'string' }, children: ['dropdown-item'] },
  'dropdown-item': {
    props: { title: 'required', value: 'required', icon: 'object', keywords: 'words' },
    children: [],
  },
  form: {
    props: { isLoading: 'boolean', enableDrafts: 'boolean', navigationTitle: 'string' },
    children: [
      'text-field',
      'password-field',
      'text-area-field',
      'checkbox-field',
      'dropdown-field',
      'date-picker-field',
      'file-picker-field',
      'tag-picker-field',
      'form-description',
      'separator',
      'link-accessory',
      'action-panel',
    ],
  },
  'text-field': { props: TEXT, children: [] },
  'password-field': { props: TEXT, children: [] },
  'text-area-field': { props: TEXT, children: [] },
  'checkbox-field': {
    props: { ...FIELD, label: 'string', value: 'boolean', defaultValue: 'boolean' },
    children: [],
  },
  'dropdown-field': {
    props: {
      ...TEXT,
      tooltip: 'string',
      filtering: 'boolean',
      isLoading: 'boolean',
      throttle: 'boolean',
      onSearchTextChange: 'handler',
    },
    children: ['dropdown-item', 'dropdown-section'],
  },
  'date-picker-field': {
    props: { ...FIELD, value: 'string', defaultValue: 'string', min: 'string', max: 'string' },
    children: [],
  },
  'file-picker-field': {
    props: {
      ...FIELD,
      value: 'words',
      defaultValue: 'words',
      allowMultipleSelection: 'boolean',
      canChooseDirectories: 'boolean',
      canChooseFiles: 'boolean',
      showHiddenFiles: 'boolean',
    },
    children: [],
  },
  'tag-picker-field': { props: FIELD },
  'form-description': { props: { title: 'string', text: 'required' }, children: [] },
  separator: { props: {}, children: [] },
  'link-accessory': { props: { target: 'string', text: 'string' }, children: [] },
};

const ROOTS = ['list', 'detail', 'form', 'grid'];

/** Why the launcher would drop a frame with this view, as `path: reason`; empty when it would draw it. */
export function checkView(view: PaneNode): string[] {
  if (!ROOTS.includes(view.type)) return [`<${view.type}> is no view`];
  return checkNode(view, view.type);
}

function checkNode(node: PaneNode, path: string): string[] {
  const shape = SHAPES[node.type];
  if (!shape) return []; // grids and their parts: Lam has none
  const problems = Object.entries(shape.props).flatMap(([name, kind]) => {
    const problem = checkProp(node.props[name], kind);
    return problem === undefined ? [] : [`${path}.${name}: ${problem}`];
  });
  for (const [index, child] of node.children.entries()) {
    const childPath = `${path} > ${child.type}[${index}]`;
    if (shape.children?.includes(child.type) === false)
      problems.push(`${childPath}: not allowed in <${node.type}>`);
    else problems.push(...checkNode(child, childPath));
  }
  return problems;
}

function checkProp(value: unknown, kind: Kind): string | undefined {
  if (value === undefined) return kind === 'required' ? 'missing' : undefined;
  switch (kind) {
    case 'string':
    case 'required':
    case 'boolean':
    case 'number': {
      const type = kind === 'required' ? 'string' : kind;
      return typeof value === type ? undefined : `${type} expected, got ${show(value)}`;
    }
    case 'handler':
      return typeof value === 'string' && value.startsWith('handler-')
        ? undefined
        : `function expected, got ${show(value)}`;
    case 'object':
      return typeof value === 'object' && value !== null
        ? undefined
        : `image expected, got ${show(value)}`;
    case 'words':
      return Array.isArray(value) && value.every((word) => typeof word === 'string')
        ? undefined
        : `list of strings expected, got ${show(value)}`;
    case 'text':
      return checkText(value);
    case 'keys':
      return isShortcut(value) ? undefined : `shortcut expected, got ${show(value)}`;
    case 'accessories':
      return checkAccessories(value);
  }
}

function checkText(value: unknown): string | undefined {
  if (typeof value === 'string') return undefined;
  if (typeof value === 'object' && value !== null && 'value' in value)
    return checkProp(value.value, 'string');
  return `string or { value, color } expected, got ${show(value)}`;
}

function checkAccessories(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `list expected, got ${show(value)}`;
  for (const accessory of value as unknown[]) {
    if (typeof accessory !== 'object' || accessory === null)
      return `accessory expected, got ${show(accessory)}`;
    for (const [name, part] of Object.entries(accessory)) {
      if (part === undefined) continue;
      const problem =
        name === 'text' || name === 'tag'
          ? checkText(part)
          : checkProp(part, name === 'icon' ? 'object' : 'string');
      if (problem !== undefined) return `${name}: ${problem}`;
    }
  }
  return undefined;
}

function isShortcut(value: unknown): boolean {
  if (typeof value === 'string') return true; // an unknown name binds nothing, it is not refused
  try {
    return shortcutKeys(value) !== undefined;
  } catch {
    return false; // a modifier that does not exist
  }
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
