import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

import {
  createThreadClient,
  type ThreadClient,
  type ThreadClientOptions,
} from '../host/thread-client';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

const opened: ThreadClient[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

/** Answers as the question says: with a number, with something else, twice, late, or never. */
const SERVE = `exports.serve = (port, settings) => {
  port.on('message', ({ id, ask, cancelled }) => {
    if (cancelled !== undefined) return port.postMessage({ said: 'cancelled ' + cancelled });
    if (ask === 'settings') return port.postMessage({ id, reply: settings });
    if (ask === 'words') return port.postMessage({ id, reply: 'words' });
    if (ask === 'noise') return port.postMessage('noise');
    if (ask === 'unasked') port.postMessage({ said: 'hello' });
    if (ask === 'twice') port.postMessage({ id, reply: 1 });
    if (ask === 'exit') return process.exit(0);
    if (ask === 'throw') throw new Error('no');
    if (ask !== 'never') port.postMessage({ id, reply: 7 });
  });
};`;

function open(more: Partial<ThreadClientOptions> = {}) {
  const assetsPath = tempFolder();
  writeFileSync(join(assetsPath, 'seven.js'), SERVE);
  const ended: number[] = [];
  const said: unknown[] = [];
  let begun = 0;
  const client = createThreadClient({
    assetsPath,
    file: 'seven.js',
    serve: 'serve',
    heapMb: 64,
    name: 'Seven',
    failed: (why) => `Seven failed: ${why}.`,
    thrown: (error) => (error instanceof Error ? error.message : String(error)),
    endedEarly: 'it ended',
    begin() {
      begun += 1;
      const number = begun;
      return { settings: number, onEnded: () => ended.push(number) };
    },
    cancel: (id) => ({ cancelled: id }),
    onUnasked(message) {
      const unasked = z.object({ said: z.string() }).safeParse(message);
      if (unasked.success) said.push(unasked.data.said);
      return unasked.success;
    },
    ...more,
  });
  opened.push(client);
  const ask = (question: string, limits: { limitMs?: number; signal?: AbortSignal } = {}) =>
    client.ask((id) => ({ id, ask: question }), z.number(), limits);
  return { client, ask, ended, said };
}

const failure = (why: string) => ({ ok: false, message: `Seven failed: ${why}.` });
const SEVEN = { ok: true, value: 7 };
const FOREIGN = failure('assets/seven.js does not belong to this version; reinstall Lam');

describe('an answer', () => {
  it.each<[string, object]>([
    ['seven', SEVEN],
    ['unasked', SEVEN],
    ['twice', { ok: true, value: 1 }],
    ['words', FOREIGN],
    ['noise', FOREIGN],
    ['exit', failure('it ended')],
    ['throw', failure('no')],
  ])('to %s, and the next question is answered', async (question, wanted) => {
    const { ask } = open();
    expect(await ask(question)).toEqual(wanted);
    expect(await ask('seven')).toEqual(SEVEN);
  });

  it('that never comes is a failure, also for those who ask beside it', async () => {
    const { ask } = open();
    const late = failure('it took too long');
    expect(await Promise.all([ask('never', { limitMs: 60 }), ask('never')])).toEqual([late, late]);
    expect(await ask('seven')).toEqual(SEVEN);
  });

  it('of a thread that cannot be started is a failure', async () => {
    const { ask } = open({ begin: () => ({ settings: () => 'no thread can be given this' }) });
    expect(await ask('seven')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Seven failed: .*could not be cloned/) as string,
    });
  });

  it('of a file that is not there says what to do', async () => {
    const { ask } = open({ file: 'eight.js' });
    expect(await ask('seven')).toEqual({
      ok: false,
      message: 'Seven is missing (assets/eight.js); reinstall Lam, or run npm run prepare.',
    });
  });
});

describe('a question that is stopped', () => {
  it('ends at once, and the thread is told', async () => {
    const { ask, said } = open();
    const controller = new AbortController();
    const asked = ask('never', { signal: controller.signal });
    controller.abort();
    expect(await asked).toEqual({ ok: false, message: 'The search was stopped.' });
    expect(await ask('seven')).toEqual(SEVEN);
    expect(said).toEqual(['cancelled 1']);
  });

  it('beforehand is not asked', async () => {
    const { ask, ended, client } = open();
    expect(await ask('seven', { signal: AbortSignal.abort() })).toMatchObject({ ok: false });
    await client.end('');
    expect(ended).toEqual([]);
  });
});

describe('a thread that is ended', () => {
  it('answers what waits, is done when it is gone, and has a follower of its own', async () => {
    const { client, ask, ended } = open();
    const waits = ask('never');
    const end = client.end('Enough.');
    const next = ask('settings');
    expect(await waits).toEqual({ ok: false, message: 'Enough.' });
    await end;
    expect(ended).toEqual([1]);
    expect(await next).toEqual({ ok: true, value: 2 });
  });

  it('for good answers nothing any more', async () => {
    const { client, ask } = open();
    await ask('seven');
    client.close();
    expect(await ask('seven')).toEqual({ ok: false, message: 'The search was stopped.' });
  });
});
