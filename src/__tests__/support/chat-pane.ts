import type { TurnState } from '../../lib/types';
import type { Pane } from './pane';
import { drawPane, type PaneDrawing } from './pane-model';

/** Icon of a row by the state of its exchange, as the launcher names it. */
const STATE_ICON: Record<TurnState, string> = {
  running: 'circle-progress',
  done: 'check-circle',
  stopped: 'stop',
  failed: 'x-mark-circle',
  interrupted: 'warning',
};

/** Types a question and presses Enter. */
export async function ask(pane: Pane, question: string): Promise<void> {
  await pane.type(question);
  await pane.enter();
}

/** Waits until the newest exchange stands like this, and there are so many of them. */
export async function untilTurn(pane: Pane, state: TurnState, count = 1): Promise<void> {
  await pane.waitFor(
    () => questions(pane).length === count && pane.list().items[0]?.icon === STATE_ICON[state],
    { label: `${count} exchange(s), the newest ${state}`, timeoutMs: 30_000 },
  );
}

/** Titles of the exchanges, newest first. */
export function questions(pane: Pane): string[] {
  return pane
    .list()
    .items.filter(({ section }) => section === 'This conversation')
    .map(({ title }) => title);
}

/** Markdown of the selected exchange; '' when there is none. */
export function shown(pane: Pane): string {
  return pane.list().selected?.detail ?? '';
}

/** The selected exchange as it is drawn. */
export function drawn(pane: Pane): PaneDrawing {
  return drawPane(shown(pane));
}

/** What Enter does. */
export function firstAction(pane: Pane): string | undefined {
  return pane.actions()[0]?.title;
}

/** The model beside the search bar; undefined while there is none. */
export function chosenModel(pane: Pane): string | undefined {
  const hasDropdown = pane.top().children.some(({ type }) => type === 'dropdown');
  return hasDropdown ? pane.dropdown().value : undefined;
}

/** The sources under Open Source, with what is said of how far each was read: `[1] Title — search hit, not opened`. */
export function sourceEntries(pane: Pane): string[] {
  return pane
    .actions()
    .filter(({ submenu, title }) => submenu === 'Open Source' && title.startsWith('['))
    .map(({ title, section }) => (section === undefined ? title : `${title} — ${section}`));
}

/** Selects the exchanges one after the other, newest first, and gives the Markdown of each. */
export async function everyExchange(pane: Pane): Promise<string[]> {
  const exchanges: string[] = [];
  for (const [place] of questions(pane).entries()) {
    await pane.select(place);
    exchanges.push(await pane.waitFor(() => shown(pane), { label: `exchange ${place}` }));
  }
  await pane.select(0);
  return exchanges;
}

/** Opens the whole conversation in its own view, gives its Markdown, and goes back. */
export async function wholeConversation(pane: Pane): Promise<string> {
  await pane.action('Show Whole Conversation');
  await pane.waitFor(() => pane.depth === 2, { label: 'the whole conversation' });
  const { markdown } = pane.detail();
  await pane.back();
  await pane.waitFor(() => pane.depth === 1, { label: 'the way back' });
  return markdown;
}

/** Asks one question after the other; each is answered before the next. */
export async function askAll(pane: Pane, questions: readonly string[]): Promise<void> {
  for (const [place, question] of questions.entries()) {
    await ask(pane, question);
    await untilTurn(pane, 'done', place + 1);
  }
}

/** What a copy action puts on the clipboard, and what is said about it. */
export interface Copied {
  text: string;
  html?: string;
  said: [title: string, message: string];
}

/** Runs a copy action. */
export async function copied(pane: Pane, title: string): Promise<Copied> {
  const before = pane.clipboard;
  const toasts = pane.toasts.length;
  await pane.action(title);
  const { text = '', html } = await pane.waitFor(
    () => (pane.clipboard === before ? null : pane.clipboard),
    { label: title },
  );
  const toast = await pane.waitFor(() => pane.toasts[toasts], { label: `the toast of ${title}` });
  const said: Copied['said'] = [toast.title, toast.message ?? ''];
  return html === undefined ? { text, said } : { text, html, said };
}
