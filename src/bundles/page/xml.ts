import { plainText } from './scan';
import { childrenOf, localName, parseXml, textOf, type XmlElement } from './xml-tree';
import { feedOf, readFeed } from './feed';
import type { ReadPage } from './read';

/** Levels that are indented; deeper ones stay at this one. */
const MAX_INDENT = 12;
/** Characters of an attribute's value that are shown. */
const MAX_ATTRIBUTE_CHARS = 300;

/**
 * An XML document as text: a feed as its items, anything else as an outline of one line an element. `url` is the
 * address that answered. Never throws; what is no XML comes back as its text.
 */
export function readXml(xml: string, url: string): ReadPage {
  try {
    const { root, cut } = parseXml(xml);
    if (root !== undefined) {
      const feed = feedOf(root, url);
      if (feed !== undefined) return readFeed(feed, cut);
      return { title: titleOf(root), text: outline(root), cut, scripts: 0 };
    }
  } catch {
    // What breaks the tree or the walk is still a document with words in it.
  }
  return { ...plainText(xml), cut: false, scripts: 0 };
}

/** The text of the first element that is called title, at most two levels down. */
function titleOf(root: XmlElement): string {
  for (const element of [root, ...childrenOf(root)]) {
    const title = childrenOf(element).find((child) => localName(child) === 'title');
    if (title !== undefined) return textOf(title).replace(/\s+/g, ' ').trim();
  }
  return '';
}

/** `name attribute=value: text`, what is inside two blanks further right; an element with text between others is a paragraph. */
function outline(root: XmlElement): string {
  const lines: string[] = [];
  const walk = (element: XmlElement, depth: number): void => {
    const inner = childrenOf(element);
    const hasWords = element.children.some(
      (child) => typeof child === 'string' && child.trim() !== '',
    );
    const text = inner.length === 0 || hasWords ? textOf(element).replace(/\s+/g, ' ').trim() : '';
    const attributes = Object.entries(element.attributes)
      .filter(([name]) => !/^(?:xmlns|xsi:|xml:space)/.test(name))
      .map(([name, value]) => ` ${name}=${attributeText(value)}`)
      .join('');
    const head = '  '.repeat(Math.min(depth, MAX_INDENT)) + element.name + attributes;
    lines.push(text === '' ? head : `${head}: ${text}`);
    if (text === '') for (const child of inner) walk(child, depth + 1);
  };
  walk(root, 0);
  return lines.join('\n');
}

function attributeText(value: string): string {
  const text = value.replace(/\s+/g, ' ').trim();
  const short = text.length > MAX_ATTRIBUTE_CHARS ? `${text.slice(0, MAX_ATTRIBUTE_CHARS)}…` : text;
  return /[\s=:]|^$/.test(short) && !/^https?:\S+$/.test(short) ? `"${short}"` : short;
}
