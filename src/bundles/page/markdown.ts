import { codeLanguage, preformatted } from './code';
import { tableRows } from './table';

/** A block of Markdown; a list right after an item's text needs no blank line before it. */
interface Block {
  kind: 'text' | 'list';
  text: string;
}

/**
 * Characters that Markdown may add to what the page holds: link addresses, indentation, repeated table cells. A page
 * of a few bytes a link under a long base address would otherwise swell to hundreds of megabytes.
 */
const MAX_GROWTH = 1_000_000;
/** Characters of a link address worth keeping; longer ones carry data. */
const MAX_LINK_CHARS = 2_000;
/** Lists and quotes within each other that are still indented. */
const MAX_NESTING = 12;
/** Characters of a link's text; a longer link is a block of the page that happens to be clickable. */
const MAX_LINK_TEXT = 300;

/** Stands for `<br>` until white space has been collapsed. A private-use character: taken out of the page's own text first. */
const BREAK = '\ue000';

const SKIPPED = new Set(
  (
    'script style noscript template head title svg canvas iframe object embed video audio map button select textarea ' +
    'datalist dialog nav footer menu'
  ).split(' '),
);

const BLOCK_NAMES =
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5 h6 header ' +
  'hgroup hr html legend li main ol p pre search section summary table tbody td tfoot th thead tr ul';
const BLOCKS = new Set(BLOCK_NAMES.split(' '));

