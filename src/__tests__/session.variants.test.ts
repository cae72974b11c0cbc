import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { threadOf } from '../lib/thread';
import type { ChatRequest, Conversation } from '../lib/types';
import {
  deltas,
  failure,
  say,
  scriptedProvider,
  type ScriptStep,
} from './support/scripted-provider';
import { desk, hasEnded, isReady, until, type Desk } from './support/session-ports';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
const open: Desk[] = [];

afterEach(() => {
  for (const { session } of open.splice(0)) session.close();
});

/** A desk that is ready, and the requests its model server got. */
async function sit(
  steps: readonly ScriptStep[],
  options: Parameters<typeof desk>[1] = {},
): Promise<Desk & { folder: string; requests: ChatRequest[] }> {
  const folder = tempFolder();
  const provider = scriptedProvider(steps);
  const made = desk(folder, {
    server: {
      stream: (request, signal) => provider.stream(request, signal),
      listModels: () =>
        Promise.resolve({
          ok: true,
          models: [
            { id: 'small-model', canCallTools: true },
            { id: 'large-model', canCallTools: true },
          ],
        }),
    },
    ...options,
  });
  open.push(made);
  await made.session.start({});
  await until(made.session, isReady);
  return { ...made, folder, requests: provider.requests };
}

async function answered(made: Desk, ...questions: string[]): Promise<void> {
  for (const question of questions) {
    expect(made.session.ask(question)).toBe(true);
    await until(made.session, hasEnded);
  }
}

const shown = (made: Desk) =>
  threadOf(made.session.getState().conversation).map(
    ({ question, response }) => `${question} ${response}`,
  );
const idOf = (made: Desk, place: number) =>
  threadOf(made.session.getState().conversation)[place]?.id ?? '';
const stored = (folder: string, made: Desk): Conversation =>
  JSON.parse(
    readFileSync(
      join(folder, 'conversations', `${made.session.getState().conversation.id}.json`),
      'utf8',
    ),
  ) as Conversation; // written by the store a moment ago
const said = (request: ChatRequest | undefined) =>
  request?.messages.filter(({ role }) => role !== 'system').map(({ content }) => content);

describe('regenerate', () => {
  it('asks the same question again; the old answer can be paged back to', async () => {
    const made = await sit([say('One.'), say('Two.')]);
    await answered(made, 'Why?');
    const first = idOf(made, 0);
    expect(made.session.regenerate(first)).toBe(true);
    await until(made.session, hasEnded);
    expect(shown(made)).toEqual(['Why? Two.']);
    expect(said(made.requests[1])).toEqual(['Why?']);
    made.session.showVariant(first);
    expect(shown(made)).toEqual(['Why? One.']);
  });

  it('of an earlier exchange hides what followed it, and the model does not read it', async () => {
    const made = await sit([say('One.'), say('Two.'), say('Other.'), say('Next.')]);
    await answered(made, 'First?', 'Second?');
    made.session.regenerate(idOf(made, 0));
    await until(made.session, hasEnded);
    expect(shown(made)).toEqual(['First? Other.']);
    await answered(made, 'Third?');
    expect(said(made.requests[3])).toEqual(['First?', 'Other.', 'Third?']);
    made.session.close();
    expect(stored(made.folder, made).turns).toHaveLength(4);
  });

  it('with another model asks that one, this time only', async () => {
    const made = await sit([say('One.'), say('Two.'), say('Three.')]);
    await answered(made, 'Why?');
    made.session.regenerate(idOf(made, 0), 'large-model');
    await until(made.session, hasEnded);
    await answered(made, 'And?');
    expect(made.requests.map(({ model }) => model)).toEqual([
      'small-model',
      'large-model',
      'small-model',
    ]);
    expect(threadOf(made.session.getState().conversation).map(({ model }) => model)).toEqual([
      'large-model',
      'small-model',
    ]);
  });

  it('is refused while an answer is being written', async () => {
    const made = await sit([say('One.'), ['hang']]);
    await answered(made, 'Why?');
    made.session.ask('And?');
    expect(made.session.regenerate(idOf(made, 0))).toBe(false);
    expect(made.notices).toMatchObject([{ title: 'Still answering' }]);
  });
});

