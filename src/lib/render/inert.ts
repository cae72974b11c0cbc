import { cleanTitle } from '../citations';

declare const inert: unique symbol;

/**
 * Text that may go into a plain-text prop of the launcher: one line in which nothing acts. Only `inertText` and `plain`
 * make it, and the lint rule `lam/plain-text` asks for it in every such prop.
 */
export type PlainText = string & { readonly [inert]: true };

/** Seen as nothing though it is no format character: fillers, and the tag characters in which text can be hidden. */
// eslint-disable-next-line no-misleading-character-class -- each is looked for by itself
const BLANK = /[\u034F\u115F\u1160\u17B4\u17B5\u180E\u2800\u3164\uFFA0\u{E0000}-\u{E007F}]/gu;

/** Half a surrogate pair ends the launcher's reading of the whole message. */
const HALF_PAIR = /\p{Cs}/gu;

/**
 * Foreign text for a plain-text prop (title, subtitle, accessory, toast, alert, label, placeholder): one line of at most
 * `max` code points in which nothing acts. The launcher draws these as rich text as soon as they hold a `<` or a line
 * break, and then fetches what an `<img>` in a page title names and turns `&lt;` into `<`; without either they are drawn
 * letter by letter. Total, and the same when applied again.
 */
export function inertText(text: string, max = 200): PlainText {
  const line = cleanTitle(text.slice(0, max * 60).replace(BLANK, ''), max)
    .replace(HALF_PAIR, '\uFFFD')
    .replaceAll('<', '‹')
    .replaceAll('>', '›');
  return line as PlainText;
}

/**
 * Our own words around foreign ones: `` plain`Reading ${host}…` ``. What is put in is made inert unless it is so already;
 * the words themselves are ours.
 */
export function plain(
  words: TemplateStringsArray,
  ...values: readonly (string | number)[]
): PlainText {
  let text = words[0] ?? '';
  for (const [i, value] of values.entries())
    text +=
      (typeof value === 'number' ? String(value) : inertText(value, 1000)) + (words[i + 1] ?? '');
  return text as PlainText;
}
