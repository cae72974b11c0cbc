import { officeText } from './office-text';
import { officeLink, paragraphText } from './office-inline';
import { walkXml } from './office-xml';
import { OfficeProblem, type Parts } from './office-zip';

/** Stands for white space that is meant (`<text:s/>`, line breaks) while the rest is collapsed; private-use characters. */
const BLANK = '\ue000';
const BREAK = '\ue001';

/** Elements whose text is not part of the document as it stands. */
const SKIPPED = new Set([
  'tracked-changes',
  'annotation',
  'annotation-end',
  'note-citation',
  'ruby-text',
  'forms',
  'binary-data',
  'script',
]);

/** Cells of a table that one element may stand for; sheets repeat the empty ones to the edge. */
const MAX_REPEATED = 60;

/**
 * The text of an OpenDocument text (ODF 1.3, part 3): headings, paragraphs, lists, tables, links, notes. Text that was
 * deleted while changes were tracked, and comments, are left out. Throws an `OfficeProblem`.
 */
export async function readOdt(parts: Parts): Promise<{ text: string; cut: boolean }> {
  if (isEncrypted(await parts.read('META-INF/manifest.xml')) || parts.has('encrypted-package'))
    throw new OfficeProblem('protected', 'It is protected by a password.');
  const content = await parts.read('content.xml');
  if (content === undefined) throw new OfficeProblem('broken', 'its text is missing');
  const lists: ListStyles = new Map();
  const titles = new Set(['Title']);
  for (const bytes of [await parts.read('styles.xml'), content])
    if (bytes !== undefined) readStyles(bytes, lists, titles);
  const out = officeText();
  const { cut } = readBody(content, { out, lists, titles });
  const { text, cut: full } = out.finish();
  return { text, cut: cut || full };
}

/** Of each list style, which levels (from 0) are numbered. */
type ListStyles = Map<string, Set<number>>;

function readStyles(bytes: Uint8Array, lists: ListStyles, titles: Set<string>): void {
  let list: Set<number> | undefined;
  walkXml(bytes, {
    open(name, attribute) {
      if (name === 'list-style') {
        list = new Set();
        lists.set(attribute('name') ?? '', list);
      } else if (name === 'list-level-style-number' && (attribute('num-format') ?? '') !== '')
        list?.add(count(attribute('level'), 1) - 1);
      else if (name === 'style' && attribute('parent-style-name') === 'Title')
        titles.add(attribute('name') ?? 'Title');
    },
    close(name) {
      if (name === 'list-style') list = undefined;
    },
  });
}

interface Paragraph {
  text: string;
  /** Of a heading. */
  level: number | undefined;
}

interface List {
  style: string;
  next: number;
  /** True until the first paragraph of an item. */
  isNew: boolean;
}

