import { child, text } from './tree';
import type { PaneNode } from './protocol';

/** One entry of a dropdown, of the search bar's or a form's. */
export interface PaneOption {
  title: string;
  value: string;
  /** Title of the section around it. */
  section?: string;
}

/** The dropdown beside the search bar. */
export interface PaneDropdown {
  /** Value that is chosen; it may be none of the options', and nothing is shown then. */
  value: string;
  /** What the closed dropdown shows: the chosen title, else the placeholder. */
  title?: string;
  tooltip?: string;
  options: PaneOption[];
}

/** What the launcher keeps of a view's dropdown between frames. */
export interface DropdownState {
  /** What was chosen last, by the person or by a frame. It outlives the dropdown itself. */
  value: string;
  /** Whether the last frame had options. */
  hadOptions: boolean;
}

/** The options of a `dropdown` or a `dropdown-field`, in order. */
export function optionsOf(node: PaneNode): PaneOption[] {
  return node.children.flatMap((entry) =>
    entry.type === 'dropdown-section'
      ? entry.children.map((item) => optionOf(item, text(entry, 'title')))
      : [optionOf(entry)],
  );
}

export function describeDropdown(
  list: PaneNode,
  { value }: DropdownState,
): PaneDropdown | undefined {
  const node = child(list, 'dropdown');
  if (!node) return undefined;
  const options = optionsOf(node);
  const chosen = options.find((option) => option.value === value);
  return {
    value,
    title: chosen?.title ?? text(node, 'placeholder'),
    tooltip: text(node, 'tooltip'),
    options,
  };
}

/**
 * Brings the state up to date with a frame, as `updateDropdown` of the launcher does (extension-view-host.cpp, 0.26.3):
 * the frame's `value` wins, then what was chosen before, then `defaultValue`, then the first option. Returns the value
 * the launcher tells `onChange` of: it does so whenever options appear where there were none, also for a controlled
 * dropdown, and at every frame while a value stands without any option.
 */
export function updateDropdown(list: PaneNode, state: DropdownState): string | undefined {
  const node = child(list, 'dropdown');
  if (!node) {
    state.hadOptions = false;
    return undefined;
  }
  const options = optionsOf(node);
  const before = state.value === '' ? undefined : state.value;
  state.value =
    text(node, 'value') ?? before ?? text(node, 'defaultValue') ?? options[0]?.value ?? '';
  const { hadOptions } = state;
  state.hadOptions = options.length > 0;
  return hadOptions || state.value === '' ? undefined : state.value;
}

/** The option with this value or, if there is none, this title. Throws when there is none or more than one. */
export function findOption(options: readonly PaneOption[], wanted: string): PaneOption {
  const valued = options.filter(({ value }) => value === wanted);
  const found = valued.length > 0 ? valued : options.filter(({ title }) => title === wanted);
  if (found.length > 1) throw new Error(`${found.length} options are called "${wanted}".`);
  const [only] = found;
  if (only) return only;
  const all = options.map(({ title }) => title).join(', ') || 'none';
  throw new Error(`There is no option "${wanted}". There are: ${all}.`);
}

function optionOf(item: PaneNode, section?: string): PaneOption {
  return { title: text(item, 'title') ?? '', value: text(item, 'value') ?? '', section };
}
