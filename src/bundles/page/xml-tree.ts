import { Parser } from 'htmlparser2';

/** An element of an XML document; a child that is a string is text. Names are as written, prefix included. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
}

/**
 * Open elements at once; documents that people or programs write for reading stay below 30. A deeper one is not taken for a
 * tree at all: whoever walks it would need a stack as deep, and how deep that may be differs from run to run.
 */
const MAX_DEPTH = 100;
/** Elements of a document that are kept. */
const MAX_ELEMENTS = 100_000;
/** Characters handed to the parser at once: how far past a limit a hostile document can get. */
const SLICE = 16_384;

/**
 * The root of an XML document, as far as it can be read: broken markup is read as far as it makes sense, and at the limits
 * the rest is left out (`cut`); one that is too deep has no root. Entities that the document defines itself are never expanded, so they cannot grow. Nothing
 * when there is no element. Never throws.
 */
export function parseXml(xml: string): { root: XmlElement | undefined; cut: boolean } {
  const top: XmlElement = { name: '', attributes: {}, children: [] };
  const open: XmlElement[] = [top];
  let elements = 0;
  let cut = false;
  let isTooDeep = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        elements += 1;
        if (open.length > MAX_DEPTH) isTooDeep = true;
        if (isTooDeep || elements > MAX_ELEMENTS) cut = true;
        const element: XmlElement = { name, attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(text) {
        const siblings = open.at(-1)?.children;
        if (siblings === undefined || open.length === 1) return;
        const last = siblings.at(-1);
        if (typeof last === 'string') siblings[siblings.length - 1] = last + text;
        else siblings.push(text);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const isCut = (): boolean => cut;
  const hasRoot = (): boolean => !isTooDeep;
  for (let at = 0; at < xml.length && !isCut(); at += SLICE)
    parser.write(xml.slice(at, at + SLICE));
  if (!isCut()) parser.end();
  const root = hasRoot() ? top.children.find((child) => typeof child !== 'string') : undefined;
  return { root, cut };
}

/** The name without its prefix: `dc:date` → `date`. */
export function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The elements right inside; only those of that name (as written, prefix included) if one is given. */
export function childrenOf(element: XmlElement, name?: string): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement =>
      typeof child !== 'string' && (name === undefined || child.name === name),
  );
}

/** All text inside, white space as it is. */
export function textOf(element: XmlElement): string {
  return element.children
    .map((child) => (typeof child === 'string' ? child : textOf(child)))
    .join('');
}
