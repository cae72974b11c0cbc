import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createThinkSplitter } from '../host/providers/think-tags';

function split(chunks: readonly string[]): { reasoning: string; text: string } {
  const splitter = createThinkSplitter();
  const pieces = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  const join = (kind: string) =>
    pieces
      .filter((piece) => piece.kind === kind)
      .map(({ text }) => text)
      .join('');
  return { reasoning: join('reasoning'), text: join('text') };
}

const cases: [name: string, content: string, reasoning: string, text: string][] = [
  ['no tag', 'Salt.', '', 'Salt.'],
  ['think', '<think>Rivers?</think>Salt.', 'Rivers?', 'Salt.'],
  ['thinking', '<thinking>Rivers?</thinking>Salt.', 'Rivers?', 'Salt.'],
  [
    'white space around tags',
    '\n<think>\nRivers?\n\nRain.\n</think>\n\nSalt.\n',
    'Rivers?\n\nRain.',
    'Salt.\n',
  ],
  ['empty block', '<think>\n\n</think>\n\nSalt.', '', 'Salt.'],
  ['unclosed', '<think>Rivers and', 'Rivers and', ''],
  ['unclosed, part of a closing tag', '<think>a </thin', 'a </thin', ''],
  ['closing tag of the other name', '<think>a</thinking>b</think>c', 'a</thinking>b', 'c'],
  ['literal tag later', 'Use `<think>` and </think>.', '', 'Use `<think>` and </think>.'],
  ['literal tag after reasoning', '<think>a</think>b <think>c</think>', 'a', 'b <think>c</think>'],
  ['closing tag only', 'a</think>b', '', 'a</think>b'],
  ['beginning of a tag only', '<thi', '', '<thi'],
  ['another tag', '<b>bold</b>', '', '<b>bold</b>'],
  ['white space only', ' \n', '', ' \n'],
  ['leading white space', '  Salt.', '', '  Salt.'],
  ['nothing', '', '', ''],
];

describe('think tags', () => {
  it.each(cases)('%s', (_name, content, reasoning, text) => {
    expect(split([content])).toEqual({ reasoning, text });
  });

  it.each(cases)('%s, one character at a time', (_name, content, reasoning, text) => {
    expect(split(Array.from(content))).toEqual({ reasoning, text });
  });

  it('shows plain text at once and reasoning before its end', () => {
    expect(createThinkSplitter().push('Salt comes')).toEqual([
      { kind: 'text', text: 'Salt comes' },
    ]);
    expect(createThinkSplitter().push('<think>Rivers')).toEqual([
      { kind: 'reasoning', text: 'Rivers' },
    ]);
  });

  it('does not depend on the cuts', () => {
    const part = fc.constantFrom(
      '<think>',
      '</think>',
      '<thinking>',
      '</',
      '<',
      ' ',
      '\n',
      'a',
      'é',
    );
    fc.assert(
      fc.property(
        fc.array(part),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (parts, sizes) => {
          const content = parts.join('');
          const chunks: string[] = [];
          for (let at = 0; at < content.length;) {
            const size = sizes[chunks.length % sizes.length] ?? 1;
            chunks.push(content.slice(at, at + size));
            at += size;
          }
          expect(split(chunks)).toEqual(split([content]));
        },
      ),
    );
  });

  it('loses no character but tags and the white space around them', () => {
    const part = fc.constantFrom('<think>', '</think>', ' ', 'a', 'b', '<');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const content = parts.join('');
        const { reasoning, text } = split([content]);
        const bare = (value: string) => value.replace(/\s|<\/?think>/g, '');
        expect(bare(reasoning + text)).toBe(bare(content));
      }),
    );
  });
});
