import { expect } from 'vitest';

import { checkShortcuts, type Pane } from './pane';

/** Nothing may ever be there that the launcher would refuse, fetch or die of. */
export function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

/** The same of a view that shows no text of a model: all of its Markdown is drawn, too. */
export function expectWhole(pane: Pane): void {
  expectSound(pane);
  expect(pane.hazards().dropped).toEqual([]);
}
