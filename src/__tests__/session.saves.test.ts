import { afterEach, describe, expect, it } from 'vitest';

import type { SaveOutcome } from '../host/store/conversations';
import { makeConversation, makeTurn } from './support/builders';
import { gate } from './support/gate';
import { deltas, say } from './support/scripted-provider';
import { desk, hasEnded, isReady, timeline, until, type Desk } from './support/session-ports';
import { putConversation, storedConversations } from './support/store-files';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
const open: Desk[] = [];

afterEach(() => {
  for (const { session } of open.splice(0)) session.close();
});

const FULL: SaveOutcome = { kind: 'failed', message: 'The disk is full.' };
const NOW = timeline().now();

/** A session that is ready; it is closed when the test ends. */
async function sit(folder: string, options: Parameters<typeof desk>[1] = {}): Promise<Desk> {
  const made = desk(folder, options);
  open.push(made);
  await made.session.start({});
  await until(made.session, isReady);
  return made;
}

/** Asks, and gives the id of the conversation once the answer has ended. */
async function answered(made: Desk, question: string): Promise<string> {
  const { turns } = made.session.getState().conversation;
  expect(made.session.ask(question)).toBe(true);
  const ended = await until(
    made.session,
    (state) => hasEnded(state) && state.conversation.turns.length > turns.length,
  );
  return ended.conversation.id;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const responses = (folder: string) =>
  storedConversations(folder)
    .map(({ turns }) => turns.map(({ state, response }) => `${state}: ${response}`).join())
    .sort();

describe('an answer whose save is on its way', () => {
  it.each<[string, (made: Desk) => void]>([
    [
      'Ctrl+N',
      ({ session }) => {
        session.newConversation();
      },
    ],
    [
      'opening another conversation',
      ({ session }) => {
        session.openConversation('tea');
      },
    ],
  ])('is stored by a close after %s, and nothing else is', async (_name, leave) => {
    const folder = tempFolder();
    putConversation(folder, makeConversation({ turns: [makeTurn({ response: 'Tea.' })] }), 1);
    const synced: string[] = [];
    const made = await sit(folder, {
      steps: [say('Yes.')],
      store: (real) => ({
        save: () => new Promise(() => undefined),
        saveSync(conversation) {
          synced.push(conversation.id);
          return real.saveSync(conversation);
        },
      }),
    });
    const id = await answered(made, 'Is it?');
    leave(made);
    await until(made.session, (state) => isReady(state) && state.conversation.id !== id);
    made.session.close();
    expect(synced).toEqual([id]);
    expect(responses(folder)).toEqual(['done: Tea.', 'done: Yes.']);
  });

  it('is stored by a close although an earlier version of it was saved', async () => {
    const folder = tempFolder();
    let saves = 0;
    const made = await sit(folder, {
      steps: [say('Yes.')],
      store: (real) => ({
        save: (conversation) =>
          ++saves === 1 ? real.save(conversation) : new Promise(() => undefined),
      }),
    });
    const id = await answered(made, 'Is it?');
    await made.store.load(id); // runs after the saves asked for before it
    made.session.newConversation();
    made.session.close();
    expect(responses(folder)).toEqual(['done: Yes.']);
  });

  it('is not stored once more after it was saved', async () => {
    const synced: string[] = [];
    const made = await sit(tempFolder(), {
      steps: [say('Yes.')],
      store: (real) => ({
        saveSync(conversation) {
          synced.push(conversation.id);
          return real.saveSync(conversation);
        },
      }),
    });
    const id = await answered(made, 'Is it?');
    await made.store.load(id);
    await settled();
    made.session.close();
    expect(synced).toEqual([]);
  });
});

describe('a save that failed', () => {
  it('is made up for at close, also of a conversation that was left', async () => {
    const folder = tempFolder();
    const made = await sit(folder, {
      steps: [say('Yes.')],
      store: () => ({ save: () => Promise.resolve(FULL) }),
    });
    await answered(made, 'Is it?');
    await until(made.session, ({ problems }) => problems.length > 0);
    made.session.newConversation();
    await settled();
    expect(made.session.getState().problems).toEqual([FULL.message]);
    made.session.close();
    expect(responses(folder)).toEqual(['done: Yes.']);
  });

  it('is made up for at close when nothing else was left to save', async () => {
    const folder = tempFolder();
    const made = await sit(folder, {
      steps: [say('Yes.')],
      store: () => ({ save: () => Promise.resolve(FULL) }),
    });
    await answered(made, 'Is it?');
    await settled();
    made.session.close();
    expect(responses(folder)).toEqual(['done: Yes.']);
  });

  it('is tried again with the next save of another conversation; the problem stays until then', async () => {
    const folder = tempFolder();
    const full = new Set<string>();
    const made = await sit(folder, {
      steps: [say('One.'), say('Two.'), say('Three.')],
      store: (real) => ({
        save: (conversation) =>
          full.has(conversation.id) ? Promise.resolve(FULL) : real.save(conversation),
      }),
    });
    full.add(made.session.getState().conversation.id);
    const first = await answered(made, 'First?');
    await settled();
    made.session.newConversation();
    const second = await answered(made, 'Second?');
    await made.store.load(second);
    await settled();
    expect(responses(folder)).toEqual(['done: Two.']);
    expect(made.session.getState().problems).toEqual([FULL.message]);
    full.clear();
    await answered(made, 'Third?');
    await made.store.load(first);
    await made.store.load(second);
    await until(made.session, ({ problems }) => problems.length === 0);
    expect(responses(folder)).toEqual(['done: One.', 'done: Two.,done: Three.']);
    expect(made.notices).toHaveLength(1);
  });

  it('is not forgotten when its conversation is opened again', async () => {
    const folder = tempFolder();
    let fails = false;
    const made = await sit(folder, {
      steps: [say('One.'), say('Two.')],
      store: (real) => ({
        save: (conversation) => (fails ? Promise.resolve(FULL) : real.save(conversation)),
      }),
    });
    const id = await answered(made, 'First?');
    await made.store.load(id);
    fails = true;
    await answered(made, 'Second?');
    await settled();
    made.session.newConversation();
    fails = false;
    made.session.openConversation(id);
    const { conversation } = await until(
      made.session,
      (state) => state.conversation.id === id && state.conversation.turns.length === 2,
    );
    expect(conversation.turns.map(({ response }) => response)).toEqual(['One.', 'Two.']);
    await made.store.load(id);
    expect(responses(folder)).toEqual(['done: One.,done: Two.']);
  });
});

describe('a conversation that another launch has taken over', () => {
  it('while another one is shown: that is told, and opening it adds the answer', async () => {
    const folder = tempFolder();
    const held = gate<SaveOutcome>();
    let saves = 0;
    const made = await sit(folder, {
      steps: [say('Yes.')],
      store: (real) => ({
        save: (conversation) => (++saves === 2 ? held.promise : real.save(conversation)),
      }),
    });
    const id = await answered(made, 'Is it?');
    made.session.newConversation();
    held.resolve({ kind: 'lost-ownership' });
    await settled();
    expect(made.notices).toEqual([
      {
        style: 'failure',
        title: 'Lam was started again elsewhere',
        message: 'The last answer of “Is it?” is not saved; open it here to add it',
      },
    ]);
    expect(made.session.getState()).toMatchObject({ phase: 'ready', conversation: { turns: [] } });
    made.session.openConversation(id);
    await until(made.session, (state) => isReady(state) && state.conversation.id === id);
    await made.store.load(id);
    expect(responses(folder)).toEqual(['done: Yes.']);
  });

  it('keeps what was written here since the last save', async () => {
    const folder = tempFolder();
    const held = gate<undefined>();
    const made = await sit(folder, {
      steps: [[...deltas('Half'), held.promise, ...deltas(' an answer'), 'hang']],
    });
    made.session.ask('Why?');
    await settled();
    made.clock.advance(1_500);
    const { id } = made.session.getState().conversation;
    await made.store.load(id);
    const [taken] = storedConversations(folder);
    if (taken === undefined) throw new Error('Nothing is stored.');
    expect(taken.turns).toMatchObject([{ state: 'running', response: 'Half' }]);
    const turns = taken.turns.map((turn) => ({ ...turn, state: 'interrupted' as const }));
    putConversation(folder, { ...taken, owner: undefined, turns });

    held.resolve(undefined);
    await settled();
    made.clock.advance(1_500);
    await until(made.session, (state) => isReady(state) && state.running === undefined);
    expect(made.session.getState().conversation.turns).toMatchObject([
      { state: 'interrupted', response: 'Half an answer' },
    ]);
    made.session.close();
    expect(responses(folder)).toEqual(['interrupted: Half an answer']);
  });

  it('adds what was written in it to no other conversation', async () => {
    const folder = tempFolder();
    putConversation(folder, makeConversation(), 1);
    let lost = false;
    const made = await sit(folder, {
      steps: [[...deltas('Half'), 'hang']],
      store: (real) => ({
        save: (conversation) =>
          lost ? Promise.resolve({ kind: 'lost-ownership' }) : real.save(conversation),
        claim: (id) => (id === 'tea' ? real.claim(id) : new Promise(() => undefined)),
      }),
    });
    made.session.ask('Why?');
    lost = true;
    made.clock.advance(1_500);
    await until(made.session, (state) => state.phase === 'loading');
    lost = false;
    made.session.openConversation('tea');
    await until(made.session, isReady);
    await settled();
    const { id, turns } = made.session.getState().conversation;
    expect([id, turns.map((turn) => turn.id)]).toEqual(['tea', ['turn-1']]);
  });
});

describe('asking while the conversation on screen is deleted', () => {
  it('waits, and asks in the fresh one; the deleted one does not come back', async () => {
    const folder = tempFolder();
    putConversation(folder, makeConversation(), NOW);
    const made = await sit(folder, { steps: [say('Yes.')] });
    const deleted = made.session.deleteConversation('tea');
    made.session.setDraft('Is it?');
    expect(made.session.ask('Is it?')).toBe(false);
    expect(made.session.getState().draft).toBe('Is it?');
    expect(await deleted).toEqual({ kind: 'deleted' });
    const state = await until(made.session, hasEnded);
    expect(state.conversation.id).not.toBe('tea');
    expect(state).toMatchObject({
      draft: '',
      conversation: { title: 'Is it?', turns: [{ state: 'done', response: 'Yes.' }] },
    });
    made.session.close();
    expect(storedConversations(folder).map(({ id }) => id)).toEqual([state.conversation.id]);
  });

  it('goes on in it if it could not be deleted', async () => {
    const folder = tempFolder();
    putConversation(folder, makeConversation(), NOW);
    const made = await sit(folder, {
      steps: [say('Yes.')],
      store: () => ({ delete: () => Promise.resolve({ kind: 'failed', message: 'No.' }) }),
    });
    const deleted = made.session.deleteConversation('tea');
    expect(made.session.ask('Is it?')).toBe(false);
    await deleted;
    const { conversation } = await until(
      made.session,
      (state) => hasEnded(state) && state.conversation.turns.length === 2,
    );
    expect(conversation).toMatchObject({ id: 'tea', turns: [{}, { question: 'Is it?' }] });
  });

  it('neither tries again nor continues meanwhile', async () => {
    const folder = tempFolder();
    putConversation(folder, makeConversation({ turns: [makeTurn({ state: 'stopped' })] }), NOW);
    const made = await sit(folder, { steps: [say('Yes.')] });
    const deleted = made.session.deleteConversation('tea');
    made.session.retry();
    made.session.continueTurn();
    expect(made.session.getState().running).toBeUndefined();
    await deleted;
    expect(storedConversations(folder)).toEqual([]);
  });
});

it('the screen knows what is searched', async () => {
  const made = await sit(tempFolder(), { searchScope: 'Wikipedia' });
  expect(made.session.getState().searchScope).toBe('Wikipedia');
});
