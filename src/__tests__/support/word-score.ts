import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The words of a text, lower-cased; scripts without blanks give one word a character. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** How well a text holds the expected words, each as often as expected: 1 = all of them and no other (F1, as in `2pr / (p + r)`). */
export function wordScore(
  found: readonly string[],
  expected: readonly string[],
): { precision: number; recall: number; f1: number } {
  const left = new Map<string, number>();
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of found) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    hits += 1;
    left.set(word, count - 1);
  }
  const precision = hits / Math.max(1, found.length);
  const recall = hits / Math.max(1, expected.length);
  return {
    precision,
    recall,
    f1: hits === 0 ? 0 : (2 * precision * recall) / (precision + recall),
  };
}

/** A page of `fixtures/pages`, without its marks, and what a reader wants of it. */
export interface PageFixture {
  name: string;
  html: string;
  /** The words between the marks `<!--main-->` and `<!--/main-->`, in order. */
  wanted: string[];
  /** Words of the page that stand nowhere between them: what frames it. */
  unwanted: string[];
}

const FOLDER = join(import.meta.dirname, '../fixtures/pages');
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function visibleText(html: string): string {
  return html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<img\s(?:[^>]*\s)?alt="([^"]*)"[^>]*>/g, ' Image $1 ')
    .replace(/<math\s(?:[^>]*\s)?alttext="([^"]*)"[\s\S]*?<\/math>/g, ' $1 ')
    .replace(/<\/?(?:[abi]|em|strong|code|span|sup)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot);/g, (_whole, name: string) => ENTITIES[name] ?? '');
}

/** The twenty pages: our own words about an island that does not exist, framed as pages of their kind are. */
export function pageFixtures(): PageFixture[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.html'))
    .sort()
    .map((file) => {
      const source = readFileSync(join(FOLDER, file), 'utf8');
      const parts = Array.from(
        source.matchAll(/<!--main-->([\s\S]*?)<!--\/main-->/g),
        ([, part = '']) => part,
      );
      const wanted = wordsOf(parts.map(visibleText).join(' '));
      const inside = new Set(wanted);
      const html = source.replace(/<!--\/?main-->/g, '');
      return {
        name: file.replace('.html', ''),
        html,
        wanted,
        unwanted: [...new Set(wordsOf(visibleText(html)))].filter((word) => !inside.has(word)),
      };
    });
}

/** The words of Markdown as a reader sees them: link addresses, languages of code and list numbers are none. */
export function markdownWords(markdown: string): string[] {
  return wordsOf(
    markdown
      .replace(/\]\(<?[^()<>\s]*>?\)/g, ']')
      .replace(/```[\w+#.-]*\n/g, '\n')
      .replace(/^\s*\d+\. /gm, ''),
  );
}