describe('Try Again', () => {
  it('puts nothing beside an answer that never began', async () => {
    const made = await sit([[failure('server-error', 'The server is ill.')], say('Well.')]);
    await answered(made, 'Why?');
    made.session.retry();
    await until(made.session, hasEnded);
    expect(shown(made)).toEqual(['Why? Well.']);
    made.session.close();
    expect(stored(made.folder, made).turns).toHaveLength(1);
  });

  it('keeps half an answer as a variant', async () => {
    const made = await sit([
      [...deltas('Half'), failure('cut', 'The connection ended.')],
      say('Whole.'),
    ]);
    await answered(made, 'Why?');
    const half = idOf(made, 0);
    made.session.retry();
    await until(made.session, hasEnded);
    expect(shown(made)).toEqual(['Why? Whole.']);
    made.session.showVariant(half);
    expect(shown(made)).toEqual(['Why? Half']);
  });
});

describe('editing a question', () => {
  it('asks the new one in its place, and keeps the old exchange with what followed', async () => {
    const made = await sit([say('One.'), say('Two.'), say('Better.')]);
    await answered(made, 'First?', 'Second?');
    const first = idOf(made, 0);
    expect(made.session.editQuestion(first, ' First, really? ')).toBe(true);
    await until(made.session, hasEnded);
    expect(shown(made)).toEqual(['First, really? Better.']);
    expect(made.session.getState().conversation.title).toBe('First, really?');
    made.session.showVariant(first);
    expect(shown(made)).toEqual(['First? One.', 'Second? Two.']);
  });

  it.each(['', '  \n '])('an empty question %j changes nothing', async (question) => {
    const made = await sit([say('One.')]);
    await answered(made, 'Why?');
    expect(made.session.editQuestion(idOf(made, 0), question)).toBe(false);
    expect(shown(made)).toEqual(['Why? One.']);
  });

  it('is there after a restart, with all variants', async () => {
    const made = await sit([say('One.'), say('Two.')]);
    await answered(made, 'Why?');
    const first = idOf(made, 0);
    made.session.editQuestion(first, 'Why not?');
    await until(made.session, hasEnded);
    made.session.close();
    const next = desk(made.folder, { launchId: 'launch-2', clock: made.clock });
    open.push(next);
    await next.session.start({});
    await until(next.session, isReady);
    expect(shown(next)).toEqual(['Why not? Two.']);
    next.session.showVariant(first);
    expect(shown(next)).toEqual(['Why? One.']);
  });
});

describe('deleting an exchange', () => {
  it('leaves the others, on the disk too', async () => {
    const made = await sit([say('One.'), say('Two.'), say('Three.')]);
    await answered(made, 'First?', 'Second?', 'Third?');
    expect(await made.session.deleteTurn(idOf(made, 1))).toEqual({ kind: 'deleted' });
    expect(shown(made)).toEqual(['First? One.', 'Third? Three.']);
    made.session.close();
    expect(stored(made.folder, made).turns.map(({ question }) => question)).toEqual([
      'First?',
      'Third?',
    ]);
  });

  it('the last one takes the conversation into the trash', async () => {
    const made = await sit([say('One.')]);
    await answered(made, 'Why?');
    const { id } = made.session.getState().conversation;
    expect(await made.session.deleteTurn(idOf(made, 0))).toMatchObject({ kind: 'deleted' });
    expect(made.session.getState().conversation.turns).toEqual([]);
    expect(made.session.getState().conversation.id).not.toBe(id);
    expect(await made.session.listTrash()).toMatchObject({ entries: [{ id, title: 'Why?' }] });
  });

  it('is refused while an answer is being written', async () => {
    const made = await sit([say('One.'), ['hang']]);
    await answered(made, 'Why?');
    made.session.ask('And?');
    expect(await made.session.deleteTurn(idOf(made, 0))).toMatchObject({ kind: 'failed' });
    expect(shown(made)).toHaveLength(2);
  });
});

