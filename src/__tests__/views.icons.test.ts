import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { LAUNCHER_ICON_NAMES, LAUNCHER_ICONS } from './support/pane/launcher-icons';
import { ICONS, STATE_ICONS } from '../views/icons';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.tsx') && !path.startsWith('__'))
  .map((path) => ({ path, text: readFileSync(join('src', path), 'utf8') }));

describe('icons', () => {
  it('are members that the launcher’s own Icon has too', () => {
    const used = [...readFileSync('src/views/icons.ts', 'utf8').matchAll(/\bIcon\.(\w+)/g)];
    const names = used.map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !LAUNCHER_ICON_NAMES.includes(name))).toEqual([]);
  });

  it('have a picture', () => {
    const values = [...Object.values(ICONS), ...Object.values(STATE_ICONS)];
    expect(values.filter((value) => !LAUNCHER_ICONS.has(value))).toEqual([]);
  });

  it('are named in one file only', () => {
    const strangers = sources.filter(({ text }) => /\bIcon\.[A-Z]/.test(text));
    expect(sources.length).toBeGreaterThan(10);
    expect(strangers.map(({ path }) => path)).toEqual([]);
  });

  it.each(['Document', 'Gear', 'Globe', 'Message', 'Bubble', 'EyeSlash', 'Number07'])(
    'never Icon.%s, which is typed and not there',
    (name) => {
      expect(LAUNCHER_ICON_NAMES).not.toContain(name);
    },
  );

  it('tell the states of an exchange apart', () => {
    expect(new Set(Object.values(STATE_ICONS)).size).toBe(Object.keys(STATE_ICONS).length);
  });
});
