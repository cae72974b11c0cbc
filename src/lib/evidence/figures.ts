/**
 * Figures as they are compared: whatever separates thousands and decimals, and in whatever digits. `1,234.5`, `1.234,5`,
 * `1 234,5` and `١٬٢٣٤٫٥` are one figure. A single separator before exactly three digits is one of thousands.
 */

/** Digits with separators between them; blanks only between groups of three. */
const FIGURE =
  /(?<![\p{Nd}\p{L}])\p{Nd}{1,3}(?:[ \u00A0\u2009\u202F'’]\p{Nd}{3})+(?:[.,٫]\p{Nd}+)?(?!\p{Nd})|\p{Nd}+(?:[.,٫٬'’]\p{Nd}+)*/gu;

/** The value of a decimal digit of any script: the digits of each stand in a row, and 0 comes first. */
function digitValue(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  if (point < 0x80) return digit;
  let zero = point;
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((point - zero) % 10);
}

/** UTF-16 units of a figure that count: beyond that it is data. */
const MAX_FIGURE_UNITS = 40;

function canonical(written: string): string {
  const figure = written
    .slice(0, MAX_FIGURE_UNITS)
    .replace(/(?!\d)\p{Nd}/gu, digitValue)
    .replace(/[ \u00A0\u2009\u202F'’٬]/gu, '')
    .replaceAll('٫', '.');
  const parts = figure.split(/[.,]/);
  const marks = figure.replace(/\d/g, '');
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return plain(figure, '');
  const isGrouped = (groups: readonly string[]): boolean =>
    groups.slice(1).every((group) => group.length === 3) && (groups[0]?.length ?? 0) <= 3;
  const isOneMark = new Set(marks).size === 1;
  if (isOneMark && isGrouped(parts) && parts[0] !== '0') return plain(parts.join(''), '');
  const whole = parts.slice(0, -1);
  const isNumber = whole.length === 1 || (isGrouped(whole) && marks.at(-1) !== marks[0]);
  // `3.2.0`, `12.03.2024`: a version or a date.
  return isNumber ? plain(whole.join(''), last) : parts.join('.');
}

const plain = (whole: string, decimals: string): string => {
  const head = whole.replace(/^0+(?=\d)/, '');
  const tail = decimals.replace(/0+$/, '');
  return tail === '' ? head : `${head}.${tail}`;
};

/** Every digit, and much that is none: a class that is searched fast, and lets most texts of most scripts pass. */
const MAY_BE_DIGIT = /[0-9\u0660-\u0DEF\u0E50-\u1C59\uA620-\uABF9\uD800-\uDBFF\uFF10-\uFF19]/;
const ANY_DIGIT = /\p{Nd}/u;

/** The figures of a text, and the text with blanks in their place. Figures inside words (`B12`) are part of the word. */
export function takeFigures(text: string): { figures: string[]; rest: string } {
  if (!MAY_BE_DIGIT.test(text) || !ANY_DIGIT.test(text)) return { figures: [], rest: text };
  const figures: string[] = [];
  const rest = text.replace(FIGURE, (written: string, at: number) => {
    if (at > 0 && /[a-z_]/i.test(text.charAt(at - 1))) return written;
    figures.push(canonical(written));
    return ' ';
  });
  return { figures, rest };
}
