import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, inject, it } from 'vitest';

import { makeConversation, makeTurn } from './support/builders';
import {
  ask,
  chosenModel,
  copied,
  drawn,
  firstAction,
  questions,
  shown,
  untilTurn,
} from './support/chat-pane';
import { checkShortcuts, type Pane } from './support/pane';
import type { StageOptions } from './support/stage';
import { stages } from './support/stages';
import { putConversation, storedConversation } from './support/store-files';
import { tempFolders } from './support/temp-folder';

// Cleaned up in reverse order: the stages must end before their folders go.
const tempFolder = tempFolders();
const stage = stages();

/** A copy of the bundle of which a test may spoil a file. */
let bundleDir: string;
beforeEach(() => {
  bundleDir = tempFolder();
  cpSync(inject('bundleDir'), bundleDir, { recursive: true });
});
const damaged = async (options: Omit<StageOptions, 'bundleDir'> = {}) => {
  const here = await stage(options);
  return { ...here, open: (more = {}) => here.open({ bundleDir, ...more }) };
};

const asset = (file: string): string => join(bundleDir, 'assets', file);

/** The ways in which a file can be unusable, with what is said of it. */
const DAMAGES: [name: string, spoil: (file: string) => void, said: (file: string) => string][] = [
  [
    'missing',
    (file) => {
      rmSync(asset(file));
    },
    (file) => `is missing (assets/${file})`,
  ],
  [
    'cut off',
    (file) => {
      writeFileSync(asset(file), readFileSync(asset(file)).subarray(0, 20_000));
    },
    (file) => `cannot be loaded (assets/${file}: `,
  ],
  [
    'failing',
    (file) => {
      writeFileSync(asset(file), 'throw new Error("no such part");\n');
    },
    (file) => `cannot be loaded (assets/${file}: no such part)`,
  ],
  [
    'of another version',
    (file) => {
      writeFileSync(asset(file), 'exports.somethingElse = () => undefined;\n');
    },
    (file) => `does not belong to this version (assets/${file})`,
  ],
];
const ADVICE = 'Reinstall Lam, or run npm run prepare.';

/** Puts the file back as `npm run prepare` does, whole or not at all. */
function repair(file: string): void {
  cpSync(join(inject('bundleDir'), 'assets', file), `${asset(file)}.part`);
  renameSync(`${asset(file)}.part`, asset(file));
}

const untilStored = (pane: Pane, supportPath: string, state: string): Promise<unknown> =>
  pane.waitFor(() => storedConversation(supportPath).turns.at(-1)?.state === state, {
    label: `${state} on disk`,
  });

function expectSound(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.missingIcons()).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  expect(checkShortcuts(pane)).toEqual([]);
}

describe('assets/agent.js', () => {
  it.each(DAMAGES)('%s: says what to do, keeps the question, and asks it again', async (...row) => {
    const [name, spoil, said] = row;
    spoil('agent.js');
    const { open, model, supportPath } = await damaged({ steps: () => [{ text: 'Because.' }] });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the model' });
    await ask(pane, 'Why?');
    await untilTurn(pane, 'failed');
    const told = drawn(pane).text;
    expect(told).toContain(`The part of Lam that answers ${said('agent.js')}`);
    expect(told).toContain(ADVICE);
    expect(questions(pane)).toEqual(['Why?']);
    expect(firstAction(pane)).toBe('Try Again');
    expect(model.requests).toEqual([]);
    await untilStored(pane, supportPath, 'failed');
    expectSound(pane);
    repair('agent.js');
    // Node keeps a file that it could load: another version of it counts at the next start.
    const next = name === 'of another version' ? await restarted(pane, open) : pane;
    await next.action('Try Again');
    await untilTurn(next, 'done');
    expect(drawn(next).text).toContain('Because.');
    await untilStored(next, supportPath, 'done');
    expect(storedConversation(supportPath).turns).toMatchObject([
      { question: 'Why?', response: 'Because.' },
    ]);
    model.assertComplete();
    expectSound(next);
  });

  it('missing: an answer that had begun stays, and is continued once the file is back', async () => {
    const { open, model, supportPath } = await damaged({ steps: () => [{ text: ' fog.' }] });
    const half = makeTurn({ question: 'Why?', response: 'Tea likes', state: 'interrupted' });
    putConversation(supportPath, makeConversation({ turns: [{ ...half, toolCalls: [] }] }));
    rmSync(asset('agent.js'));
    const pane = await open();
    await pane.waitFor(() => questions(pane).length === 1, { label: 'the conversation' });
    await pane.action('Continue');
    await untilTurn(pane, 'failed');
    expect(drawn(pane).text).toContain('Tea likes');
    expect(drawn(pane).text).toContain(ADVICE);
    await untilStored(pane, supportPath, 'failed');
    expect(storedConversation(supportPath).turns[0]?.response).toBe('Tea likes');
    repair('agent.js');
    await pane.action('Continue');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('Tea likes fog.');
    model.assertComplete();
    expectSound(pane);
  });
});

