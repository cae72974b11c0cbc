import { describeDropdown, findOption, type PaneDropdown } from './dropdown';
import type { PaneField } from './form-state';
import { findHazards, type PaneHazards } from './hazards';
import { launchOf, type LaunchOptions } from './launch';
import { answerRequest, type LauncherState, type PaneAlert, type WindowPort } from './launcher';
import { markdownResets, type MarkdownFrame, type MarkdownReset } from './markdown-log';
import { LAUNCHER_ICONS } from './launcher-icons';
import { printPanel, printView } from './print';
import { FrameSchema, type PaneNode } from './protocol';
import { Session } from './session';
import { defaultAction } from './default-keys';
import { normalizeKeys, takenBy } from './shortcuts';
import {
  child,
  describeItem,
  flag,
  panelActions,
  shownEmptyView,
  text,
  type PaneAction,
  type PaneItem,
} from './tree';
import { ViewStack, type PaneRejection, type View } from './view-stack';
import { Waits, type Truthy, type WaitOptions } from './waits';

export interface OpenPaneOptions extends LaunchOptions {
  /** LocalStorage of the extension. Hand the same Map to the next launch. */
  storage?: Map<string, unknown>;
  /** What `getSelectedText` answers; without it there is none. */
  textToSelect?: string;
  /** Added to the environment of the worker. */
  env?: Record<string, string | undefined>;
  /** Started from a hidden window (hotkey, deeplink): reopening the window unloads the command, and Escape at the root closes it. */
  openedByHotkey?: boolean;
  /** Answer to every confirmation; without it each waits for `answerAlert`. */
  alertAnswer?: boolean;
  /** Milliseconds the thread lives on after an unload began. The launcher gives 5000. */
  unloadGraceMs?: number;
  /** Milliseconds for the first frame. */
  timeoutMs?: number;
}

export interface PaneList {
  searchText: string;
  placeholder?: string;
  isLoading: boolean;
  isShowingDetail: boolean;
  navigationTitle?: string;
  /** Rows on screen, in order. */
  items: PaneItem[];
  /** Shown while there are no rows, and the list is not loading or something is typed. */
  emptyView?: { title?: string; description?: string };
  selected?: PaneItem;
}

export interface PaneForm {
  navigationTitle?: string;
  isLoading: boolean;
  fields: PaneField[];
  /** The texts that stand between the fields. */
  descriptions: { title?: string; text: string }[];
}

/** Delay of the search-text event of a list with `throttle`, and of a fallback text (extension-view-host.cpp of the launcher). */
const THROTTLE_MS = 300;
/** A pane is settled after this many milliseconds without a frame. */
const SETTLED_MS = 100;

/**
 * Opens a command in a fresh worker and resolves at its first frame. Rejects when the command crashes before, when the
 * launcher would refuse that frame, or when none comes in time; the thread is ended then.
 */
export function openPane(options: OpenPaneOptions): Promise<Pane> {
  return Pane.open(options);
}

/** One launch of a command in a window without a screen. See `openPane`. */
export class Pane {
  /** Why the command died by itself. */
  crash: Error | null = null;
  /** What the command wrote to stdout and stderr; the launcher keeps it in a file. */
  output = '';
  windowOpen = true;
  /** Answer to every confirmation, or undefined to be asked through `answerAlert`. */
  alertAnswer: boolean | undefined;

  readonly #options: OpenPaneOptions;
  readonly #session: Session;
  readonly #state: LauncherState;
  readonly #waits: Waits;
  readonly #frameListeners = new Set<() => void>();
  readonly #stack: ViewStack;
  #eventCount = 0;
  /** The command's reaction to the last selection or choice. */
  #selection: Promise<void> = Promise.resolve();
  #popToRootOnReopen = false;
  #openAlert: ((answer: boolean) => void) | undefined;
  #throttled: { timer: NodeJS.Timeout; done: () => void } | undefined;

