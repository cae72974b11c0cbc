import { Parser } from 'htmlparser2';

import { loadable } from './addresses';

/** What is seen of a plain-text prop (title, subtitle, accessory, toast, navigation title, fence language…). */
export interface PlainText {
  text: string;
  /** Addresses loaded without a click. */
  fetches: string[];
}

/**
 * Such props are labels with AutoText (seen on screen): a `<` or a line break turns the
 * whole string into styled text, in which tags act or vanish and `&lt;` becomes `<`. Otherwise it is drawn as it is.
 * Seen to load are quoted `src` attributes; an unquoted one is counted too, because other launcher versions load it.
 */
export function drawPlainText(prop: string): PlainText {
  if (!/[\n\r<]/.test(prop)) return { text: prop, fetches: [] };
  let text = '';
  const fetches: string[] = [];
  const parser = new Parser({
    onopentag(name, { src }) {
      if (name === 'br' || name === 'p') text += '\n';
      if (name === 'img' && src !== undefined && loadable(src)) fetches.push(src);
    },
    ontext(piece) {
      text += piece.replace(/\s+/g, ' ');
    },
  });
  parser.end(prop);
  return { text: text.trim(), fetches };
}
