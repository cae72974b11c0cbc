import type { Conversation, Turn } from '../../lib/types';
import { makeConversation, makeTurn } from './builders';
import type { OpenPaneOptions, Pane } from './pane';
import type { Stage } from './stage';

/** A conversation of these exchanges, or of one; their ids are its own with their place. */
export const talk = (id: string, title: string, ...turns: Partial<Turn>[]): Conversation =>
  makeConversation({
    id,
    title,
    turns: (turns.length === 0 ? [{}] : turns).map((turn, place) =>
      makeTurn({ id: `${id}-${place}`, ...turn }),
    ),
  });

/** Opens the command and waits until it has read the store. */
export async function openList(
  { open }: Pick<Stage, 'open'>,
  options: Partial<OpenPaneOptions> = {},
): Promise<Pane> {
  const pane = await open({ command: 'conversations', ...options });
  await untilListed(pane);
  return pane;
}

export const untilListed = (pane: Pane): Promise<unknown> =>
  pane.waitFor(() => pane.list().navigationTitle === 'Conversations' && !pane.list().isLoading, {
    label: 'the list',
  });

export const titles = (pane: Pane): string[] => pane.list().items.map(({ title }) => title);

/** Section and title of each row. */
export const rows = (pane: Pane): [section: string | undefined, title: string][] =>
  pane.list().items.map(({ section, title }) => [section, title]);

/** Waits until the list has these rows and no others, in this order. */
export const untilTitles = (pane: Pane, wanted: readonly string[]): Promise<unknown> =>
  pane.waitFor(() => titles(pane).join('\n') === wanted.join('\n') && !pane.list().isLoading, {
    label: wanted.join(', '),
  });

/** Waits until so many views lie on each other. */
export const untilDepth = (pane: Pane, depth: number): Promise<unknown> =>
  pane.waitFor(() => pane.depth === depth, { label: `${depth} views` });

/** Waits until this is the last that was said. */
export const untilToast = (pane: Pane, title: string): Promise<unknown> =>
  pane.waitFor(() => pane.toast?.title === title, { label: title });

/** Hands a file to Import, and does not wait for what becomes of it. */
export async function importFile(pane: Pane, path: string): Promise<void> {
  await pane.action('Import…');
  await untilDepth(pane, 2);
  await pane.fill('file', [path]);
  await pane.submit();
}