  /** See `openPane`. */
  static async open(options: OpenPaneOptions): Promise<Pane> {
    const pane = new Pane(options);
    try {
      await pane.waitFor(() => pane.frameCount > 0, {
        label: 'the first frame',
        timeoutMs: options.timeoutMs,
      });
      await pane.#selected();
    } catch (error) {
      await pane.kill();
      throw error;
    }
    return pane;
  }

  private constructor(options: OpenPaneOptions) {
    this.#options = options;
    this.#stack = new ViewStack({
      select: (view, id) => {
        this.#tellSelection(view, id);
      },
      choose: (view, value) => {
        this.#tellChoice(view, value);
      },
    });
    this.alertAnswer = options.alertAnswer;
    this.#state = {
      storage: options.storage ?? new Map<string, unknown>(),
      clipboard: null,
      pasted: [],
      toasts: [],
      toast: null,
      hud: null,
      opened: [],
      alerts: [],
      preferencesOpened: 0,
      subtitle: null,
    };
    this.#waits = new Waits(
      () => this.#failure(),
      () => this.text(),
    );
    const window = this.#window();
    this.#session = new Session(launchOf(options), options.env ?? {}, {
      frame: (json, eventCount) => {
        this.#frame(json, eventCount);
      },
      request: async (endpoint, data) => {
        const answer = answerRequest(this.#state, window, endpoint, data);
        this.#waits.changed();
        return answer;
      },
      crash: (error) => {
        this.crash = error;
        this.#waits.changed();
      },
      output: (written) => {
        this.output += written;
      },
    });
    void this.#session.ended.then(() => {
      this.#clearThrottle();
      this.#waits.changed();
    });
  }

  // ---- What is on screen

  /** Frames received. */
  get frameCount(): number {
    return this.#stack.count;
  }

  /** The command's first view. */
  root(): PaneNode {
    return nodeOf(this.#stack.bottom);
  }

  /** The view on screen. */
  top(): PaneNode {
    return nodeOf(this.#top());
  }

  /** Views on the stack; 1 = nothing pushed. */
  get depth(): number {
    return this.#stack.depth;
  }

  /** The list on screen; throws when the view is another. */
  list(): PaneList {
    const view = this.#listView();
    const { node } = view;
    const items = this.#stack.rows(view).map(describeItem);
    const empty = shownEmptyView(node, view.search);
    return {
      searchText: view.search,
      placeholder: text(node, 'searchBarPlaceholder'),
      isLoading: flag(node, 'isLoading'),
      isShowingDetail: flag(node, 'isShowingDetail'),
      navigationTitle: text(node, 'navigationTitle'),
      items,
      emptyView:
        empty && items.length === 0
          ? { title: text(empty, 'title'), description: text(empty, 'description') }
          : undefined,
      selected: items.find((item) => item.id === view.selected),
    };
  }

  /** The Detail on screen; throws when the view is another. */
  detail(): { markdown: string; navigationTitle?: string; isLoading: boolean } {
    const node = this.#expect('detail');
    return {
      markdown: text(node, 'markdown') ?? '',
      navigationTitle: text(node, 'navigationTitle'),
      isLoading: flag(node, 'isLoading'),
    };
  }

  /** The dropdown beside the search bar; throws when there is none. */
  dropdown(): PaneDropdown {
    const { node, dropdown } = this.#listView();
    const described = describeDropdown(node, dropdown);
    if (!described || described.options.length === 0)
      throw new Error('There is no dropdown beside the search bar.');
    return described;
  }

  /** The form on screen; throws when the view is another. */
  form(): PaneForm {
    const node = this.#expect('form');
    return {
      navigationTitle: text(node, 'navigationTitle'),
      isLoading: flag(node, 'isLoading'),
      fields: this.#top().form.describe(node),
      descriptions: node.children
        .filter(({ type }) => type === 'form-description')
        .map((each) => ({ title: text(each, 'title'), text: text(each, 'text') ?? '' })),
    };
  }

  /** Entries of the action panel that applies: the selected row's, else the view's. The first is Enter's. */
  actions(): PaneAction[] {
    const view = this.#top();
    const node = nodeOf(view);
    const rows = this.#stack.rows(view);
    const row = rows.find((each) => text(each.node, 'id') === view.selected);
    const empty = rows.length === 0 ? child(node, 'empty-view') : undefined;
    const owner = [row?.node, empty, node].find((each) => each && child(each, 'action-panel'));
    return panelActions(owner && child(owner, 'action-panel'));
  }

  /** What a person would read, as text. */
  text(): string {
    if (this.crash) return `The command crashed: ${this.crash.message}`;
    if (!this.#session.running) return '(root search: the command is unloaded)';
    const view = this.#stack.top;
    if (!view?.node) return '(nothing is drawn yet)';
    const { node, search, selected } = view;
    const printed = printView({
      node,
      search,
      rows: this.#stack.rows(view),
      selected,
      actions: this.actions(),
      dropdown: describeDropdown(node, view.dropdown),
      fields: node.type === 'form' ? view.form.describe(node) : [],
    });
    return this.windowOpen ? printed : `(the window is closed; behind it:)\n${printed}`;
  }

  /** The action panel as text: sections, titles, keys, and the entries of the submenus. */
  panel(): string {
    return printPanel(this.actions(), this.top().type === 'form' ? 'form' : 'list');
  }

  // ---- What the launcher did for the command

  get clipboard(): LauncherState['clipboard'] {
    return this.#state.clipboard;
  }
  /** Every show and every update of a toast. */
  get toasts(): LauncherState['toasts'] {
    return this.#state.toasts;
  }
  /** The toast on screen. */
  get toast(): LauncherState['toast'] {
    return this.#state.toast;
  }
  get hud(): string | null {
    return this.#state.hud;
  }
  /** Targets the command had opened. */
  get opened(): string[] {
    return this.#state.opened;
  }
  get alerts(): PaneAlert[] {
    return this.#state.alerts;
  }
  get storage(): Map<string, unknown> {
    return this.#state.storage;
  }
  get preferencesOpened(): number {
    return this.#state.preferencesOpened;
  }
  /** False once an unload began, or the command died. */
  get running(): boolean {
    return this.#session.running;
  }

  // ---- Judgement

  /** Frames the launcher would have refused. While there is one, every wait rejects. */
  get rejections(): PaneRejection[] {
    return this.#stack.rejections;
  }

  /** Each new markdown of every view and row, in the order of the frames. */
  get frames(): MarkdownFrame[] {
    return this.#stack.frames;
  }

  /** Steps at which the launcher would have started a document anew. */
  markdownResets(): MarkdownReset[] {
    return markdownResets(this.frames);
  }

  /** What the launcher would have fetched, dropped or died of in all that was shown. */
  hazards(): PaneHazards {
    const said = [...this.toasts, ...this.alerts].flatMap(({ title, message }) => [title, message]);
    const labels = [...this.#stack.labels, ...said, this.hud].filter(
      (label) => typeof label === 'string',
    );
    return findHazards(labels, this.frames);
  }

  /** Names of icons that were shown and that the launcher has no picture for. */
  missingIcons(): string[] {
    return [...this.#stack.icons].filter((name) => !LAUNCHER_ICONS.has(name));
  }

  // ---- What a person does

  /** Replaces the text in the search bar. Resolves when the command has reacted. */
  async type(words: string): Promise<void> {
    this.#assertOpen();
    await this.#setSearch(this.#listView(), words);
  }

  /** Selects a row by id or position. */
  async select(row: string | number): Promise<void> {
    this.#assertOpen();
    const view = this.#listView();
    const ids = this.#stack.rows(view).map(({ node }) => text(node, 'id') ?? '');
    const id = typeof row === 'number' ? ids[row] : row;
    if (id === undefined || !ids.includes(id))
      throw new Error(`There is no row ${JSON.stringify(row)} among ${JSON.stringify(ids)}.`);
    view.selected = id;
    view.position = ids.indexOf(id);
    this.#tellSelection(view, id);
    await this.#selected();
  }

  /** Chooses an option of the dropdown beside the search bar, by its value or title. */
  async choose(option: string): Promise<void> {
    this.#assertOpen();
    const { value } = findOption(this.dropdown().options, option);
    const view = this.#listView();
    view.dropdown.value = value;
    this.#tellChoice(view, value);
    await this.#selected();
  }

  /**
   * Fills in a form field by its id: text, a date as text, true or false, the paths of a file picker, the value or title of
   * a dropdown's option.
   */
  async fill(id: string, value: unknown): Promise<void> {
    this.#assertOpen();
    const { onChange, args } = this.#top().form.fill(this.#expect('form'), id, value);
    await this.#activate(onChange, args);
    await this.#selected();
  }

  /** Submits the form on screen through its first action that takes the values. */
  async submit(): Promise<void> {
    this.#assertOpen();
    this.#expect('form');
    const found = this.actions().find(({ kind }) => kind === 'submit');
    if (!found) throw new Error('No action submits this form.');
    await this.#run(found);
  }

  /** Opens a submenu by its title and gives its entries. */
  async submenu(title: string): Promise<PaneAction[]> {
    this.#assertOpen();
    const found = this.actions().find((each) => each.kind === 'submenu' && each.title === title);
    if (!found) throw new Error(`No submenu "${title}". There are: ${titles(this.actions())}.`);
    await this.#activate(found.node.props.onOpen, []);
    return this.actions().filter(({ submenu }) => submenu === title);
  }

  /** Runs the first action. */
  async enter(): Promise<void> {
    this.#assertOpen();
    const first = this.actions()[0];
    if (!first) throw new Error(`Enter does nothing here: there are no actions.\n${this.text()}`);
    await this.#run(first);
  }

  /** Runs an action by its title, or by `Submenu/Title`. */
  async action(title: string): Promise<void> {
    this.#assertOpen();
    const actions = this.actions();
    const titled = actions.filter((action) => action.title === title);
    const found =
      titled.length > 0
        ? titled
        : actions.filter(
            (action) =>
              action.submenu !== undefined && `${action.submenu}/${action.title}` === title,
          );
    if (found.length > 1) throw new Error(`${found.length} actions have the title "${title}".`);
    const [only] = found;
    if (!only) throw new Error(`No action "${title}". There are: ${titles(actions)}.`);
    await this.#run(only);
  }

  /** Presses keys such as `ctrl+shift+c`: runs the action bound to them; throws when none is, or the launcher keeps them. */
  async shortcut(keys: string): Promise<void> {
    this.#assertOpen();
    const pressed = normalizeKeys(keys);
    const taken = takenBy(pressed);
    if (taken !== undefined) throw new Error(`${pressed} never reaches an action: it ${taken}.`);
    const actions = this.actions();
    const view = this.top().type === 'form' ? 'form' : 'list';
    const found =
      defaultAction(actions, view, pressed) ??
      actions.find((action) => action.submenu === undefined && action.shortcut === pressed);
    if (!found) {
      const bound = actions.flatMap(({ title, shortcut }) =>
        shortcut === undefined ? [] : [`${shortcut} (${title})`],
      );
      throw new Error(`Nothing is bound to ${pressed}. Bound: ${bound.join(', ') || 'nothing'}.`);
    }
    await this.#run(found);
  }

  /** Escape: leaves a pushed view; at the root goes back to root search (unload), or closes a window opened by hotkey. */
  async back(): Promise<void> {
    this.#assertOpen();
    if (this.#stack.depth > 1) await this.#pop();
    else if (this.#options.openedByHotkey === true) this.closeWindow();
    else await this.beginUnload();
  }

  /** Hides the window. The command goes on. */
  closeWindow(): void {
    this.#assertOpen();
    this.windowOpen = false;
    this.#popToRootOnReopen ||= this.#options.openedByHotkey === true;
    this.#waits.changed();
  }

  /** Shows the window again: the same view, or root search when the command was opened by hotkey (it is unloaded then). */
  async reopen(): Promise<void> {
    if (this.windowOpen) throw new Error('The window is open already.');
    this.windowOpen = true;
    if (this.#popToRootOnReopen) await this.beginUnload();
    this.#waits.changed();
  }

  /** Answers the open confirmation. */
  async answerAlert(answer: boolean): Promise<void> {
    await this.waitFor(() => this.#openAlert, { label: 'a confirmation' });
    this.#openAlert?.(answer);
    this.#openAlert = undefined;
  }

  // ---- The end

  /** Begins the unload and resolves once effect cleanups have run; the thread may live on until the grace time ends. */
  async beginUnload(): Promise<void> {
    this.#clearThrottle();
    await this.#session.unload(this.#options.unloadGraceMs ?? 5000);
    this.#waits.changed();
  }

  /** Unloads the command and resolves when its thread is gone. */
  async unload(): Promise<void> {
    await this.beginUnload();
    await this.#session.ended;
  }

  /** Ends the thread at once, without cleanups, as a crash of the launcher would. Also the way to clean up after a test. */
  async kill(): Promise<void> {
    this.#clearThrottle();
    await this.#session.kill();
  }

  // ---- Waiting

  /**
   * Resolves with the first truthy value of `predicate`, looked at after every frame and request. Rejects when the
   * command crashed, was unloaded, or drew what the launcher refuses; at the time limit the error shows the pane.
   */
  waitFor<T>(predicate: () => T, options: WaitOptions = {}): Promise<Truthy<T>> {
    return this.#waits.for(predicate, options);
  }

  /** Resolves when no frame came for about 100 ms. */
  async settled(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#frameListeners.delete(again);
        resolve();
      };
      let timer = setTimeout(done, SETTLED_MS);
      const again = (): void => {
        clearTimeout(timer);
        timer = setTimeout(done, SETTLED_MS);
      };
      this.#frameListeners.add(again);
    });
    const failure = this.#failure();
    if (failure && this.running) throw failure;
    if (this.crash) throw this.crash;
  }

  // ---- Inside

  #failure(): Error | undefined {
    if (this.crash) return this.crash;
    const rejection = this.rejections[0];
    if (rejection)
      return new Error(
        `The launcher refuses frame ${rejection.frame} (${rejection.view}):\n  ${rejection.problems.join('\n  ')}`,
      );
    return this.#session.running ? undefined : new Error('The command was unloaded.');
  }

  #frame(json: string, eventCount: number): void {
    const { views } = FrameSchema.parse(JSON.parse(json));
    this.#stack.take(views, eventCount >= this.#eventCount);
    if (this.#stack.count === 1) this.#sendFallback();
    for (const listener of [...this.#frameListeners]) listener();
    this.#waits.changed();
  }

  #tellSelection(view: View, id: string | null): void {
    if (id === null) return;
    const before = this.#selection;
    const reaction = this.#activate(view.node?.props.onSelectionChange, [id]);
    this.#selection = Promise.all([before, reaction]).then(() => undefined);
  }

  #tellChoice(view: View, value: string): void {
    const handler = view.node && child(view.node, 'dropdown')?.props.onChange;
    const before = this.#selection;
    const reaction = this.#activate(handler, [value]);
    this.#selection = Promise.all([before, reaction]).then(() => undefined);
  }

  /** Resolves when the command has reacted to the selections and choices the launcher made. */
  async #selected(): Promise<void> {
    let last: Promise<void> | undefined;
    while (last !== this.#selection) {
      last = this.#selection;
      await last;
    }
    this.#waits.changed();
  }

  async #setSearch(view: View, words: string): Promise<void> {
    view.search = words;
    const eventCount = ++this.#eventCount;
    view.selectFirst = true;
    const handler = view.node?.props.onSearchTextChange;
    if (view.node && flag(view.node, 'throttle') && handler !== undefined) {
      this.#clearThrottle();
      await new Promise<void>((done) => {
        this.#throttled = { timer: setTimeout(done, THROTTLE_MS), done };
      });
      if (eventCount !== this.#eventCount || !this.running) return; // typed on, or gone
    }
    if (handler === undefined) this.#stack.draw(view, false);
    await this.#activate(handler, [words, eventCount], eventCount);
    await this.#selected();
  }

  #clearThrottle(): void {
    clearTimeout(this.#throttled?.timer);
    this.#throttled?.done();
    this.#throttled = undefined;
  }

  #sendFallback(): void {
    const { fallbackText } = this.#options;
    if (fallbackText === undefined) return;
    const timer = setTimeout(() => {
      const view = this.#stack.top;
      if (this.running && view?.node?.type === 'list') void this.#setSearch(view, fallbackText);
    }, THROTTLE_MS);
    void this.#session.ended.then(() => {
      clearTimeout(timer);
    });
  }

  async #run(action: PaneAction): Promise<void> {
    const { onAction, onSubmit, onOpen } = action.node.props;
    if (action.kind === 'submenu') {
      if (onOpen === undefined)
        throw new Error(`"${action.title}" is a submenu: name one of its entries.`);
      await this.#activate(onOpen, []);
      return;
    }
    await this.#activate(onAction, []);
    await this.#selected();
    if (onSubmit === undefined) return;
    await this.#activate(onSubmit, [this.#top().form.payload(this.#expect('form'))]);
    await this.#selected();
  }

  async #activate(handler: unknown, args: unknown[], eventCount?: number): Promise<void> {
    if (typeof handler !== 'string' || !this.running) return;
    await this.#session.activate(handler, args, eventCount);
  }

  async #pop(): Promise<void> {
    this.#stack.popped();
    await this.#session.popView();
    await this.#selected();
  }

  #window(): WindowPort {
    return {
      pushView: () => {
        this.#stack.pushed();
      },
      popView: () => {
        void (this.#stack.depth > 1 ? this.#pop() : this.beginUnload());
      },
      popToRoot: () => {
        void this.beginUnload();
      },
      close: (popToRoot) => {
        this.windowOpen = false;
        this.#popToRootOnReopen =
          popToRoot === 'immediate' ||
          (popToRoot === 'default' && this.#options.openedByHotkey === true);
      },
      setSearchText: (words) => {
        const view = this.#stack.top;
        if (view?.node?.type === 'list') void this.#setSearch(view, words);
      },
      ask: () => {
        this.windowOpen = true; // the launcher shows a hidden window to ask
        if (this.alertAnswer !== undefined) return Promise.resolve(this.alertAnswer);
        return new Promise((resolve) => {
          this.#openAlert = resolve;
          this.#waits.changed();
        });
      },
      selectedText: () => this.#options.textToSelect,
    };
  }

  #assertOpen(): void {
    if (this.crash) throw this.crash;
    if (!this.running) throw new Error('The command was unloaded.');
    if (!this.windowOpen) throw new Error('The window is closed.');
  }

  #top(): View {
    const view = this.#stack.top;
    if (!view) throw new Error('Nothing is drawn yet.');
    return view;
  }

  #expect(type: string): PaneNode {
    const node = nodeOf(this.#top());
    if (node.type !== type) throw new Error(`The view on screen is a ${node.type}, not a ${type}.`);
    return node;
  }

  #listView(): View & { node: PaneNode } {
    const node = this.#expect('list');
    return Object.assign(this.#top(), { node });
  }
}

function nodeOf(view: View | undefined): PaneNode {
  if (!view?.node) throw new Error('Nothing is drawn yet.');
  return view.node;
}

function titles(actions: PaneAction[]): string {
  return actions
    .map(({ title, submenu }) => (submenu === undefined ? title : `${submenu}/${title}`))
    .join(', ');
}
