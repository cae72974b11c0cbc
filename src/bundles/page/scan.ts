import { Parser, Tokenizer } from 'htmlparser2';

/** Open elements at once. Browsers stop at 512; pages that people write stay below 60. Readability on linkedom needs 3.7 s for 5,000. */
const MAX_DEPTH = 256;
/** Elements, and pieces of text (a stray `<` makes two), of a page that is still worth a document tree: seconds of work at worst. */
const MAX_ELEMENTS = 30_000;
const MAX_TEXTS = 100_000;
/** Attributes of one element. linkedom looks them up one after the other: 100,000 on one tag took 84 s. */
const MAX_ATTRIBUTES = 256;
/** Characters handed to the parser at once: how far past the limit a hostile page can get. */
const SLICE = 16_384;

export interface Scan {
  /** False when a document tree of this page would cost too much. */
  fits: boolean;
  hasHtml: boolean;
  hasBody: boolean;
  scripts: number;
}

/** A look at the tags of a page before anything builds a tree of it. Linear: stops at the first limit. */
export function scanTags(html: string): Scan {
  const scan: Scan = { fits: true, hasHtml: false, hasBody: false, scripts: 0 };
  let depth = 0;
  let elements = 0;
  let texts = 0;
  let attributes = 0;
  const parser = new Parser({
    onopentagname(name) {
      depth += 1;
      elements += 1;
      attributes = 0;
      if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) scan.fits = false;
      if (name === 'html') scan.hasHtml = true;
      else if (name === 'body') scan.hasBody = true;
      else if (name === 'script') scan.scripts += 1;
    },
    onattribute() {
      attributes += 1;
      if (attributes > MAX_ATTRIBUTES) scan.fits = false;
    },
    ontext() {
      texts += 1;
      if (texts > MAX_TEXTS) scan.fits = false;
    },
    onclosetag() {
      depth -= 1;
    },
  });
  for (let at = 0; at < html.length && scan.fits; at += SLICE)
    parser.write(html.slice(at, at + SLICE));
  if (scan.fits) parser.end();
  return scan;
}

const BLOCKS = new Set(
  (
    'address article aside blockquote body br center dd details div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol option p pre section summary table tbody td tfoot th thead title tr ul'
  ).split(' '),
);
const SILENT = new Set(['script', 'style', 'title', 'textarea', 'template']);

/**
 * The text of a page without a tree: tags out, one line a block. For pages that are too deep or too large for
 * anything better. Uses the tokenizer alone, which keeps no stack, so nesting costs nothing.
 */
export function plainText(html: string): { title: string; text: string } {
  const out: string[] = [];
  let title = '';
  let silent = '';
  const put = (text: string): void => {
    if (silent === '') out.push(text);
    else if (silent === 'title') title += text;
  };
  const nothing = (): void => undefined;
  const tokenizer: Tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext(start, end) {
        put(html.slice(start, end).replace(/\s+/g, ' '));
      },
      ontextentity(codepoint) {
        put(String.fromCodePoint(codepoint));
      },
      onopentagname(start, end) {
        const name = html.slice(start, end).toLowerCase();
        if (BLOCKS.has(name)) put('\n');
        if (silent === '' && SILENT.has(name)) silent = name;
      },
      onclosetag(start, end) {
        const name = html.slice(start, end).toLowerCase();
        if (silent === name) silent = '';
        if (BLOCKS.has(name)) put('\n');
      },
      onselfclosingtag: nothing,
      onopentagend: nothing,
      onattribdata: nothing,
      onattribend: nothing,
      onattribentity: nothing,
      onattribname: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  const text = out
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
  return { title: title.replace(/\s+/g, ' ').trim(), text };
}