/** Waits until so many exchanges are stored, all of them ended: another launch waits for a running one. */
function onDisk(made: Desk & { folder: string }, count: number): Promise<void> {
  return vi.waitFor(
    () => {
      const { turns } = stored(made.folder, made);
      expect(turns.map(({ state }) => state)).toEqual(Array(count).fill('done'));
    },
    { timeout: 10_000, interval: 10 },
  );
}

describe('two launches', () => {
  it('an exchange of the other launch can be deleted here', async () => {
    const made = await sit([say('One.'), say('Two.')]);
    await answered(made, 'First?');
    await onDisk(made, 1);
    const { id } = made.session.getState().conversation;
    const other = desk(made.folder, {
      launchId: 'launch-2',
      clock: made.clock,
      steps: [say('Theirs.')],
    });
    open.push(other);
    await other.session.start({ conversation: id });
    await until(other.session, (state) => isReady(state) && state.conversation.id === id);
    await answered(other, 'Meanwhile?');
    await until(other.session, ({ conversation }) => conversation.turns.length === 2);
    other.session.close();
    await answered(made, 'Second?');
    await until(made.session, ({ conversation }) => conversation.turns.length === 3);
    const theirs = threadOf(made.session.getState().conversation).find(
      ({ question }) => question === 'Meanwhile?',
    );
    expect(await made.session.deleteTurn(theirs?.id ?? '')).toEqual({ kind: 'deleted' });
    made.session.close();
    expect(stored(made.folder, made).turns.map(({ question }) => question)).toEqual([
      'First?',
      'Second?',
    ]);
  });
});

describe('a title of the model', () => {
  it('takes the place of the first question, once', async () => {
    let asked = 0;
    const made = await sit([say('One.'), say('Two.')], {
      suggestTitle: () => {
        asked += 1;
        return Promise.resolve('Why things fall');
      },
    });
    await answered(made, 'Why?');
    await until(made.session, ({ conversation }) => conversation.titledBy === 'model');
    expect(made.session.getState().conversation.title).toBe('Why things fall');
    await answered(made, 'And?');
    expect(asked).toBe(1);
    expect(made.session.getState().conversation.title).toBe('Why things fall');
  });

  it.each<[string, string | undefined, (made: Desk) => Promise<unknown>]>([
    ['none comes', undefined, () => Promise.resolve()],
    [
      'a person has named it meanwhile',
      'Other',
      async (made) =>
        made.session.renameConversation(made.session.getState().conversation.id, 'Mine'),
    ],
  ])('is not taken when %s', async (_name, title, meanwhile) => {
    let give: (title: string | undefined) => void = () => undefined;
    const made = await sit([say('One.')], {
      suggestTitle: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
    });
    await answered(made, 'Why?');
    await meanwhile(made);
    const { title: before } = made.session.getState().conversation;
    give(title);
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.session.getState().conversation.title).toBe(before);
  });
});

describe('the model', () => {
  it('that was chosen is asked, also at the next launch', async () => {
    const made = await sit([say('One.')]);
    made.session.chooseModel('large-model');
    expect(made.session.getState().server).toMatchObject({ kind: 'ready', model: 'large-model' });
    await answered(made, 'Why?');
    expect(made.requests[0]?.model).toBe('large-model');
    made.session.close();
    const provider = scriptedProvider([say('Two.')]);
    const next = desk(made.folder, {
      launchId: 'launch-2',
      clock: made.clock,
      server: {
        stream: (request, signal) => provider.stream(request, signal),
        listModels: () =>
          Promise.resolve({ ok: true, models: [{ id: 'small-model' }, { id: 'large-model' }] }),
      },
    });
    open.push(next);
    await next.session.start({});
    await until(next.session, isReady);
    await answered(next, 'And?');
    expect(provider.requests[0]?.model).toBe('large-model');
  });

  it('that is no longer there makes room for the first that fits', async () => {
    const made = await sit([say('One.')]);
    made.session.chooseModel('gone-model');
    made.session.refreshServer();
    await until(
      made.session,
      ({ server }) => server.kind === 'ready' && server.model === 'small-model',
    );
    await answered(made, 'Why?');
    expect(made.requests[0]?.model).toBe('small-model');
  });
});
