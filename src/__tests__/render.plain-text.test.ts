import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { inertText, plain } from '../lib/render';

import { drawPlainText } from './support/pane-model';

/** Strings that act in a label of the launcher, or that show something else than they say. */
const hostile: [string, string, string][] = [
  ['a tag that loads', '<img src="http://t.example/p"> Tea', '‹img src="http://t.example/p"› Tea'],
  ['its unquoted form', '<img src=http://t.example/p>', '‹img src=http://t.example/p›'],
  ['an entity stays as it is written', 'a &lt;b&gt; &amp; c', 'a &lt;b&gt; &amp; c'],
  ['an entity beside a tag', '<b>&lt;img src="x"&gt;</b>', '‹b›&lt;img src="x"&gt;‹/b›'],
  ['an entity behind a line break', 'a\n&lt;b&gt;', 'a &lt;b&gt;'],
  [
    'an entity behind other line ends',
    'a\r&lt;b&gt;\u2028c\u2029d\u0085e\vf\fg',
    'a &lt;b&gt; c de f g',
  ],
  ['direction marks', 'invoice\u202Efdp.exe \u2067x\u2069', 'invoicefdp.exe x'],
  ['control characters', 'a\u0000\u0007\u001B[31mb', 'a[31mb'],
  ['text hidden in tag characters', 'Tea\u{E0068}\u{E0069}', 'Tea'],
  ['fillers that draw nothing', '\u3164\u115F\u2800', ''],
  ['half a surrogate pair', 'a\uD800b\uDC00', 'a\uFFFDb\uFFFD'],
  ['joined emoji are kept', '👩‍👩‍👧 می‌خواهم', '👩‍👩‍👧 می‌خواهم'],
];

describe('inertText', () => {
  it.each(hostile)('%s', (_why, text, expected) => {
    expect(inertText(text)).toBe(expected);
  });

  it('counts code points and says that something is missing', () => {
    expect(inertText('👍👍👍👍', 3)).toBe('👍👍👍…');
    expect(inertText('abc', 3)).toBe('abc');
    expect(inertText('ab  cdef', 3)).toBe('ab…');
  });

  it('for every string: one line, nothing loads, what is drawn is what it holds, stable', () => {
    const pieces = fc.constantFrom(
      ...hostile.map(([, text]) => text),
      '<',
      '>',
      '&',
      '"',
      '\n',
      'a',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (foreign, max) => {
        const line = inertText(foreign, max);
        expect(line).not.toMatch(/[<>\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202A-\u202E\u2066-\u2069]/u);
        expect(Array.from(line).length).toBeLessThanOrEqual(max + 1);
        expect(drawPlainText(line)).toEqual({ text: line, fetches: [] });
        expect(inertText(line, max + 1)).toBe(line);
      }),
    );
  });
});

describe('plain', () => {
  it.each([
    ['words alone', plain`Ask Lam…`, 'Ask Lam…'],
    ['a number', plain`${3} sources`, '3 sources'],
    [
      'foreign text',
      plain`“${'<b>\nx'}” cannot be brought back.`,
      '“‹b› x” cannot be brought back.',
    ],
    ['text that is inert already', plain`${inertText('<a>', 2)} of 2`, '‹a… of 2'],
  ])('%s', (_why, text, expected) => {
    expect(text).toBe(expected);
  });
});
