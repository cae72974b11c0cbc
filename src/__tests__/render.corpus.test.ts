import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { scan } from '../lib/code';
import { createRenderStream, renderModelOutput } from '../lib/render';
import type { Source } from '../lib/types';

import { drawPane, undrawnWords } from './support/pane-model';

/** Answers as models write them; what the pane shows of each is kept beside it, for a reader to judge. */
const folder = new URL('./fixtures/answers/', import.meta.url);
const answers = readdirSync(folder)
  .filter((name) => /^\d.*\.md$/.test(name))
  .map((name) => ({ name, markdown: readFileSync(new URL(name, folder), 'utf8') }));

const sources: Source[] = Array.from({ length: 9 }, (_, i) => ({
  index: i + 1,
  title: `Page ${i + 1}`,
  url: `https://source-${i + 1}.example/page`,
}));

/**
 * Answers whose finished text is not a continuation of what was shown. In each something at the end decides about the
 * beginning.
 */
const REDRAWN: Record<string, string> = {
  '29-footnotes-own-style.md': 'footnotes of its own at the end',
  '30-reference-links.md': 'definitions at the end',
  '32-images-by-url.md': 'definitions at the end',
  '44-citations-all-forms.md': 'definitions at the end',
  '70-everything-mixed.md': 'definitions at the end',
  '76-research-dense-citations.md': 'a table whose third row is too wide',
};

/** Words that are drawn, but not as the word list cuts them, or said elsewhere. */
const EXCEPTIONS: Record<string, readonly string[]> = {
  // `a<b>c` is shown as written, and no tag to the list.
  '18-cpp-templates.md': ['ac'],
  // The last word of a note that only repeats a source.
  '29-footnotes-own-style.md': ['source'],
  // `2*3*4` is shown as written, and emphasis to the list.
  '45-breakage-lists.md': ['234'],
  // A formula right behind it is a letter now.
  '54-chinese-python-maths.md': ['由第二式得'],
};

/** Words that go on purpose: of formulas (they become signs), of definitions and tags, and what a mark is drawn as. */
function goes(markdown: string): (word: string) => boolean {
  const { formulas, definitions } = scan(markdown);
  const syntax = [
    ...formulas.map(({ tex }) => tex),
    ...definitions.map(({ start, end }) => markdown.slice(start, end)),
    ...(markdown.match(/\[[ xX]\]|\[![A-Z]+\]|\]\[[^\]\n]*\]/g) ?? []),
  ].join(' ');
  return (word) => syntax.includes(word);
}

describe('an answer as models write them', () => {
  it.each(answers)('$name: every word is drawn, and nothing acts', ({ name, markdown }) => {
    const drawing = drawPane(renderModelOutput(markdown, { sources }).text);
    const lost = undrawnWords(markdown, drawing);
    const isExpected = goes(markdown);
    expect(lost.filter((word) => !isExpected(word))).toEqual(EXCEPTIONS[name] ?? []);
    expect(drawing.dropped).toEqual([]);
    expect(drawing.fetches).toEqual([]);
    expect(drawing.crashes).toEqual([]);
    expect(drawing.freezes).toBe(false);
    for (const { href } of drawing.links) expect(href).toMatch(/^(?:https?:\/\/|mailto:[^?]+$)/);
  });

  it.each(answers)('$name: drawn as a reader would want it', async ({ name, markdown }) => {
    const { text } = drawPane(renderModelOutput(markdown, { sources }).text);
    await expect(`${text}\n`).toMatchFileSnapshot(
      `./fixtures/answers/drawn/${name.replace(/md$/, 'txt')}`,
    );
  });

  it.each(answers)('$name: only grows while it arrives', ({ name, markdown }) => {
    const stream = createRenderStream({ sources });
    let shown = '';
    for (let at = 0; at < markdown.length; at += 5) {
      const next = stream.push(markdown.slice(at, at + 5));
      expect(next.startsWith(shown)).toBe(true);
      shown = next;
    }
    const { text } = stream.end();
    expect(text).toBe(renderModelOutput(markdown, { sources }).text);
    expect(text.startsWith(shown)).toBe(REDRAWN[name] === undefined);
  });
});
