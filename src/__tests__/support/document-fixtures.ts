import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { docxFile, wordParagraph } from './office-files';
import { pdfFile } from './pdf-files';

/** What stands in the fixtures, word for word, where tests quote it. */
export const WORDS = {
  german: 'Der Felsentee wird zwölf Stunden über Holzkohle geröstet und drei Wochen gelagert.',
  english: 'The dragon kiln reached 1,280 degrees after three days of firing.',
  chinese: '龙井茶的炒制温度约为八十度，炒茶师傅用手感来判断火候。',
  /** On the second page of three. */
  pdf: 'The Cloud Garden yielded nine crates of leaf in a spring of heavy fog.',
  docx: 'The lease of the drying house runs until 2031 and costs 400 crowns a year.',
  hidden: 'The key of the drying house lies under the third stone.',
  outside: 'The recipe of the family is not to be shown to anybody.',
} as const;

/** A folder of notes and papers in several languages, with files in it that are not to be read, or cannot be. */
export interface Papers {
  /** Its name is `Papers`. */
  path: string;
  /** The path of a file in it. */
  file: (name: string) => string;
}

/** Writes the fixtures below an empty folder: `Papers/`, and beside it what a link leads to. */
export function putPapers(folder: string): Papers {
  const path = join(folder, 'Papers');
  const file = (name: string): string => join(path, name);
  mkdirSync(file('notes'), { recursive: true });
  writeFileSync(join(folder, 'recipe.md'), `# Recipe\n\n${WORDS.outside}\n`);

  const files: Record<string, string | Buffer> = {
    'notes/röstung.md': `# Röstung\n\n${WORDS.german}\n\nDie Glut wird mit Asche bedeckt, damit keine Flamme an das Blatt kommt.\n`,
    'notes/kiln.md': `# Kiln notes\n\n${WORDS.english}\n\nPine wood was burned at the end: its long flame carries the heat up the slope.\n`,
    'notes/龙井.md': `# 龙井笔记\n\n${WORDS.chinese}\n\n清明节前采摘的茶叶最为鲜嫩。\n`,
    'report.pdf': pdfFile({
      title: 'The garden report',
      pages: [
        { lines: ['Low Terrace', '', 'The Low Terrace was pruned in January by four gardeners.'] },
        { lines: ['Cloud Garden', '', WORDS.pdf] },
        {
          lines: ['Chapel Slope', '', 'The walls of the Chapel Slope were mended with dry stone.'],
        },
      ],
    }),
    'lease.docx': docxFile({
      title: 'Lease',
      body: `${wordParagraph('Lease', { style: 'Titel' })}${wordParagraph(WORDS.docx)}`,
    }),
    '.hidden.md': `# Keys\n\n${WORDS.hidden}\n`,
    'locked.pdf': pdfFile({ pages: [{ lines: ['Nobody reads this.'] }], password: 'verbena' }),
    'broken.pdf': `%PDF-1.4\n${'no objects here '.repeat(40)}`,
    'leaf.png': Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(64)]),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(file(name), content);
  symlinkSync(join(folder, 'recipe.md'), file('recipe.md'));
  return { path, file };
}
