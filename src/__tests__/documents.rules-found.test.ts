import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openIndex, putFiles } from './support/document-folders';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();

/** An index of these files. */
function indexOf(files: Record<string, string>) {
  const notes = join(tempFolder(), 'notes');
  mkdirSync(notes);
  putFiles(notes, files);
  return { notes, index: openIndex(tempFolder(), [{ path: notes, name: 'notes' }]) };
}

async function search(files: Record<string, string>, query: string) {
  const outcome = await indexOf(files).index.search(query, new AbortController().signal);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.hits;
}

/** Names of the documents found, best first. */
async function names(files: Record<string, string>, query: string): Promise<string[]> {
  return (await search(files, query)).map(({ document }) => document.name.slice('notes/'.length));
}

/** Words in none of the questions, which make a text longer. */
const filler = (sentences: number): string => 'Nothing else is told here. '.repeat(sentences);

describe('the order of what is found', () => {
  it.each<[string, Record<string, string>, string, string[]]>([
    [
      'what is said often before what is said once',
      { 'a.md': `Oolong. ${filler(3)}`, 'b.md': `Oolong, oolong, oolong. ${filler(3)}` },
      'oolong',
      ['b.md', 'a.md'],
    ],
    [
      'short before long',
      { 'a.md': `Oolong. ${filler(20)}`, 'b.md': 'Oolong grows here.' },
      'oolong',
      ['b.md', 'a.md'],
    ],
    [
      'of what is alike the first by name',
      { 'c.md': 'Oolong.', 'a.md': 'Oolong.', 'b.md': 'Oolong.' },
      'oolong',
      ['a.md', 'b.md', 'c.md'],
    ],
    [
      'more of the words before fewer',
      {
        ...Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`${n}.md`, 'Sencha grows.'])),
        'a.md': 'Oolong from Fujian.',
        'b.md': 'Oolong, roasted, from Fujian.',
      },
      'roasted oolong',
      ['b.md', 'a.md'],
    ],
    [
      'another ending before a slip',
      { 'a.md': 'A spire.', 'b.md': 'The spices.' },
      'spice',
      ['b.md', 'a.md'],
    ],
    [
      'the title before the text',
      { 'a.md': `${filler(1)}Brewing.`, 'b.md': `Brewing\n\n${filler(1)}Brewing.` },
      'brewing',
      ['b.md', 'a.md'],
    ],
  ])('%s', async (_what, files, query, found) => {
    expect(await names(files, query)).toEqual(found);
  });
});

describe('what is not found', () => {
  it.each<[string, Record<string, string>, string, string[]]>([
    [
      'what has only the words that are everywhere',
      {
        ...Object.fromEntries(
          Array.from({ length: 9 }, (_, n) => [`${n}.md`, 'The tea in the pot.']),
        ),
        'rare.md': 'A samovar in the hall.',
      },
      'the samovar in the hall',
      ['rare.md'],
    ],
    ['files by their endings', { 'a.md': 'Oolong.', 'b.txt': 'Sencha.' }, 'md', []],
    ['a slip in three letters', { 'a.md': 'Tea.' }, 'tae', []],
    ['a slip in four letters is', { 'a.md': 'Leaf.' }, 'laef', ['a.md']],
    ['two slips in seven letters', { 'a.md': 'Harbour.' }, 'harbr', []],
    ['two slips in eight letters are', { 'a.md': 'Porcelain.' }, 'porcelan', ['a.md']],
    ['two slips in nine letters are', { 'a.md': 'Porcelain.' }, 'procelein', ['a.md']],
    ['an ending of four letters is', { 'a.md': 'Roastings.' }, 'roasti', ['a.md']],
    ['an ending of five letters', { 'a.md': 'Teaspoonful.' }, 'teaspo', []],
    ['an ending of a longer one', { 'a.md': 'Cookbooks.' }, 'cook', []],
    ['another first letter', { 'a.md': 'Harbour.' }, 'barbour', []],
  ])('%s', async (_what, files, query, found) => {
    expect(await names(files, query)).toEqual(found);
  });

  it('words of a question beyond the 48th', async () => {
    const words = Array.from({ length: 60 }, (_, n) => `w${n + 1}`);
    const files = { 'a.md': 'w48', 'b.md': 'w49' };
    expect(await names(files, words.join(' '))).toEqual(['a.md']);
  });
});

