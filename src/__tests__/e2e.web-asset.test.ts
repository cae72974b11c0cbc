import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, expect, inject, it } from 'vitest';

import { ask, drawn, untilTurn } from './support/chat-pane';
import { startStage, type Stage } from './support/stage';
import { storedConversation } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
let opened: Stage | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const MISSING =
  "Lam's web tools are missing (assets/web.js); reinstall Lam, or run npm run prepare";

it('without the web tools a turn ends with an answer, and both are told what is missing', async () => {
  const bundleDir = tempFolder();
  cpSync(inject('bundleDir'), bundleDir, { recursive: true });
  rmSync(join(bundleDir, 'assets/web.js'));
  opened = await startStage({
    bundleDir,
    steps: (origin) => [
      {
        calls: [
          { name: 'web_search', arguments: { query: 'tea' } },
          { name: 'web_fetch', arguments: { url: `${origin}/growing` } },
        ],
      },
      { text: 'I could not look it up.' },
    ],
  });
  const { model, site, supportPath } = opened;
  const pane = await opened.open();
  await ask(pane, 'How does tea grow?');
  await untilTurn(pane, 'done');
  expect(drawn(pane).text).toContain(`No search worked: ${MISSING}.`);
  expect(drawn(pane).text).toContain('I could not look it up.');
  const read = JSON.stringify(model.requests[1]?.body);
  expect(read).toContain(`failed: ${MISSING}. Tell the person`);
  expect(read).toContain(`could not be read (unreadable): ${MISSING}.`);
  await pane.waitFor(() => storedConversation(supportPath).turns[0]?.state === 'done', {
    label: 'the saved answer',
  });
  const [turn] = storedConversation(supportPath).turns;
  expect(turn?.toolCalls.map(({ isError, sources }) => ({ isError, sources }))).toEqual([
    { isError: true, sources: undefined },
    { isError: true, sources: undefined },
  ]);
  expect(site.requests).toEqual([]);
  model.assertComplete();
});
