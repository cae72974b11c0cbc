import { Parser } from 'htmlparser2';

import { decodeText } from '../../host/web/charset';

/** Open elements at once. Tables in tables in text boxes come to 60. */
const MAX_DEPTH = 512;
/** Characters handed to the parser at once: how far past a limit a hostile document can get. */
const SLICE = 16_384;

interface XmlHandlers {
  /** Names are without their prefix: which prefix a program writes is its own choice. */
  open: (name: string, attribute: (name: string) => string | undefined) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
  /** Asked now and then: true ends the reading. */
  isFull?: () => boolean;
}

/**
 * Walks through an XML document without a tree of it. Broken markup is read as far as it makes sense; entities that the
 * document defines itself are never expanded. `cut`: the document goes too deep or the reader had enough. Never throws.
 */
export function walkXml(bytes: Uint8Array, handlers: XmlHandlers): { cut: boolean } {
  const xml = decodeText(bytes, { syntax: 'xml' });
  const { open, text, close, isFull } = handlers;
  let depth = 0;
  let deepest = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        deepest = Math.max(deepest, depth);
        if (depth <= MAX_DEPTH) open(localName(name), (wanted) => attributeOf(attributes, wanted));
      },
      ontext(data) {
        text?.(data);
      },
      onclosetag(name) {
        if (depth <= MAX_DEPTH) close?.(localName(name));
        depth -= 1;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < xml.length; at += SLICE) {
    if (deepest > MAX_DEPTH || isFull?.() === true) {
      // What is open is closed, so that the reader can finish what it has.
      parser.end();
      return { cut: true };
    }
    parser.write(xml.slice(at, at + SLICE));
  }
  parser.end();
  return { cut: deepest > MAX_DEPTH };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function attributeOf(attributes: Record<string, string>, wanted: string): string | undefined {
  for (const [name, value] of Object.entries(attributes))
    if (localName(name) === wanted) return value;
  return undefined;
}
