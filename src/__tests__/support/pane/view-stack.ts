import { updateDropdown, type DropdownState } from './dropdown';
import { FormState } from './form-state';
import { checkView } from './frame-check';
import { collectLabels } from './hazards';
import type { MarkdownFrame } from './markdown-log';
import type { PaneNode } from './protocol';
import { collectIcons, describeItem, listItems, matches, text } from './tree';

/** One view and what the launcher keeps for it. */
export interface View {
  /** `view-1` is the first; a view pushed later never reuses a name. */
  name: string;
  node: PaneNode | null;
  search: string;
  selected: string | null;
  /** The launcher keeps the place of the selection, not the row, when rows come and go (GenericListView.qml, onModelReset). */
  position: number;
  /** The launcher selects the first row at the next frame after a keystroke. */
  selectFirst: boolean;
  dropdown: DropdownState;
  form: FormState;
}

/** What the launcher does by itself when it takes a frame. */
export interface ViewEvents {
  select: (view: View, id: string | null) => void;
  /** Tells the command of the value of a dropdown that has just got options. */
  choose: (view: View, value: string) => void;
}

/** A frame the launcher would have thrown away; the view on screen stays as it was. */
export interface PaneRejection {
  frame: number;
  view: string;
  problems: string[];
}

/** The views on screen and under it, bottom first, and the record of everything they showed. */
export class ViewStack {
  readonly rejections: PaneRejection[] = [];
  readonly frames: MarkdownFrame[] = [];
  readonly labels = new Set<string>();
  /** Names of all icons that were shown. */
  readonly icons = new Set<string>();
  /** Frames received. */
  count = 0;

  readonly #events: ViewEvents;
  readonly #lastMarkdown = new Map<string, string>();
  #views: View[] = [];
  #nameCount = 0;
  #popped = false;
  #replaceTop = false;

  constructor(events: ViewEvents) {
    this.#events = events;
  }

  get depth(): number {
    return this.#views.length;
  }

  get bottom(): View | undefined {
    return this.#views[0];
  }

  get top(): View | undefined {
    return this.#views.at(-1);
  }

  /** A view was popped; its frame is still to come. */
  popped(): void {
    this.#popped = true;
  }

  /** A view was pushed; if one was popped just before, the next frame may be the first to show either. */
  pushed(): void {
    this.#replaceTop = this.#popped;
  }

  /**
   * Takes a frame. `isCurrent` says whether the command had seen the last keystroke when it made the frame: an older one
   * must not take the text back. A refused frame changes nothing but `rejections`.
   */
  take(nodes: readonly (PaneNode | null)[], isCurrent: boolean): void {
    this.count++;
    if (!this.#accept(nodes)) return;
    this.#match(nodes);
    for (const view of this.#views) this.draw(view, isCurrent);
  }

  /** Rows on screen; a list without a search handler, or with `filtering`, is filtered by the launcher. */
  rows({ node, search }: View): { node: PaneNode; section?: PaneNode }[] {
    if (node?.type !== 'list') return [];
    const rows = listItems(node);
    const filters = node.props.filtering ?? node.props.onSearchTextChange === undefined;
    return filters === true && search.trim() !== ''
      ? rows.filter((row) => matches(row.node, search.trim()))
      : rows;
  }

  /** Brings search text, selection, dropdown and fields of a view up to date, and records what it shows. */
  draw(view: View, isCurrent: boolean): void {
    const { node } = view;
    if (!node) return;
    collectLabels(node, this.labels);
    collectIcons(node, this.icons);
    if (node.type === 'detail') this.#log(view, null, text(node, 'markdown') ?? '');
    if (node.type === 'form') view.form.take(node);
    if (node.type !== 'list') return;
    const told = updateDropdown(node, view.dropdown);
    if (told !== undefined) this.#events.choose(view, told);
    const controlled = text(node, 'searchText');
    if (controlled !== undefined && isCurrent) view.search = controlled;
    const items = this.rows(view).map(describeItem);
    for (const { id, detail } of items) if (detail !== undefined) this.#log(view, id, detail);
    if (view.selectFirst || view.position >= items.length) view.position = 0;
    view.selectFirst = false;
    const selected = items[view.position]?.id ?? null;
    if (selected === view.selected) return;
    view.selected = selected;
    this.#events.select(view, selected);
  }

  #accept(nodes: readonly (PaneNode | null)[]): boolean {
    let accepted = true;
    for (const [index, node] of nodes.entries()) {
      const problems = node ? checkView(node) : [];
      if (problems.length === 0) continue;
      accepted = false;
      const view = this.#views[index]?.name ?? `view-${this.#nameCount + 1}`;
      this.rejections.push({ frame: this.count, view, problems });
    }
    return accepted;
  }

  #match(nodes: readonly (PaneNode | null)[]): void {
    if (this.#replaceTop && nodes.length === this.#views.length) this.#views.pop();
    this.#popped = false;
    this.#replaceTop = false;
    this.#views = nodes.map((node, index) => {
      const known = this.#views[index];
      if (known) return Object.assign(known, { node });
      return {
        name: `view-${++this.#nameCount}`,
        node,
        search: '',
        selected: null,
        position: 0,
        selectFirst: false,
        dropdown: { value: '', hadOptions: false },
        form: new FormState(),
      };
    });
  }

  #log(view: View, item: string | null, markdown: string): void {
    const key = JSON.stringify([view.name, item]);
    if (this.#lastMarkdown.get(key) === markdown) return;
    this.#lastMarkdown.set(key, markdown);
    this.frames.push({ frame: this.count, view: view.name, item, markdown });
  }
}
