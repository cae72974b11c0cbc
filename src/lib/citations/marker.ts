/**
 * The marker grammar inside one run of plain text: which brackets could be citations, and of which numbers.
 * Whether they are is decided by `analyse`, which knows the sources and the definitions.
 */

/** A bracket that has the form of a citation. */
export interface Candidate {
  /** Offsets into the run's text, brackets included. */
  start: number;
  end: number;
  /** In the order written, each number once. */
  numbers: number[];
  /** Labels as written (`1`, `^1`), for definitions that own them. */
  labels: string[];
}

/** Numbers a range may span: `[1-10]` expands, `[1-11]` stays. */
const MAX_RANGE = 10;

/** Characters between the brackets. The longest real groups seen have a dozen numbers. */
const MAX_LENGTH = 200;

const CLOSING: Record<string, string> = { '[': ']', '［': '］', '【': '】' };

/** The highest number a marker can have: four digits, so that no longer number in brackets is ever taken for one. */
export const MAX_NUMBER = 9999;

const NUMBER = /^\^?([1-9]\d{0,3})$/;
const RANGE = /^(\^?)([1-9]\d{0,3})\s?[-–]\s?\^?([1-9]\d{0,3})$/;

function parsePart(part: string): { numbers: number[]; labels: string[] } | undefined {
  const single = NUMBER.exec(part);
  if (single) return { numbers: [Number(single[1])], labels: [part] };
  const range = RANGE.exec(part);
  if (!range) return undefined;
  const from = Number(range[2]);
  const to = Number(range[3]);
  if (to <= from || to - from + 1 > MAX_RANGE) return undefined;
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return { numbers, labels: numbers.map((number) => `${range[1] ?? ''}${String(number)}`) };
}

/** `1`, `^1`, `1, 3`, `1，3`, `1、3`, `1-3`, `1-2, 4`; in full-width brackets also a hint after `†` without a colon. */
function parseGroup(
  content: string,
  opener: string,
): { numbers: number[]; labels: string[] } | undefined {
  let group = content;
  if (opener !== '[') {
    const hint = /^([^†]*)†[^:：\n\r]*$/.exec(content);
    if (hint) group = hint[1] ?? '';
  }
  const parts = group.split(/\s*[,，、]\s*/).map(parsePart);
  const numbers: number[] = [];
  const labels: string[] = [];
  for (const part of parts) {
    if (!part) return undefined;
    for (const [i, number] of part.numbers.entries()) {
      if (numbers.includes(number)) continue;
      numbers.push(number);
      labels.push(part.labels[i] ?? String(number));
    }
  }
  return { numbers, labels };
}

/** All candidates in a run's text, in order. Linear in its length. */
export function findCandidates(text: string): Candidate[] {
  const out: Candidate[] = [];
  for (let start = 0; start < text.length; start++) {
    const opener = text[start] ?? '';
    const closer = CLOSING[opener];
    if (closer === undefined || !/[\d^\s]/.test(text[start + 1] ?? '')) continue;
    const window = text.slice(start + 1, start + 2 + MAX_LENGTH);
    const close = window.indexOf(closer);
    if (close < 0) continue;
    const content = window.slice(0, close);
    if (/[[［【]/.test(content)) continue;
    const group = parseGroup(content.trim() === content ? content : '', opener);
    if (!group) continue;
    out.push({ start, end: start + close + 2, ...group });
    start += close + 1;
  }
  return out;
}