const SUPERSCRIPT = new Map(
  Array.from('0123456789+-n', (c, i) => [c, Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ')[i] ?? c]),
);
const SUBSCRIPT = new Map(
  Array.from('0123456789+-', (c, i) => [c, Array.from('₀₁₂₃₄₅₆₇₈₉₊₋')[i] ?? c]),
);

/**
 * A tree as Markdown: headings, paragraphs, lists, fenced code, tables, quotes, absolute links, images as their
 * alternative text. Words are not escaped: the reader is a model, and quotes are compared with this text.
 *
 * In: an element whose depth the caller has bounded, and the address its links are relative to.
 */
export function elementToMarkdown(root: Element, base: string): string {
  let spare = MAX_GROWTH;
  const grow = (chars: number): boolean => {
    if (chars > spare) return false;
    spare -= chars;
    return true;
  };

  const holders = blockHolders(root);

  function blocksOf(parent: Element, nesting: number): Block[] {
    const out: Block[] = [];
    let run = '';
    const flush = (): void => {
      out.push(...words(tidy(run)));
      run = '';
    };
    for (const node of parent.childNodes) {
      if (isElement(node)) {
        if (isSkipped(node)) continue;
        if (isBlockLike(node, holders)) {
          flush();
          out.push(...block(node, nesting));
        } else run += inline(node);
      } else if (node.nodeType === 3) run += textOf(node);
    }
    flush();
    return out;
  }

  function block(element: Element, nesting: number): Block[] {
    const name = nameOf(element);
    switch (name) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6': {
        const text = oneLine(inlineOf(element));
        return text === ''
          ? []
          : [{ kind: 'text', text: `${'#'.repeat(Number(name[1]))} ${text}` }];
      }
      case 'hr':
        return [{ kind: 'text', text: '---' }];
      case 'pre':
        return fenced(element);
      case 'ul':
      case 'ol':
        return list(element, nesting);
      case 'blockquote':
        return quote(element, nesting);
      case 'table':
        return table(element, nesting);
      case 'li':
        return words(item(element, '- ', nesting), 'list');
      case 'dt':
      case 'summary':
      case 'legend': {
        const text = oneLine(inlineOf(element));
        return words(wrapped('**', text));
      }
      default:
        return blocksOf(element, nesting);
    }
  }

  function fenced(element: Element): Block[] {
    const code = preformatted(element);
    if (code.trim() === '') return [];
    const longest = Math.max(2, ...Array.from(code.matchAll(/`{3,}/g), ([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    return [{ kind: 'text', text: `${fence}${codeLanguage(element)}\n${code}\n${fence}` }];
  }

  function list(element: Element, nesting: number): Block[] {
    const ordered = nameOf(element) === 'ol';
    let number = integer(attribute(element, 'start')) ?? 1;
    const items: string[] = [];
    for (const child of element.children) {
      if (isSkipped(child)) continue;
      number = integer(attribute(child, 'value')) ?? number;
      const text = item(child, ordered ? `${number}. ` : '- ', nesting);
      if (nameOf(child) === 'li') number += 1;
      if (text !== '') items.push(text);
    }
    return words(items.join('\n'), 'list');
  }

  function item(element: Element, marker: string, nesting: number): string {
    // A list right inside a list (no <li> between them) is old but common HTML.
    const inner =
      nameOf(element) === 'li' ? blocksOf(element, nesting + 1) : block(element, nesting + 1);
    const text = joined(inner, true);
    if (text === '') return '';
    if (nameOf(element) !== 'li' && inner[0]?.kind === 'list') return indented(text, '  ', nesting);
    return marker + indented(text, ' '.repeat(marker.length), nesting).trimStart();
  }

  function quote(element: Element, nesting: number): Block[] {
    const text = joined(blocksOf(element, nesting + 1));
    return text === '' ? [] : [{ kind: 'text', text: indented(text, '> ', nesting) }];
  }

  function indented(text: string, prefix: string, nesting: number): string {
    const lines = text.split('\n');
    if (nesting >= MAX_NESTING || !grow(lines.length * prefix.length)) return text;
    const bare = prefix.trimEnd();
    return lines.map((line) => (line === '' ? bare : prefix + line)).join('\n');
  }

  function table(element: Element, nesting: number): Block[] {
    const { caption, rows, layout } = tableRows(element);
    const head: Block[] =
      caption === undefined ? [] : words(wrapped('**', oneLine(inlineOf(caption))));
    const width = Math.max(0, ...rows.map((row) => row.cells.length));
    if (layout || width < 2)
      return [
        ...head,
        ...rows.flatMap((row) =>
          row.cells.flatMap((cell) => (cell.repeated ? [] : blocksOf(cell.element, nesting))),
        ),
      ];
    const lines = rows
      .map((row) =>
        row.cells.map((cell) => {
          const text = cellText(cell.element, nesting);
          return cell.repeated && (cell.across || !grow(text.length)) ? '' : text;
        }),
      )
      .filter((cells) => cells.some((cell) => cell !== ''));
    if (lines.length === 0) return head;
    // GFM wants a header row; a table without one gets an empty one rather than a first row in the wrong role.
    if (rows[0]?.header !== true && grow(width * 3)) lines.unshift([]);
    const drawn = lines.map(
      (cells) =>
        `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`,
    );
    drawn.splice(1, 0, `|${' --- |'.repeat(width)}`);
    return [...head, { kind: 'text', text: drawn.join('\n') }];
  }

  function cellText(element: Element, nesting: number): string {
    return joined(blocksOf(element, nesting))
      .split(/\s*\n\s*/)
      .map((line) => line.replace(/^- /, ''))
      .filter((line) => line !== '')
      .join('; ')
      .replace(/(?<!\\)\|/g, '\\|');
  }

  /** The content of an element on one run of text; blocks inside it are set apart by a blank. */
  function inlineOf(parent: Element): string {
    let out = '';
    for (const node of parent.childNodes) {
      if (isElement(node)) {
        if (isSkipped(node)) continue;
        out += BLOCKS.has(nameOf(node)) ? ` ${inlineOf(node)} ` : inline(node);
      } else if (node.nodeType === 3) out += textOf(node);
    }
    return out;
  }

  function inline(element: Element): string {
    switch (nameOf(element)) {
      case 'br':
        return BREAK;
      case 'img':
        return imageText(element);
      case 'a':
        return link(element);
      case 'strong':
      case 'b':
        return wrapped('**', inlineOf(element));
      case 'em':
      case 'i':
        return wrapped('*', inlineOf(element));
      case 'del':
      case 's':
      case 'strike':
        return wrapped('~~', inlineOf(element));
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return codeSpan(element);
      case 'q':
        return `“${inlineOf(element)}”`;
      case 'sup':
        return shifted(inlineOf(element), SUPERSCRIPT);
      case 'sub':
        return shifted(inlineOf(element), SUBSCRIPT);
      case 'wbr':
        return '';
      case 'rp':
        return inlineOf(element);
      case 'math':
        return mathText(element);
      default:
        return inlineOf(element);
    }
  }

  function link(element: Element): string {
    const text = inlineOf(element);
    const shown = oneLine(text);
    const href = attribute(element, 'href')?.trim() ?? '';
    // The little marks beside a heading that link to it.
    if (href.startsWith('#') && /^[#¶§🔗]?$/u.test(shown)) return '';
    if (href === '' || href.startsWith('#') || shown === '' || shown.length > MAX_LINK_TEXT)
      return text;
    const target = resolved(href, base);
    if (target === undefined || target === shown) return text;
    if (!grow(target.length + 4)) return text;
    const destination = /[()]/.test(target) ? `<${target}>` : target;
    return `${leading(text)}[${escapeBrackets(shown)}](${destination})${trailing(text)}`;
  }

  return joined(blocksOf(root, 0));
}

/** Blocks with a blank line between them; in a list item, a list follows a plain line directly. */
function joined(blocks: Block[], inItem = false): string {
  let out = '';
  for (const [index, { kind, text }] of blocks.entries()) {
    const before = blocks[index - 1];
    if (before !== undefined) {
      const tight = inItem && kind === 'list' && index === 1 && !before.text.includes('\n');
      out += tight || (kind === 'list' && before.kind === 'list') ? '\n' : '\n\n';
    }
    out += text;
  }
  return out;
}

function words(text: string, kind: Block['kind'] = 'text'): Block[] {
  return text === '' ? [] : [{ kind, text }];
}

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}

function nameOf(element: Element): string {
  return element.localName.toLowerCase();
}

/** linkedom keeps attribute names as written, so `<A HREF=…>` of old pages needs a second look. */
export function attribute(element: Element, name: string): string | undefined {
  return element.getAttribute(name) ?? element.getAttribute(name.toUpperCase()) ?? undefined;
}

function isSkipped(element: Element): boolean {
  const name = nameOf(element);
  if (SKIPPED.has(name)) return true;
  // Set in formulas that are drawn twice, for the eye and for a screen reader: the second copy is the one with the words.
  if (name !== 'math' && attribute(element, 'aria-hidden') === 'true') return true;
  if (element.hasAttribute('hidden') || /\bmw-editsection\b/.test(element.className)) return true;
  return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(
    attribute(element, 'style') ?? '',
  );
}

/** The elements that hold a block somewhere inside: found once, because asking each element anew is quadratic. */
function blockHolders(root: Element): Set<Node> {
  const holders = new Set<Node>();
  const walk = (parent: Element): void => {
    for (const child of parent.children) {
      if (BLOCKS.has(nameOf(child)))
        for (
          let above = child.parentElement;
          above !== null && !holders.has(above);
          above = above.parentElement
        )
          holders.add(above);
      walk(child);
    }
  };
  walk(root);
  return holders;
}

/** Blocks, and inline or unknown elements that hold blocks. */
function isBlockLike(element: Element, holders: Set<Node>): boolean {
  const name = nameOf(element);
  if (BLOCKS.has(name)) return true;
  if (name === 'math' || !holders.has(element)) return false;
  return name !== 'a' || element.textContent.trim().length > MAX_LINK_TEXT;
}

function textOf(node: Node): string {
  return (node.nodeValue ?? '').replaceAll(BREAK, '');
}

/** Collapses white space, takes out invisible hyphens and joints, and writes hard breaks. */
function tidy(run: string): string {
  return run
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?\ue000 ?/g, '\ue000')
    .replace(/^[\ue000 ]+|[\ue000 ]+$/g, '')
    .replace(/\ue000{2,}/g, '\n\n')
    .replaceAll(BREAK, '  \n');
}

function oneLine(run: string): string {
  return tidy(run.replaceAll(BREAK, ' '));
}

function leading(text: string): string {
  return /^\s/.test(text) ? ' ' : '';
}

function trailing(text: string): string {
  return /\s$/.test(text) ? ' ' : '';
}

/** A mark around a run of text, blanks outside; empty text gets none, and a mark never spans a hard break. */
function wrapped(mark: string, run: string): string {
  const inner = run.trim();
  if (inner === '' || inner.includes(BREAK)) return run;
  if (inner.startsWith(mark) && inner.endsWith(mark)) return run;
  return `${leading(run)}${mark}${inner}${mark}${trailing(run)}`;
}

function codeSpan(element: Element): string {
  const code = oneLine(element.textContent);
  if (code === '') return '';
  const longest = Math.max(0, ...Array.from(code.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return code.startsWith('`') || code.endsWith('`')
    ? `${fence} ${code} ${fence}`
    : fence + code + fence;
}

function imageText(element: Element): string {
  const alt = oneLine(attribute(element, 'alt') ?? '');
  return alt === '' ? '' : `(Image: ${alt})`;
}

function shifted(run: string, map: Map<string, string>): string {
  const chars = Array.from(run.trim());
  return chars.length > 0 && chars.every((char) => map.has(char))
    ? chars.map((char) => map.get(char) ?? char).join('')
    : run;
}

/** A formula as its TeX source where the page carries it (MathML `alttext` or `annotation`), else as its characters. */
function mathText(element: Element): string {
  const tex =
    attribute(element, 'alttext') ??
    element.querySelector('annotation[encoding="application/x-tex"]')?.textContent ??
    undefined;
  return tex === undefined || tex.trim() === '' ? element.textContent : `$${tex.trim()}$`;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}

function escapeBrackets(text: string): string {
  // A link around an image's words or a citation keeps its brackets; only they could end the link text.
  return text.replace(/(?<!\\)[[\]]/g, '\\$&');
}

/** The absolute http(s) or mailto address of a link, or nothing when it goes nowhere a reader can follow. */
function resolved(href: string, base: string): string | undefined {
  if (href.length > MAX_LINK_CHARS || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
  return url.href.length > MAX_LINK_CHARS ? undefined : url.href;
}
