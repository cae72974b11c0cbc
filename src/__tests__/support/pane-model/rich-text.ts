import { Parser } from 'htmlparser2';

import { loadable, styleLoads } from './addresses';

/** What the launcher's rich-text widget makes of a piece of HTML. */
export interface RichText {
  /** Visible text: white space collapsed as in HTML, `\n` for line breaks and block edges. */
  text: string;
  links: { text: string; href: string }[];
  strikes: string[];
  code: string[];
  /** Addresses loaded without a click. */
  fetches: string[];
  /** Text that is not drawn: contents of hidden elements, tags the widget does not know, comments. */
  dropped: string[];
}

/** Elements that Qt's rich text knows; any other tag vanishes and leaves its text. */
const KNOWN = new Set(
  (
    'a address b big blockquote body br caption center cite code dd del dfn div dl dt em font h1 h2 h3 h4 h5 h6 head hr html i img ' +
    'ins kbd li link meta nobr ol p pre qt s samp script small span strike strong style sub sup table tbody td tfoot th thead title tr ' +
    'tt u ul var'
  ).split(' '),
);
const BLOCKS = new Set(
  'address blockquote center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre table tr ul'.split(' '),
);
const HIDDEN = new Set(['head', 'meta', 'script', 'style', 'title']);
const STRUCK = new Set(['del', 's', 'strike']);

/** Collects the text between an opening and its closing tag. */
interface Span {
  tag: string;
  from: number;
  href?: string;
}

/** Draws HTML as Qt's rich text does. */
export function drawRichText(html: string): RichText {
  const drawing: RichText = {
    text: '',
    links: [],
    strikes: [],
    code: [],
    fetches: [],
    dropped: [],
  };
  const spans: Span[] = [];
  let hidden: string[] = [];
  /** An open <link> swallows everything after it. */
  let swallowed = false;
  const isHidden = (): boolean => swallowed || hidden.length > 0;
  const write = (text: string): void => {
    drawing.text += text;
  };
  // Qt takes every `<` for a tag, up to the next `>` or the end.
  const markup = html.replace(/<!--[\s\S]*?-->|<[^>]*>?/g, (tag) => {
    if (/^<[a-z/!?]/i.test(tag)) return tag;
    drawing.dropped.push(tag);
    return '';
  });

  const parser = new Parser({
    onopentag(name, attributes, isImplied) {
      const tag = isImplied ? `<${name}>` : markup.slice(parser.startIndex, parser.endIndex + 1);
      if (!KNOWN.has(name)) drawing.dropped.push(tag);
      drawing.fetches.push(...tagLoads(name, attributes));
      if (HIDDEN.has(name)) hidden.push(name);
      if (name === 'link' && !tag.endsWith('/>')) swallowed = true;
      if (name === 'br' || BLOCKS.has(name)) write('\n');
      else if (name === 'td' || name === 'th') write(' ');
      spans.push({ tag: name, from: drawing.text.length, href: attributes.href });
    },
    ontext(text) {
      if (hidden.at(-1) === 'style') drawing.fetches.push(...styleLoads(decodeHtml(text)));
      // Tags act inside hidden elements too.
      if (hidden.length > 0 && text.includes('<'))
        drawing.fetches.push(...drawRichText(text).fetches);
      if (!isHidden()) write(collapse(text));
      else if (text.trim() !== '') drawing.dropped.push(text);
    },
    onclosetag(name) {
      const at = spans.findLastIndex((span) => span.tag === name);
      const span = spans[at];
      if (span) {
        spans.splice(at, 1);
        closeSpan(span);
      }
      if (hidden.at(-1) === name) hidden = hidden.slice(0, -1);
      if (BLOCKS.has(name)) write('\n');
      else if (name === 'td' || name === 'th') write(' ');
    },
    oncomment(text) {
      drawing.dropped.push(text);
    },
    onprocessinginstruction(_name, data) {
      drawing.dropped.push(`<${data}>`);
    },
  });

  function closeSpan({ tag, from, href }: Span): void {
    const inside = tidy(drawing.text.slice(from));
    if (tag === 'a' && href !== undefined) drawing.links.push({ text: inside, href });
    else if (STRUCK.has(tag)) drawing.strikes.push(inside);
    else if (tag === 'code') drawing.code.push(inside);
  }

  parser.end(markup);
  drawing.text = tidy(drawing.text);
  return drawing;
}

/** Text content of an HTML fragment without markup semantics: used to decode character references. */
export function decodeHtml(html: string): string {
  let text = '';
  const parser = new Parser({
    ontext(piece) {
      text += piece;
    },
  });
  parser.end(html);
  return text;
}

function tagLoads(name: string, attributes: Record<string, string>): string[] {
  const addresses: string[] = [];
  if (name === 'img' && attributes.src !== undefined) addresses.push(attributes.src);
  if (attributes.background !== undefined) addresses.push(attributes.background);
  if (name === 'link' && attributes.href !== undefined) {
    const isSheet =
      attributes.type?.toLowerCase() === 'text/css' ||
      attributes.rel?.toLowerCase() === 'stylesheet';
    if (isSheet) addresses.push(attributes.href);
  }
  return [...addresses.filter(loadable), ...styleLoads(attributes.style ?? '')];
}

/** Qt makes one space of any run of Unicode white space, the ideographic one too, but keeps no-break spaces. */
function collapse(text: string): string {
  return text.replace(/[\t\n\v\f\r \u0085\u1680\u2000-\u200a\u2028\u202f\u205f\u3000]+/g, ' ');
}

function tidy(text: string): string {
  return text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n[\n ]*/g, '\n')
    .trim();
}