describe('long words and questions', () => {
  const LONG = 'Donaudampfschifffahrtsgesellschaftsuhr';
  it.each<[string, Record<string, string>, string, string[]]>([
    ['a word of 38 letters', { 'a.md': `Die ${LONG} geht.` }, LONG, ['a.md']],
    ['one that has 40 letters in common', { 'a.md': 'x'.repeat(50) }, 'x'.repeat(41), ['a.md']],
    ['a word late in a question', { 'a.md': 'Samovar.' }, `${'tea '.repeat(98)}samovar`, ['a.md']],
    ['one that is too late', { 'a.md': 'Samovar.' }, `${'tea '.repeat(100)}samovar`, []],
  ])('%s', async (_what, files, query, found) => {
    expect(await names(files, query)).toEqual(found);
  });
});

describe('the passages of a document', () => {
  const told = (units: number): string =>
    `${`Oolong ${'is told of at length '.repeat(99)}`.slice(0, units - 1)}.`;
  const apart = `\n\n${'x'.repeat(1_190)}\n\n`;
  const textsOf = async (text: string, query = 'oolong'): Promise<string[]> =>
    (await search({ 'a.md': text }, query)).flatMap(({ passages }) =>
      passages.map(({ text: found }) => found),
    );

  it('are four at most, in the order of the text', async () => {
    const parts = [1, 2, 3, 4, 5, 6].map((number) => `Oolong is part${number}.`);
    expect(await textsOf(parts.join(apart))).toEqual(parts.slice(0, 4));
    // The best one is the last.
    const best = 'Oolong, and more oolong.';
    expect(await textsOf([...parts, best].join(apart))).toEqual([...parts.slice(0, 3), best]);
  });

  it('are joined with their neighbours up to 1,500 units', async () => {
    const [one, other] = [told(700), told(798)];
    expect(await textsOf(`${one}\n\n${other}`)).toEqual([`${one}\n\n${other}`]);
    expect(await textsOf(`${one}\n\n${other}x`)).toEqual([one, `${other}x`]);
  });

  it('are of eight documents at most', async () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.md`, 'Oolong.']));
    expect(await names(files, 'oolong')).toHaveLength(8);
  });

  it('are of further documents too where one has many', async () => {
    const many = Array.from({ length: 150 }, () => 'Oolong.').join(apart);
    const files = { 'a.md': many, 'b.md': `Oolong. ${filler(9)}` };
    expect(await names(files, 'oolong')).toEqual(['a.md', 'b.md']);
  });

  it('have short neighbours with them, and nothing of another page', async () => {
    expect(await textsOf('- oolong\n\nGrows.\n\nIs picked.\n')).toEqual([
      '- oolong\n\nGrows.\n\nIs picked.',
    ]);
    expect(await textsOf('One.\fOolong.\fTwo.')).toEqual(['Oolong.']);
    // Those that have less than 600 units before them.
    const near = ['# Notes', told(200), filler(7).trim(), filler(7).trim()].join('\n\n');
    expect(await textsOf(`${near}\n\n${filler(23)}`)).toEqual([near]);
  });
});

describe('rules of a folder', () => {
  it.each<[string, Record<string, string>, string[]]>([
    [
      'those of packages and of version control',
      { 'bower_components/a.md': '', '_darcs/b.md': '', 'CVS/c.md': '', 'node_modules/d.md': '' },
      [],
    ],
    ['a hidden folder further down', { 'a/b/.c/d.md': '', 'a/b/.e.md': '' }, []],
    [
      'a folder that is left out stays so, whatever stands in it',
      { '.gitignore': 'out/', 'out/.gitignore': '!a.md', 'out/a.md': '' },
      [],
    ],
    [
      'what is taken back where it is left out',
      { '.gitignore': '*.md\n!keep.md', 'a.md': '', 'b/keep.md': '', 'b/c.md': '' },
      ['b/keep.md'],
    ],
    [
      'what a folder in it takes back',
      { '.gitignore': '*.md', 'b/.gitignore': '!c.md', 'b/c.md': '', 'b/d/c.md': '', 'c.md': '' },
      ['b/c.md', 'b/d/c.md'],
    ],
    [
      'a path from the folder of the rule',
      { 'x/.gitignore': '/y/a.md', 'x/y/a.md': '', 'x/z/y/a.md': '', 'y/a.md': '' },
      ['x/z/y/a.md', 'y/a.md'],
    ],
    ['a folder only', { '.gitignore': 'out/', 'x/out': '', 'y/out/a.md': '' }, ['x/out']],
    [
      'a large file of rules',
      { '.gitignore': `${`# ${'words '.repeat(20)}\n`.repeat(1_500)}a.md`, 'a.md': '', 'b.md': '' },
      ['b.md'],
    ],
    [
      'one that is too large, which has none',
      { '.gitignore': `${`# ${'words '.repeat(20)}\n`.repeat(2_500)}a.md`, 'a.md': '', 'b.md': '' },
      ['a.md', 'b.md'],
    ],
  ])('hold for what is listed and for what is read: %s', async (_what, files, left) => {
    const texts = Object.entries(files).map(([name, text]) => [
      name,
      text === '' ? 'Oolong.' : text,
    ]);
    const { index } = indexOf(Object.fromEntries(texts) as Record<string, string>);
    await index.update();
    const listed = index.status().files.map(({ name }) => name.slice('notes/'.length));
    expect(listed.toSorted()).toEqual(left.toSorted());
    for (const name of Object.keys(files)) {
      const outcome = await index.read(`notes/${name}`, new AbortController().signal);
      expect([name, outcome.ok]).toEqual([name, left.includes(name)]);
      if (!outcome.ok) expect(outcome.status).toBe('refused');
    }
  });
});

describe('the name of a document', () => {
  const FILES = {
    'tea/Caf\u00e9.md': 'Composed.',
    'tea/CAF\u00c9.md': 'In capitals.',
    'tea/the\u0301.md': 'Decomposed.',
    'tea/U\u0308ber.md': 'Decomposed, one of two.',
    'tea/\u00dcber.md': 'Composed, one of two.',
    'tea/STRASSE.md': 'Upper case.',
  };
  it.each<[string, string, string | undefined]>([
    ['as it is', 'notes/tea/Caf\u00e9.md', 'Composed.'],
    ['with another form of accents', 'notes/tea/Cafe\u0301.md', 'Composed.'],
    ['with the composed form of a decomposed name', 'notes/tea/th\u00e9.md', 'Decomposed.'],
    ['with other accents and case at once', 'notes/tea/TH\u00c9.md', 'Decomposed.'],
    ['that only differs in the form', 'notes/tea/U\u0308ber.md', 'Decomposed, one of two.'],
    [
      'that only differs in the form, the other one',
      'notes/tea/\u00dcber.md',
      'Composed, one of two.',
    ],
    ['that may be one of two', 'notes/tea/\u00fcber.md', undefined],
    ['in another case', 'notes/TEA/strasse.MD', 'Upper case.'],
    ['with a slash at its end', 'notes/tea/STRASSE.md/', 'Upper case.'],
    ['of the folder in another case', 'Notes/tea/STRASSE.md', undefined],
    ['with blanks around', ' notes/tea/STRASSE.md', undefined],
    ['with other slashes', 'notes\\tea\\STRASSE.md', undefined],
    ['with encoded dots', 'notes/%2e%2e/tea/STRASSE.md', undefined],
    ['without its folder', 'tea/STRASSE.md', undefined],
  ])('%s', async (_what, name, text) => {
    const { index } = indexOf(FILES);
    const outcome = await index.read(name, new AbortController().signal);
    expect(outcome.ok ? outcome.text : undefined).toBe(text);
    if (!outcome.ok) expect(outcome.status).toBe('not-found');
  });

  it('leads to nothing outside, whatever link stands there', async () => {
    const { notes, index } = indexOf({ 'a.md': 'Oolong.' });
    putFiles(join(notes, '..'), { 'notes-2/b.md': 'Sencha.', 'c.md': 'Matcha.' });
    symlinkSync('../notes-2', join(notes, 'more'));
    symlinkSync('../c.md', join(notes, 'c.md'));
    for (const name of ['more/b.md', 'c.md', 'more/../a.md', '../c.md', 'more/..', '..'])
      expect((await index.read(`notes/${name}`, new AbortController().signal)).ok).toBe(false);
    expect(await index.read('notes/a.md', new AbortController().signal)).toMatchObject({
      ok: true,
    });
  });

  it('is cut in the sentence about it', async () => {
    const { index } = indexOf({ 'a.md': 'Oolong.' });
    const outcome = await index.read(`notes/${'x'.repeat(5_000)}`, new AbortController().signal);
    expect(outcome).toEqual({
      ok: false,
      status: 'not-found',
      message: `There is no document "notes/${'x'.repeat(114)}…".`,
    });
  });
});
