import {
  existsSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { withLock, withLockSync } from '../host/store/lock';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

function lockAged(path: string, seconds: number): void {
  writeFileSync(path, '');
  const time = new Date(Date.now() - seconds * 1_000);
  utimesSync(path, time, time);
}

describe('the lock', () => {
  it('is there during the section and gone afterwards, also when the section throws', async () => {
    const path = join(tempFolder(), 'tea.lock');
    const seen = await withLock(path, (isHeld) => [existsSync(path), isHeld()]);
    expect(seen).toEqual({ value: [true, true] });
    expect(() =>
      withLockSync(path, () => {
        throw new Error('in the section');
      }),
    ).toThrow('in the section');
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ['old', 10],
    ['of a clock that was set back', -3_600],
  ])('is broken when it is %s', async (_, age) => {
    const folder = tempFolder();
    const path = join(folder, 'tea.lock');
    lockAged(path, age);
    expect(await withLock(path, () => 'in')).toEqual({ value: 'in' });
    lockAged(path, age);
    expect(withLockSync(path, () => 'in')).toEqual({ value: 'in' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that is fresh is waited for', async () => {
    const path = join(tempFolder(), 'tea.lock');
    lockAged(path, 0);
    let isFree = false;
    const waiting = withLock(path, () => isFree);
    setTimeout(() => {
      isFree = true;
      unlinkSync(path);
    }, 50);
    expect(await waiting).toEqual({ value: true });
  });

  it('of a holder that does not come back is given up by somebody who may not block longer', () => {
    const path = join(tempFolder(), 'tea.lock');
    lockAged(path, 0);
    expect(withLockSync(path, () => 'in')).toBeUndefined();
    expect(existsSync(path)).toBe(true);
  });

  it('says when it was broken under its holder, and leaves the new one alone', () => {
    const path = join(tempFolder(), 'tea.lock');
    const held = withLockSync(path, (isHeld) => {
      const before = isHeld();
      lockAged(path, 10);
      const during = withLockSync(path, () => isHeld());
      writeFileSync(path, 'a new holder');
      return { before, during, after: isHeld() };
    });
    expect(held).toEqual({ value: { before: true, during: { value: false }, after: false } });
    expect(readFileSync(path, 'utf8')).toBe('a new holder');
  });
});