function readBody(
  bytes: Uint8Array,
  {
    out,
    lists,
    titles,
  }: { out: ReturnType<typeof officeText>; lists: ListStyles; titles: Set<string> },
): { cut: boolean } {
  const paragraphs: Paragraph[] = [];
  const openLists: List[] = [];
  const cells: { columns: number; repeated: number }[] = [];
  const hrefs: { target: string; from: number }[] = [];
  const frames: string[] = [];
  /** What was open around each note. */
  const notes: { number: number; text: string; lists: List[] }[] = [];
  let noteCount = 0;
  let skipped = 0;
  let isBody = false;
  let isDescription = false;
  const add = (text: string): void => {
    const paragraph = paragraphs.at(-1);
    if (paragraph !== undefined) paragraph.text += text;
  };
  const put = ({ text, level }: Paragraph): void => {
    const words = inline(text);
    const note = notes.at(-1);
    if (note !== undefined) {
      note.text += `${words} `;
      return;
    }
    const list = openLists.at(-1);
    if (level !== undefined) out.heading(level, words);
    else if (list === undefined) out.paragraph(words);
    else if (list.isNew && words !== '') {
      const depth = openLists.length - 1;
      const isNumbered = lists.get(styleOf(openLists))?.has(depth) === true;
      out.item(depth, isNumbered ? list.next : undefined, words);
      list.next += 1;
      list.isNew = false;
    } else out.paragraph(words);
  };
  return walkXml(bytes, {
    isFull: out.isFull,
    open(name, attribute) {
      if (name === 'body') isBody = true;
      if (!isBody) return;
      if (skipped > 0 || SKIPPED.has(name)) {
        skipped += 1;
        return;
      }
      switch (name) {
        case 'h':
          paragraphs.push({ text: '', level: Math.max(1, count(attribute('outline-level'), 1)) });
          break;
        case 'p':
          paragraphs.push({
            text: '',
            level: titles.has(attribute('style-name') ?? '') ? 1 : undefined,
          });
          break;
        case 's':
          add(BLANK.repeat(Math.min(count(attribute('c'), 1), 8)));
          break;
        case 'tab':
          add(BLANK);
          break;
        case 'line-break':
          add(BREAK);
          break;
        case 'a':
          hrefs.push({
            target: attribute('href') ?? '',
            from: paragraphs.at(-1)?.text.length ?? 0,
          });
          break;
        case 'list':
          openLists.push({ style: attribute('style-name') ?? '', next: 1, isNew: false });
          break;
        case 'list-item': {
          const list = openLists.at(-1);
          if (list === undefined) break;
          list.isNew = true;
          list.next = count(attribute('start-value'), list.next);
          break;
        }
        case 'note': {
          noteCount += 1;
          add(`[^${noteCount}]`);
          notes.push({
            number: noteCount,
            text: '',
            lists: openLists.splice(0),
          });
          break;
        }
        case 'frame':
          frames.push('');
          break;
        case 'desc':
        case 'title':
          isDescription = frames.length > 0;
          break;
        case 'table':
          out.openTable();
          break;
        case 'table-header-rows':
          out.headRow();
          break;
        case 'table-row':
          out.openRow();
          break;
        case 'table-cell':
          cells.push({
            columns: count(attribute('number-columns-spanned'), 1),
            repeated: Math.min(count(attribute('number-columns-repeated'), 1), MAX_REPEATED),
          });
          out.openCell();
          break;
      }
    },
    text(text) {
      if (!isBody || skipped > 0) return;
      if (isDescription) frames[frames.length - 1] = `${frames.at(-1) ?? ''} ${text}`;
      else add(text);
    },
    close(name) {
      if (!isBody) return;
      if (skipped > 0) {
        skipped -= 1;
        return;
      }
      switch (name) {
        case 'h':
        case 'p': {
          const paragraph = paragraphs.pop();
          if (paragraph !== undefined) put(paragraph);
          break;
        }
        case 'a': {
          const href = hrefs.pop();
          const paragraph = paragraphs.at(-1);
          if (href !== undefined && paragraph !== undefined)
            paragraph.text =
              paragraph.text.slice(0, href.from) +
              officeLink(paragraph.text.slice(href.from), href.target);
          break;
        }
        case 'list':
          openLists.pop();
          break;
        case 'note': {
          const note = notes.pop();
          if (note === undefined) break;
          out.note(note.number, note.text);
          openLists.push(...note.lists);
          break;
        }
        case 'desc':
        case 'title':
          isDescription = false;
          break;
        case 'frame': {
          const words = frames.pop()?.trim() ?? '';
          if (words !== '') add(`(Image: ${words})`);
          break;
        }
        case 'table-cell': {
          const cell = cells.pop();
          out.closeCell(cell?.columns, cell?.repeated);
          break;
        }
        case 'table-row':
          out.closeRow();
          break;
        case 'table':
          out.closeTable();
          break;
      }
    },
  });
}

/** A list inside another has its style unless it names its own (section 19.880). */
function styleOf(lists: readonly List[]): string {
  return lists.findLast(({ style }) => style !== '')?.style ?? '';
}

function inline(text: string): string {
  const words = text.replace(/\s+/g, ' ').replaceAll(BLANK, ' ').replaceAll(BREAK, '\n');
  return paragraphText(words);
}

function count(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : otherwise;
}

function isEncrypted(manifest: Uint8Array | undefined): boolean {
  let found = false;
  if (manifest !== undefined)
    walkXml(manifest, {
      open(name) {
        if (name === 'encryption-data') found = true;
      },
    });
  return found;
}
