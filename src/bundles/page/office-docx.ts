import { officeText } from './office-text';
import { officeLink, paragraphText } from './office-inline';
import { walkXml } from './office-xml';
import { OfficeProblem, type Parts } from './office-zip';
import { numberings, styles, targets, type Numberings, type Styles } from './office-docx-parts';

/** What a paragraph is, as its properties say. */
interface Paragraph {
  text: string;
  style: string;
  level: number | undefined;
  list: string | undefined;
  depth: number | undefined;
}

/** Elements whose text is not part of the document as it stands: what was moved away, and second copies of a drawing. */
const SKIPPED = new Set(['moveFrom', 'Fallback', 'del', 'instrText', 'rPrChange', 'pPrChange']);

/** Where the text stands unless the container says otherwise. */
const MAIN_PART = 'word/document.xml';

/**
 * The text of a Word document (ECMA-376, part 1): headings by the styles, which are called `heading 1` in every language,
 * lists, tables, links, footnotes and endnotes. What was deleted while changes were tracked is left out.
 */
export async function readDocx(parts: Parts): Promise<{ text: string; cut: boolean }> {
  const roots = targets(await parts.read('_rels/.rels'));
  const main =
    [...roots.values()].find(({ type }) => type.endsWith('/officeDocument'))?.target ?? MAIN_PART;
  const name = parts.has(main.replace(/^\//, '')) ? main.replace(/^\//, '') : MAIN_PART;
  const body = await parts.read(name);
  if (body === undefined) throw new OfficeProblem('broken', 'its text is missing');
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  const file = name.slice(folder.length);
  const context: Context = {
    out: officeText(),
    styles: styles(await parts.read(`${folder}styles.xml`)),
    numberings: numberings(await parts.read(`${folder}numbering.xml`)),
    links: targets(await parts.read(`${folder}_rels/${file}.rels`)),
    counters: new Map(),
    notes: new Map(),
  };
  let { cut } = readBody(body, context);
  for (const [part, kind] of [
    ['footnotes.xml', 'footnote'],
    ['endnotes.xml', 'endnote'],
  ] as const) {
    const bytes = context.notes.size === 0 ? undefined : await parts.read(folder + part);
    if (bytes !== undefined && readNotes(bytes, kind, context).cut) cut = true;
  }
  const { text, cut: full } = context.out.finish();
  return { text, cut: cut || full };
}

interface Context {
  out: ReturnType<typeof officeText>;
  styles: Styles;
  numberings: Numberings;
  links: ReturnType<typeof targets>;
  /** The next number of each level of each list. */
  counters: Map<string, number[]>;
  /** `footnote 3` → the number it has in the text. */
  notes: Map<string, number>;
}

function readBody(bytes: Uint8Array, context: Context): { cut: boolean } {
  const { out } = context;
  const open: Paragraph[] = [];
  const cells: { span: number; goesOn: boolean }[] = [];
  const hrefs: { target: string; from: number }[] = [];
  let skipped = 0;
  let isText = false;
  const add = (text: string): void => {
    const paragraph = open.at(-1);
    if (paragraph !== undefined) paragraph.text += text;
  };
  return walkXml(bytes, {
    isFull: out.isFull,
    open(name, attribute) {
      if (skipped > 0 || SKIPPED.has(name)) {
        skipped += 1;
        return;
      }
      const paragraph = open.at(-1);
      const cell = cells.at(-1);
      switch (name) {
        case 'p':
          open.push({ text: '', style: '', level: undefined, list: undefined, depth: undefined });
          break;
        case 'pStyle':
          if (paragraph !== undefined) paragraph.style = attribute('val') ?? '';
          break;
        case 'outlineLvl':
          if (paragraph !== undefined) paragraph.level = integer(attribute('val'));
          break;
        case 'numId':
          if (paragraph !== undefined) paragraph.list = attribute('val');
          break;
        case 'ilvl':
          if (paragraph !== undefined) paragraph.depth = integer(attribute('val'));
          break;
        case 't':
          isText = true;
          break;
        case 'tab':
        case 'ptab':
          // The tab stops of the properties are elements of this name too, and stand before any text.
          if (paragraph !== undefined && paragraph.text !== '') add('\t');
          break;
        case 'br':
        case 'cr':
          if (attribute('type') !== 'page') add('\n');
          break;
        case 'noBreakHyphen':
          add('\u2011');
          break;
        case 'docPr': {
          const words = attribute('descr')?.trim() ?? '';
          if (words !== '') add(`(Image: ${words})`);
          break;
        }
        case 'hyperlink':
          hrefs.push({
            target: context.links.get(attribute('id') ?? '')?.target ?? '',
            from: paragraph?.text.length ?? 0,
          });
          break;
        case 'footnoteReference':
        case 'endnoteReference': {
          const id = attribute('id');
          if (id !== undefined) add(reference(`${name.slice(0, -9)} ${id}`, context));
          break;
        }
        case 'tbl':
          out.openTable();
          break;
        case 'tr':
          out.openRow();
          break;
        case 'tblHeader':
          out.headRow();
          break;
        case 'tblLook':
          if (hasFirstRow(attribute)) out.headRow();
          break;
        case 'tc':
          cells.push({ span: 1, goesOn: false });
          out.openCell();
          break;
        case 'gridSpan':
          if (cell !== undefined) cell.span = integer(attribute('val')) ?? 1;
          break;
      }
    },
    text(text) {
      if (skipped === 0 && isText) add(text);
    },
    close(name) {
      if (skipped > 0) {
        skipped -= 1;
        return;
      }
      switch (name) {
        case 't':
          isText = false;
          break;
        case 'p': {
          const paragraph = open.pop();
          if (paragraph !== undefined) putParagraph(paragraph, context);
          break;
        }
        case 'hyperlink': {
          const href = hrefs.pop();
          const paragraph = open.at(-1);
          if (href !== undefined && paragraph !== undefined)
            paragraph.text =
              paragraph.text.slice(0, href.from) +
              officeLink(paragraph.text.slice(href.from), href.target);
          break;
        }
        case 'tc':
          out.closeCell(cells.pop()?.span);
          break;
        case 'tr':
          out.closeRow();
          break;
        case 'tbl':
          out.closeTable();
          break;
      }
    },
  });
}

/** A paragraph is a heading, an item of a list, or neither; its own properties come before those of its style. */
function putParagraph({ text, style, level, list, depth }: Paragraph, context: Context): void {
  const words = paragraphText(text);
  const found = context.styles.get(style);
  const heading = level ?? found?.level;
  if (heading !== undefined && heading < 9) {
    context.out.heading(heading + 1, words);
    return;
  }
  const id = list ?? found?.list;
  const format = id === undefined ? undefined : context.numberings.get(id)?.[depth ?? 0];
  if (id === undefined || format === undefined || format.isPlain) context.out.paragraph(words);
  else if (words !== '')
    context.out.item(depth ?? 0, nextNumber(id, depth ?? 0, format, context), words);
}

function nextNumber(
  id: string,
  depth: number,
  { isBullet, start }: { isBullet: boolean; start: number },
  { counters }: Context,
): number | undefined {
  const counter = counters.get(id) ?? [];
  counters.set(id, counter);
  const number = counter[depth] ?? start;
  counter.length = Math.min(depth, counter.length);
  counter[depth] = number + 1;
  return isBullet ? undefined : number;
}

function reference(note: string, { notes }: Context): string {
  const number = notes.get(note) ?? notes.size + 1;
  notes.set(note, number);
  return `[^${number}]`;
}

function readNotes(
  bytes: Uint8Array,
  kind: 'footnote' | 'endnote',
  { out, notes }: Context,
): { cut: boolean } {
  let number: number | undefined;
  let text = '';
  let skipped = 0;
  let isText = false;
  return walkXml(bytes, {
    isFull: out.isFull,
    open(name, attribute) {
      if (skipped > 0 || SKIPPED.has(name)) skipped += 1;
      else if (name === kind) {
        number = notes.get(`${kind} ${attribute('id') ?? ''}`);
        text = '';
      } else if (name === 't') isText = true;
      else if (name === 'p' || name === 'br' || name === 'tab') text += ' ';
    },
    text(data) {
      if (skipped === 0 && isText) text += data;
    },
    close(name) {
      if (skipped > 0) skipped -= 1;
      else if (name === 't') isText = false;
      else if (name === kind && number !== undefined) out.note(number, text);
    },
  });
}

/** `w:firstRow`, or its bit in the older `w:val` (part 1, section 17.4.55, and part 4). */
function hasFirstRow(attribute: (name: string) => string | undefined): boolean {
  const own = attribute('firstRow');
  if (own !== undefined) return /^(?:1|true|on)$/.test(own);
  return (Number.parseInt(attribute('val') ?? '0', 16) & 0x20) !== 0;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}
