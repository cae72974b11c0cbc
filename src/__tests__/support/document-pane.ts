import * as z from 'zod/mini';

import type { Pane } from './pane';
import { drawPane } from './pane-model';
import { toolResults } from './tool-results';

const Request = z.object({
  tools: z.optional(z.array(z.object({ function: z.object({ name: z.string() }) }))),
});

/** Names of the tools that each request offered. */
export const toolsOffered = (requests: readonly { body: unknown }[]): string[][] =>
  requests.map(({ body }) => (Request.parse(body).tools ?? []).map((tool) => tool.function.name));

/** Adds a folder in the list of documents, by its path, and waits until all of it is read. */
export async function chooseFolder(pane: Pane, path: string): Promise<void> {
  await pane.action('Add Folder…');
  await pane.waitFor(() => pane.depth === 2 && pane.top().type === 'form', { label: 'the form' });
  await pane.fill('path', path);
  await pane.submit();
  await pane.waitFor(() => pane.depth === 1, { label: 'the list of documents' });
  await untilRead(pane);
}

/** Waits until the list of documents has files in it and nothing is read any more. */
export async function untilRead(pane: Pane): Promise<void> {
  await pane.waitFor(
    () =>
      !pane.list().isLoading &&
      pane.list().items.some(({ section = '' }) => section.startsWith('Files')),
    { label: 'the end of the reading', timeoutMs: 30_000 },
  );
}

/** Opens the evidence of the selected exchange, and waits until it is put together. */
export async function showEvidence(pane: Pane): Promise<void> {
  await pane.shortcut('ctrl+shift+s');
  await pane.waitFor(
    () => pane.depth === 2 && pane.top().type === 'list' && !pane.list().isLoading,
    { label: 'the evidence' },
  );
}

/** Section, icon, title and numbers of each row. */
export function evidenceRows(pane: Pane): (string | undefined)[][] {
  return pane
    .list()
    .items.map(({ section, icon, title, accessories }) => [
      section,
      icon,
      title,
      accessories[0]?.text,
    ]);
}

/** What stands beside the selected row, as it is drawn. */
export function beside(pane: Pane): string {
  return drawPane(pane.list().selected?.detail ?? '').text;
}

/** Selects a row and waits for what stands beside it. */
export async function besideRow(pane: Pane, place: number, words: string): Promise<string> {
  await pane.select(place);
  return pane.waitFor(() => beside(pane).includes(words) && beside(pane), { label: words });
}

/** The number of a document in the results that the model reads with a request. */
export function numberIn(body: unknown, name: string): number {
  for (const result of toolResults(body)) {
    const lines = result.split('\n');
    const at = lines.indexOf(`path: ${name}`);
    const [, number] = /^\[(\d+)\]/u.exec(lines[at - 1] ?? '') ?? [];
    if (number !== undefined) return Number(number);
  }
  throw new Error(`${name} has no number in:\n${toolResults(body).join('\n---\n')}`);
}