describe('assets/providers.js', () => {
  it.each(DAMAGES)('%s: says so at launch, and keeps what is asked', async (...row) => {
    const [name, spoil, said] = row;
    spoil('providers.js');
    const { open, model, supportPath } = await damaged({ steps: () => [{ text: 'Because.' }] });
    const pane = await open();
    await pane.waitFor(() => pane.list().emptyView?.title === 'Lam is incomplete', {
      label: 'what is missing',
    });
    const description = pane.list().emptyView?.description ?? '';
    const sentence = `The part of Lam that talks to model servers ${said('providers.js')}`;
    expect(description).toContain(sentence);
    expect(description).toContain(ADVICE);
    expect(firstAction(pane)).toBe('Check Again');
    await ask(pane, 'Why?');
    await untilTurn(pane, 'failed');
    expect(drawn(pane).text).toContain(sentence);
    expect(drawn(pane).text).toContain(ADVICE);
    expect(questions(pane)).toEqual(['Why?']);
    await untilStored(pane, supportPath, 'failed');
    expect(model.paths).toEqual([]);
    expectSound(pane);
    repair('providers.js');
    const next = name === 'of another version' ? await restarted(pane, open) : pane;
    await next.action('Try Again');
    await untilTurn(next, 'done');
    expect(drawn(next).text).toContain('Because.');
    await untilStored(next, supportPath, 'done');
    model.assertComplete();
    expectSound(next);
  });

  it('missing: Check Again finds the server once the file is back', async () => {
    rmSync(asset('providers.js'));
    const { open } = await damaged();
    const pane = await open();
    await pane.waitFor(() => firstAction(pane) === 'Check Again', { label: 'what is missing' });
    repair('providers.js');
    await pane.enter();
    await pane.waitFor(() => chosenModel(pane) === 'test-model', { label: 'the model' });
    expect(pane.list().emptyView?.title).toBe('Ask anything');
    expectSound(pane);
  });

  it('missing: Check Setup says so in a report, and Run Again works once it is back', async () => {
    rmSync(asset('providers.js'));
    const { open } = await damaged({
      preferences: { webTools: false, apiKey: 'sk-model-4f9a8b7c6d5e' },
      steps: () => [
        { text: 'ready' },
        { calls: [{ name: 'repeat_word', arguments: { word: 'lighthouse' } }] },
      ],
    });
    const pane = await open();
    await pane.action('Check Setup…');
    await pane.waitFor(() => pane.depth === 2 && pane.list().items.length === 6, {
      label: 'the steps',
    });
    const icons = () => pane.list().items.map(({ icon }) => icon);
    expect(icons()).toEqual(['x-mark-circle', 'stop', 'stop', 'stop', 'stop', 'stop']);
    await pane.waitFor(() => shown(pane).includes(ADVICE), { label: 'what to do' });
    expect((await copied(pane, 'Copy Report')).text).toBe(
      `## Lam: Check Setup\n\nThe part of Lam that talks to model servers is missing (assets/providers.js). ${ADVICE}\n`,
    );
    repair('providers.js');
    await pane.action('Run Again');
    const ok = 'check-circle';
    await pane.waitFor(() => icons().join(' ') === `${ok} ${ok} ${ok} ${ok} stop stop`, {
      label: 'the check',
    });
    expectSound(pane);
  });

  it('missing since the launch: the answer comes all the same, and the title stays the question', async () => {
    const { open, model, supportPath } = await damaged({
      preferences: { titles: 'always' },
      // The answer comes from what was loaded at launch; a title is a look at the file, and not asked for.
      steps: () => [{ text: 'Because.' }],
    });
    const pane = await open();
    await pane.waitFor(() => chosenModel(pane), { label: 'the model' });
    rmSync(asset('providers.js'));
    await ask(pane, 'Why?');
    await untilTurn(pane, 'done');
    expect(drawn(pane).text).toContain('Because.');
    await untilStored(pane, supportPath, 'done');
    await pane.unload();
    expect(storedConversation(supportPath).title).toBe('Why?');
    model.assertComplete();
    expect(pane.crash).toBeNull();
  });
});

