import { afterEach, describe, expect, it } from 'vitest';

import { withText, type ComposeValues } from '../host/session/compose-draft';
import { threadOf } from '../lib/thread';
import { say } from './support/scripted-provider';
import { desk, hasEnded, isReady, until, type Desk } from './support/session-ports';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
const open: Desk[] = [];
afterEach(() => {
  for (const { session } of open.splice(0)) session.close();
});

const NEW = { kind: 'new' } as const;
const values = (text: string, more: Partial<ComposeValues> = {}): ComposeValues => ({
  text,
  files: [],
  web: true,
  model: '',
  ...more,
});

async function sit(folder: string, options: Parameters<typeof desk>[1] = {}): Promise<Desk> {
  const made = desk(folder, options);
  open.push(made);
  await made.session.start({});
  await until(made.session, isReady);
  return made;
}

describe('the form', () => {
  it.each([
    ['', '', ''],
    ['kept', '', 'kept'],
    ['', 'added', 'added'],
    ['kept ', 'added', 'kept\n\nadded'],
    ['same', ' same ', 'same'],
  ])('%j and %j make %j', (kept, added, text) => {
    expect(withText(values(kept), added).text).toBe(text);
  });

  it('takes the text of the bar, and gives one line back', async () => {
    const { session } = await sit(tempFolder());
    session.setDraft('one line');
    expect(session.openForm(NEW)).toEqual(values('one line'));
    expect(session.getState().draft).toBe('');
    session.leaveForm(NEW);
    expect(session.getState().draft).toBe('one line');
    expect(session.openForm(NEW)).toEqual(values('one line'));
  });

  it.each<[string, ComposeValues]>([
    ['several lines', values('one\ntwo')],
    ['a file', values('one', { files: ['/tmp/a.txt'] })],
    ['a switch', values('one', { web: false })],
    ['a model', values('one', { model: 'large' })],
  ])('keeps %s when it is left, also for the next launch', async (_name, kept) => {
    const folder = tempFolder();
    const { session, clock } = await sit(folder);
    session.openForm(NEW);
    session.keepForm(NEW, kept);
    session.leaveForm(NEW);
    expect(session.getState().draft).toBe('');
    session.close();
    const next = await sit(folder, { launchId: 'launch-2', clock });
    expect(next.session.openForm(NEW)).toEqual(kept);
  });

  it('does not replace what was typed meanwhile', async () => {
    const { session } = await sit(tempFolder());
    session.openForm(NEW);
    session.keepForm(NEW, values('from the form'));
    session.setDraft('from the bar');
    session.leaveForm(NEW);
    expect(session.getState().draft).toBe('from the bar');
    expect(session.openForm(NEW).text).toBe('from the form\n\nfrom the bar');
  });

  it('is empty once its question was accepted, and keeps one that was not', async () => {
    const { session } = await sit(tempFolder(), { steps: [say('Yes.'), ['hang']] });
    session.openForm(NEW);
    session.keepForm(NEW, values('one\ntwo'));
    expect(session.askForm(NEW, values('one\ntwo'), [])).toBe(true);
    await until(session, hasEnded);
    expect(threadOf(session.getState().conversation)[0]).toMatchObject({
      question: 'one\ntwo',
      web: true,
    });
    expect(session.openForm(NEW)).toEqual(values(''));
    session.ask('again?');
    session.keepForm(NEW, values('three\nfour'));
    expect(session.askForm(NEW, values('three\nfour'), [])).toBe(false);
    expect(session.openForm(NEW).text).toBe('three\nfour');
  });

  it('keeps an accepted question until it is in its conversation', async () => {
    const folder = tempFolder();
    const made = desk(folder, {
      steps: [['hang']],
      store: () => ({ save: () => new Promise(() => undefined) }),
    });
    open.push(made);
    await made.session.start({});
    await until(made.session, isReady);
    made.session.openForm(NEW);
    made.session.keepForm(NEW, values('one\ntwo'));
    made.clock.advance(1_000);
    expect(made.session.askForm(NEW, values('one\ntwo'), [])).toBe(true);
    expect(made.session.openForm(NEW)).toEqual(values(''));
    // A kill at this moment: the next launch finds what the disk holds.
    const next = await sit(folder, { launchId: 'launch-2', clock: made.clock });
    expect(next.session.openForm(NEW).text).toBe('one\ntwo');
  });

  it('quotes the same text once', () => {
    expect(withText(values('> a\n\n'), '> a\n\n').text).toBe('> a\n\n');
    expect(withText(values('> b\n\n> a\n\n'), '> a\n\n').text).toBe('> b\n\n> a\n\n');
  });

  it('begins without the web where the preferences say so', async () => {
    const { session } = await sit(tempFolder(), { settings: { webTools: false } });
    expect(session.openForm(NEW).web).toBe(false);
  });

  it('opens an edited question as it was asked, then as it was left, each question for itself', async () => {
    const { session } = await sit(tempFolder(), { steps: [say('One.'), say('Two.')] });
    session.ask('First?');
    await until(session, hasEnded);
    session.ask('Second?');
    await until(session, (state) => hasEnded(state) && threadOf(state.conversation).length === 2);
    const [first, second] = threadOf(session.getState().conversation);
    if (first === undefined || second === undefined) throw new Error('There are no two turns.');
    const edit = { kind: 'edit', turn: first } as const;
    expect(session.openForm(edit)).toMatchObject({ text: 'First?', files: [], web: true });
    session.keepForm(edit, { ...session.openForm(edit), text: 'First, really?' });
    expect(session.openForm(edit).text).toBe('First, really?');
    expect(session.openForm({ kind: 'edit', turn: second }).text).toBe('Second?');
    expect(session.openForm(NEW)).toEqual(values(''));
  });
});
