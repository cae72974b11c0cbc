import { decodeString } from 'micromark-util-decode-string';

import { hasPlainHost, isWebAddress, type Scan } from '../../code';
import { linkTo } from './links';
import type { Pass } from './pass';

const SCHEME = /https?:\/\//gi;

/** Ends an address wherever it stands: white space, quotation marks and brackets that no address has, CJK punctuation. */
const END = /[\s<>"`“”„«»‹›…\u3001-\u3015\uFF5B\uFF5D！（），：；？［］\uFF61-\uFF64]/;

/** A letter of a script that is written without spaces. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** An escape, an entity, or the single tilde of a home page: part of an address though the parser sees a mark in it. */
const MARK = /^(?:\\[\p{P}\p{S}]|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{0,31});|~)+$/iu;

/** Half-open stretch of the text, as offsets. */
interface Range {
  start: number;
  end: number;
}

/** Stretches in which an address may stand: plain text of one line, with the marks that belong to addresses. */
function stretches({ text, runs }: Scan): Range[] {
  const out: Range[] = [];
  let last: Range | undefined;
  for (const { start, end, isClosed } of runs) {
    if (isClosed) {
      last = undefined;
      continue;
    }
    const gap = last && text.slice(last.end, Math.min(start, last.end + 64));
    if (last && gap !== undefined && start - last.end <= 64 && MARK.test(gap)) last.end = end;
    else out.push((last = { start, end }));
  }
  return out;
}

/** Where an address that begins at `start` ends at the latest: it holds no character that ends one, and no second address. */
function limitOf(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const char = text.charAt(at);
    if (END.test(char)) return at;
    // Text goes on without a space: `https://m.example/x的说明`. After a slash or an equals sign such letters are the address's.
    if (UNSPACED.test(char) && /[a-z\d]/i.test(text.charAt(at - 1))) return at;
    if (/[,;|]/.test(char) && /^https?:\/\//i.test(text.slice(at + 1, at + 9))) return at;
    // A marker behind an address: `https://m.example/page[1]`.
    if (char === '[' && /^\[\^?\d{1,4}(?:[,\s–-]+\d{1,4})*\](?![=&])/.test(text.slice(at, at + 64)))
      return at;
  }
  return end;
}

/** The address without sentence punctuation at its end, and without a closing bracket that it did not open. */
function trimAddress(address: string): string {
  let end = address.length;
  for (;;) {
    const last = address[end - 1] ?? '';
    // A reference is one piece: its semicolon is no punctuation, and it may stand for a bracket or a full stop itself.
    if (/[.,:!?'’*_~\\|]/.test(last) || (last === ';' && !isReference(address, end))) end--;
    else if (last === ')' || last === ']') {
      const body = address.slice(0, end);
      const opener = last === ')' ? '(' : '[';
      if (body.split(last).length <= body.split(opener).length) break;
      end--;
    } else break;
  }
  return address.slice(0, end);
}

const isReference = (address: string, end: number): boolean =>
  /&(?:#\w{1,8}|[a-z]\w{0,31});$/i.test(address.slice(Math.max(0, end - 40), end));

/**
 * The pane does not link bare addresses. What names no scheme (`www.m.example`, `desk@m.example`) stays text: which program
 * opens it would be a guess.
 */
export const addressPass: Pass = (scan) =>
  stretches(scan).flatMap(({ start, end }) => {
    let from = start;
    return [...scan.text.slice(start, end).matchAll(SCHEME)].flatMap((match) => {
      const at = start + match.index;
      if (at < from) return [];
      const body = at + match[0].length;
      const written = trimAddress(scan.text.slice(at, limitOf(scan.text, body, end)));
      from = at + written.length;
      const address = decodeString(written);
      if (!isWebAddress(address) || !hasPlainHost(address)) return [];
      return [{ start: at, end: from, text: linkTo(address, address) }];
    });
  });