describe('assets/library.js', () => {
  const titles = (pane: Pane): string[] => pane.list().items.map(({ title }) => title);
  const PROBLEM = 'Only titles searched';

  it.each<[string, (file: string) => void, RegExp]>([
    [
      'missing',
      (file) => {
        rmSync(asset(file));
      },
      /The search is missing \(assets\/library\.js\); reinstall Lam, or run npm run prepare\./u,
    ],
    [
      'failing',
      (file) => {
        writeFileSync(asset(file), 'throw new Error("no such part");\n');
      },
      /The conversations could not be searched: no such part\./u,
    ],
    [
      'cut off',
      (file) => {
        writeFileSync(asset(file), readFileSync(asset(file)).subarray(0, 20_000));
      },
      /The conversations could not be searched: /u,
    ],
    [
      'of another version',
      (file) => {
        writeFileSync(
          asset(file),
          'exports.serveLibrary = (port) => port.on("message", () => port.postMessage({ id: 0 }));\n',
        );
      },
      /assets\/library\.js does not belong to this version; reinstall Lam/u,
    ],
  ])('%s: titles are searched, and all once it is back', async (_name, spoil, said) => {
    spoil('library.js');
    const { open, supportPath } = await damaged();
    const turns = [makeTurn({ question: 'Where?', response: 'In the misty hills.' })];
    putConversation(supportPath, makeConversation({ id: 'a', title: 'Fog', turns }));
    putConversation(supportPath, makeConversation({ id: 'b', title: 'Misty mornings' }));
    const pane = await open({ command: 'conversations' });
    await pane.waitFor(() => !pane.list().isLoading && titles(pane).length === 2, {
      label: 'the conversations',
    });
    await pane.type('misty');
    await pane.waitFor(() => titles(pane).includes(PROBLEM), { label: 'what is missing' });
    expect(titles(pane)).toEqual(['Misty mornings', PROBLEM]);
    await pane.select(1);
    await pane.waitFor(() => said.test(shown(pane)), { label: 'why' });
    expectSound(pane);
    repair('library.js');
    await pane.type('misty hills');
    await pane.waitFor(() => titles(pane).join() === 'Fog' && !pane.list().isLoading, {
      label: 'what was found',
    });
    expectSound(pane);
  });
});

/** The launch after this one, with its conversation. */
async function restarted(pane: Pane, open: () => Promise<Pane>): Promise<Pane> {
  await pane.unload();
  const next = await open();
  await next.waitFor(() => questions(next).length === 1, { label: 'the conversation' });
  return next;
}
