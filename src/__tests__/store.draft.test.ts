import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { createDraftStore } from '../host/store/draft';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

/** A clock of timers that the test lets run. */
function timers() {
  let time = 0;
  let waiting: { at: number; run: () => void }[] = [];
  return {
    after: (ms: number, run: () => void) => {
      const timer = { at: time + ms, run };
      waiting.push(timer);
      return () => {
        waiting = waiting.filter((other) => other !== timer);
      };
    },
    pass: (ms: number) => {
      time += ms;
      const due = waiting.filter(({ at }) => at <= time);
      waiting = waiting.filter(({ at }) => at > time);
      for (const { run } of due) run();
    },
  };
}

function setUp(supportPath = tempFolder(), command = 'chat') {
  const { after, pass } = timers();
  const open = () => createDraftStore({ supportPath, command, after });
  return {
    supportPath,
    pass,
    open,
    drafts: open(),
    path: join(supportPath, 'drafts', 'chat.json'),
  };
}

describe('the draft', () => {
  it('is there at the next launch half a second after the last key', () => {
    const { drafts, pass, open } = setUp();
    expect(drafts.load()).toBe('');
    drafts.set('How lo');
    drafts.set('How long 茶?');
    expect(open().load()).toBe('');
    pass(499);
    expect(open().load()).toBe('How long 茶?');
  });

  it('is saved on the way when the typing never pauses', () => {
    const { drafts, pass, open } = setUp();
    for (let keys = 1; keys <= 10; keys += 1) {
      drafts.set('x'.repeat(keys));
      pass(100);
    }
    expect(open().load().length).toBeGreaterThan(5);
  });

  it('is private, and an empty one leaves no file', () => {
    const { drafts, pass, path } = setUp();
    drafts.set('tea');
    pass(500);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    drafts.set('');
    pass(500);
    expect(existsSync(path)).toBe(false);
    drafts.set('more');
    drafts.clear();
    pass(500);
    expect(existsSync(path)).toBe(false);
  });

  it('is saved at once when the command is unloaded, and not after', () => {
    const { drafts, pass, open } = setUp();
    drafts.set('first');
    drafts.saveSync();
    expect(open().load()).toBe('first');
    drafts.set('second');
    drafts.close();
    drafts.set('third');
    drafts.saveSync();
    drafts.clear();
    pass(500);
    expect(open().load()).toBe('second');
  });

  it('belongs to one command, whatever its name', () => {
    const { supportPath, drafts } = setUp();
    const other = setUp(supportPath, '../documents').drafts;
    drafts.set('chat');
    drafts.saveSync();
    other.set('documents');
    other.saveSync();
    expect([drafts.load(), other.load()]).toEqual(['chat', 'documents']);
    expect(readdirSync(supportPath)).toEqual(['drafts']);
  });

  it.each(['', 'no JSON', '[]', '{"version":2,"text":"a"}', '{"version":1,"text":7}'])(
    'that cannot be read is empty and can be written again: %j',
    (content) => {
      const { supportPath, drafts, path } = setUp();
      mkdirSync(join(supportPath, 'drafts'));
      writeFileSync(path, content);
      expect(drafts.load()).toBe('');
      drafts.set('new');
      drafts.saveSync();
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 1, text: 'new' });
    },
  );

  it('disturbs nobody when it cannot be kept', () => {
    const { supportPath, drafts, path } = setUp();
    writeFileSync(join(supportPath, 'drafts'), 'a file in the way');
    drafts.set('tea');
    drafts.saveSync();
    drafts.clear();
    expect(existsSync(path)).toBe(false);
    expect(drafts.load()).toBe('');
  });
});
