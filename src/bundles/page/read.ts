import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';

import { attribute, elementToMarkdown } from './markdown';
import { plainText, scanTags } from './scan';
import { compact, longestSeries } from './series';

/** Characters of HTML that are read; the rest is cut off. Two megabytes take about half a second. */
const MAX_HTML_CHARS = 2 * 1024 * 1024;
/** An article shorter than this, in characters, is distrusted when the page holds clearly more. */
const SHORT_ARTICLE = 250;
/** Code blocks and terms that an article may lack without being distrusted: readability takes references of one line each for lists of links. */
const MAX_LOST_BLOCKS = 3;
/** Share of a page's words from which on a series of entries is what the page is about: of a thread it is nearly all. */
const SERIES_SHARE = 0.3;

export interface ReadPage {
  title: string;
  /** The readable text as Markdown, or as plain lines when the page is too deep or too large for a tree. */
  text: string;
  /** `rel=canonical`, absolute, unchecked: any page can claim to be any other. */
  canonical?: string;
  /** True when the input was longer than what is read. */
  cut: boolean;
  /** How many `<script>` elements the page has: with next to no text it is an application, not a page. */
  scripts: number;
}

/**
 * The readable part of an HTML page. `url` is the address that answered; links become absolute under it (or under
 * the page's own `<base>`). Never throws: whatever goes wrong, the plain text of the page comes back.
 */
export function readPage(html: string, url: string): ReadPage {
  const cut = html.length > MAX_HTML_CHARS;
  const input = cut ? html.slice(0, MAX_HTML_CHARS) : html;
  const scan = scanTags(input);
  if (scan.fits) {
    try {
      return { ...readTree(wrap(input, scan), url), cut, scripts: scan.scripts };
    } catch {
      // A page that breaks the tree, the extraction or the walk is still a page with words on it.
    }
  }
  return { ...plainText(input), cut, scripts: scan.scripts };
}

/** The plain text of an HTML page, for one that takes `readPage` too long. Linear in its length; never throws. */
export function readPlain(html: string): ReadPage {
  const cut = html.length > MAX_HTML_CHARS;
  const input = cut ? html.slice(0, MAX_HTML_CHARS) : html;
  return { ...plainText(input), cut, scripts: scanTags(input).scripts };
}

/**
 * A piece of HTML as Markdown, such as the text of a feed's item; links become absolute under `base`, or go when it is
 * empty. Text without a tag is left as it is but for its entities. Never throws.
 */
export function htmlToMarkdown(html: string, base: string): string {
  if (!/[<&]/.test(html)) return html.replace(/[^\S\n]+/g, ' ').trim();
  const scan = scanTags(html);
  if (scan.fits) {
    try {
      return wholeBody(wrap(html, scan), base);
    } catch {
      // Then as plain lines.
    }
  }
  return plainText(html).text;
}

/** linkedom yields no usable document for input without `<html>` or `<body>`. */
function wrap(html: string, { hasHtml, hasBody }: { hasHtml: boolean; hasBody: boolean }): string {
  if (hasHtml) return html;
  return hasBody ? `<html>${html}</html>` : `<html><head></head><body>${html}</body></html>`;
}

function readTree(html: string, url: string): Pick<ReadPage, 'title' | 'text' | 'canonical'> {
  const document = parse(html);
  const base = absolute(attributeOf(document, 'base[href]', 'href'), url) ?? url;
  const canonical = absolute(attributeOf(document, 'link[rel="canonical"]', 'href'), base);
  const titles = [
    attributeOf(document, 'meta[property="og:title"]', 'content'),
    document.querySelector('title')?.textContent,
    document.querySelector('h1')?.textContent,
  ];
  const pageWords = wordChars(document.documentElement);
  const pageBlocks = countBlocks(document.documentElement);
  const series = longestSeries(document.documentElement);
  // linkedom has no base address, and readability would throw and catch one exception a link: 10,000 links, 3 s.
  Object.defineProperties(document, { baseURI: { value: base }, documentURI: { value: url } });
  const article = extract(document);
  const title = [article?.title, ...titles].map(oneLine).find((text) => text !== '') ?? '';
  const articleWords = article === undefined ? 0 : wordChars(article.content);
  const lost = pageBlocks - (article === undefined ? 0 : countBlocks(article.content));
  const poor =
    (articleWords < SHORT_ARTICLE && pageWords > articleWords * 1.5) ||
    (lost > MAX_LOST_BLOCKS && lost > pageBlocks / 2) ||
    (series.chars > pageWords * SERIES_SHARE && lacksSeries(article?.content, series.heads));
  const text =
    article !== undefined && !poor
      ? elementToMarkdown(article.content, base)
      : wholeBody(html, base); // readability has taken the first tree apart
  return { title, text, ...(canonical === undefined ? {} : { canonical }) };
}

/** A tree of the page, with what readability would throw away for its element's name put into words first. */
function parse(html: string): Document {
  const { document } = parseHTML(html);
  for (const box of document.querySelectorAll('input[type="checkbox"]'))
    box.replaceWith(box.hasAttribute('checked') ? '[x] ' : '[ ] ');
  for (const footer of document.querySelectorAll('blockquote footer')) {
    const paragraph = document.createElement('p');
    paragraph.append(...footer.childNodes);
    footer.replaceWith(paragraph);
  }
  return document;
}

function extract(document: Document): { title: string; content: Element } | undefined {
  const article = new Readability<Node>(document, {
    keepClasses: true, // the language of a code block is a class
    serializer: (node) => node,
  }).parse();
  const content = article?.content;
  if (article === null || content === null || content === undefined) return undefined;
  return { title: article.title ?? '', content: content as Element }; // readability serialises the element it built
}

function wholeBody(html: string, base: string): string {
  const document = parse(html);
  const main = document.querySelector('main,[role="main"]');
  if (main !== null && wordChars(main) > wordChars(document.documentElement) / 2)
    return elementToMarkdown(main, base);
  const body = document.querySelector('body');
  const text = elementToMarkdown(body ?? document.documentElement, base);
  // Content after a body that closed too early, or beside it.
  const all = body === null ? text : elementToMarkdown(document.documentElement, base);
  return all.length > text.length * 1.2 ? all : text;
}

/** True when less than half of a page's entries made it into the article: readability takes the longest post for all. */
function lacksSeries(article: Element | undefined, heads: readonly string[]): boolean {
  const text = compact(article?.textContent ?? '');
  return heads.filter((head) => text.includes(head)).length < heads.length / 2;
}

/** Blocks that make a reference: code, and the terms of definition lists. */
function countBlocks(element: Element): number {
  return element.querySelectorAll('pre,dt').length;
}

/** Characters of visible words, blanks aside. */
function wordChars(element: Element): number {
  let count = 0;
  const walk = (parent: Element): void => {
    for (const node of parent.childNodes) {
      if (node.nodeType === 3) count += (node.nodeValue ?? '').replace(/\s+/g, '').length;
      else if (node.nodeType === 1) {
        const child = node as Element; // nodeType 1 is an element by definition (DOM standard)
        if (!/^(?:script|style|noscript|template|head|svg|nav|footer)$/.test(child.localName))
          walk(child);
      }
    }
  };
  walk(element);
  return count;
}

function attributeOf(document: Document, selector: string, name: string): string | undefined {
  const element = document.querySelector(selector);
  return element === null ? undefined : attribute(element, name);
}

function absolute(href: string | undefined, base: string): string | undefined {
  const text = href?.trim() ?? '';
  if (text === '' || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

function oneLine(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
