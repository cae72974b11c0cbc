import { findOption, optionsOf, type PaneOption } from './dropdown';
import type { PaneNode } from './protocol';
import { text } from './tree';

/** A field of a form, with what a person reads around it. */
export interface PaneField {
  id: string;
  /** The element: `text-field`, `text-area-field`, `checkbox-field`, … */
  type: string;
  title?: string;
  placeholder?: string;
  /** Words beside a checkbox. */
  label?: string;
  error?: string;
  info?: string;
  /** What is handed to `onSubmit`: `null` for a field that nobody filled in and that has no default. */
  value: unknown;
  /** Options of a dropdown. */
  options?: PaneOption[];
}

interface FieldState {
  /** What the command last said the value is. */
  model: unknown;
  /** What the person made of it since. */
  user?: { value: unknown };
  /** Changes the person made. */
  events: number;
}

/**
 * What the launcher keeps of a form's fields between frames (extension-form-model.cpp, 0.26.3). A `value` in a frame wins
 * over what was filled in; a `defaultValue` counts only when the field appears; a field that is gone is forgotten.
 */
export class FormState {
  #fields = new Map<string, FieldState>();

  /** Takes over the values of a frame. */
  take(form: PaneNode): void {
    const next = new Map<string, FieldState>();
    for (const node of fieldNodes(form)) {
      const id = idOf(node);
      const { value, defaultValue } = node.props;
      const known = this.#fields.get(id);
      if (!known) next.set(id, { model: value ?? defaultValue ?? null, events: 0 });
      else if (value === undefined) next.set(id, known);
      else next.set(id, { model: value, events: known.events });
    }
    this.#fields = next;
  }

  /** The fields in order. */
  describe(form: PaneNode): PaneField[] {
    return fieldNodes(form).map((node) => ({
      id: idOf(node),
      type: node.type,
      title: text(node, 'title'),
      placeholder: text(node, 'placeholder'),
      ...(node.type === 'checkbox-field' ? { label: text(node, 'label') } : {}),
      value: this.#value(idOf(node)),
      error: text(node, 'error'),
      info: text(node, 'info'),
      ...(node.type === 'dropdown-field' ? { options: optionsOf(node) } : {}),
    }));
  }

  /**
   * Fills in a field; a dropdown takes a value or a title. Returns what `onChange` is told. Throws when there is no such
   * field, or when a person could not enter such a value.
   */
  fill(form: PaneNode, id: string, value: unknown): { onChange: unknown; args: unknown[] } {
    const node = fieldNodes(form).find((each) => idOf(each) === id);
    const state = this.#fields.get(id);
    if (!node || !state) throw new Error(`The form has no field "${id}".`);
    const { onChange } = node.props;
    const entered = enterable(node, value);
    if (node.type === 'file-picker-field') {
      // With a value or a default of its own the picker shows only what the next frame says.
      if (state.model === null) state.user = { value: entered };
      return { onChange, args: [entered] };
    }
    state.user = { value: entered };
    state.events++;
    return { onChange, args: [entered, state.events] };
  }

  /** What `onSubmit` gets. Throws when a field shows an error: the launcher does nothing then, and says nothing. */
  payload(form: PaneNode): Record<string, unknown> {
    const stored = fieldNodes(form).filter((node) => node.props.storeValue !== false);
    const wrong = stored.find((node) => (text(node, 'error') ?? '') !== '');
    if (wrong)
      throw new Error(
        `The launcher does not submit this form: "${idOf(wrong)}" shows the error "${String(wrong.props.error)}".`,
      );
    return Object.fromEntries(stored.map((node) => [idOf(node), this.#value(idOf(node))]));
  }

  #value(id: string): unknown {
    const state = this.#fields.get(id);
    return state?.user ? state.user.value : (state?.model ?? null);
  }
}

function fieldNodes(form: PaneNode): PaneNode[] {
  // The launcher reads a tag picker and draws none.
  return form.children.filter(({ type }) => type.endsWith('-field') && type !== 'tag-picker-field');
}

function idOf(node: PaneNode): string {
  return text(node, 'id') ?? '';
}

/** What a person's entry makes of the value. */
function enterable(node: PaneNode, value: unknown): unknown {
  switch (node.type) {
    case 'checkbox-field':
      if (typeof value === 'boolean') return value;
      break;
    case 'file-picker-field':
      if (!Array.isArray(value) || !value.every((path) => typeof path === 'string')) break;
      if (value.length > 1 && node.props.allowMultipleSelection !== true)
        throw new Error(`The field "${idOf(node)}" takes one file.`);
      return value;
    case 'dropdown-field':
      if (typeof value === 'string') return findOption(optionsOf(node), value).value;
      break;
    default:
      if (typeof value === 'string') return value;
  }
  throw new Error(`Nobody can enter ${JSON.stringify(value)} into a ${node.type}.`);
}
