import type { Source } from '../types';
import { fold } from '../words';

import { knownWords, namesOf } from './known-words';
import { masked, type Hidden } from './mask';
import type { Span } from './sentences';
import type { Unit } from './units';

/** What such a list is headed with, folded. In any other language its rows are known by the titles of the sources. */
const HEADS = new Set(
  (
    'source,sources,sources used,sources cited,sources consulted,source list,list of sources,sources and references,' +
    'reference,references,reference list,citations,works cited,bibliography,links,footnotes,notes,further reading,' +
    'quelle,quellen,quellenangabe,quellenangaben,quellenverzeichnis,verwendete quellen,einzelnachweise,nachweise,belege,referenzen,literatur,' +
    'references bibliographiques,bibliographie,notes et references,fuente,fuentes,referencias,bibliografia,fonte,fonti,riferimenti,' +
    'fontes,bron,bronnen,bronvermelding,referenties,kalla,kallor,referenser,kilde,kilder,referanser,lahteet,viitteet,' +
    'zrodlo,zrodla,zdroj,zdroje,prameny,forras,forrasok,surse,referinte,kaynak,kaynaklar,kaynakca,nguon,tham khao,tai lieu tham khao,' +
    'sumber,referensi,источник,источники,ссылки,литература,список литературы,джерело,джерела,посилання,πηγες,πηγη,αναφορες,' +
    'מקורות,المصادر,المصدر,المراجع,منابع,स्रोत,संदर्भ,แหล่งที่มา,อ้างอิง,แหล่งอ้างอิง,来源,來源,资料来源,資料來源,参考,参考资料,參考資料,参考文献,參考文獻,' +
    '参考来源,引用来源,引用,出处,出處,出典,参照,参考資料,情報源,출처,참고,참고문헌,참고 문헌,참고 자료,자료 출처'
  )
    .split(',')
    .map(fold),
);

/** What stands for a marker, a link or an address. */
const PLACE = '\uFFFC';
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>]+/giu;
const SIGNS = /^[^\p{L}\p{N}\uFFFC]+/u;
const NUMBER = /^\d{1,3}[.)]/;
const ENDS_WITH_PLACE = /\uFFFC[^\p{L}\p{N}\uFFFC]*$/u;

/** A list of sources, or a line like one. `isLabel`: one line of nothing but a label and markers, `Source: [1]`. */
export interface OwnList extends Span {
  isLabel: boolean;
}

const LETTER = /[\p{L}\p{N}]/u;

/** UTF-16 units of a row: a longer one is text. */
const MAX_ROW_UNITS = 600;

/** Words of a label before markers, at the end of an answer. */
const MAX_LABEL_WORDS = 3;

interface Line extends Span {
  unit: Unit;
  /** Without markers, links and addresses, for each of which `PLACE` stands. */
  text: string;
}

/**
 * The lists of sources that a model writes itself, head and rows: `Sources:` and what behind it is nothing but rows that begin or end
 * with a marker or an address. Under a head of other words only the titles of sources make a list, because a section of an
 * answer has rows with markers as well.
 *
 * @param places markers, links and rows that were taken out, in any order
 */
export function ownListsOf(
  units: readonly Unit[],
  text: string,
  places: readonly Span[],
  sources: readonly Source[],
): OwnList[] {
  const addresses = Array.from(text.matchAll(ADDRESS), ({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
  const hidden = [...places, ...addresses].map(({ start, end }): Hidden => ({
    start,
    end,
    as: PLACE,
  }));
  const lines = linesOf(units, masked(text, hidden));
  let isTitle: ((words: string) => boolean) | undefined;
  const isTitled = (line: string): boolean => {
    isTitle ??= knownWords(sources.flatMap(namesOf));
    const words = line.replaceAll(PLACE, ' ');
    return !LETTER.test(words) || isTitle(words);
  };
  const lists: OwnList[] = [];
  for (let n = 0; n < lines.length; n += 1) {
    const head = lines[n];
    const kind = head && headKind(head);
    if (!head || kind === undefined) continue;
    let last = n;
    for (let row = lines[last + 1]; row; row = lines[last + 1]) {
      const isRow =
        row.unit.kind !== 'heading' &&
        !/\p{L}/u.test(text.slice(lines[last]?.end, row.start)) && // code
        row.end - row.start <= MAX_ROW_UNITS &&
        ((kind === 'known' && hasPlace(row.text)) || isTitled(row.text));
      if (!isRow) break;
      last += 1;
    }
    const isAlone =
      head.text.includes(PLACE) &&
      (kind === 'known' || (last === lines.length - 1 && isLabel(head.text)));
    if (last === n && !isAlone) continue;
    const rows = lines.slice(n + 1, last + 1);
    const next = lines[last + 1];
    // Markers alone between a heading and its text are about the text.
    const isBare =
      kind === 'other' && rows.length > 0 && !rows.some(({ text: row }) => LETTER.test(row));
    if (isBare && next && next.unit.kind !== 'heading') continue;
    lists.push({
      start: head.start,
      end: lines[last]?.end ?? head.end,
      isLabel: last === n && isLabel(head.text),
    });
    n = last;
  }
  return lists;
}

function linesOf(units: readonly Unit[], text: string): Line[] {
  const lines: Line[] = [];
  let row = 0;
  for (const unit of units) {
    if (unit.row) {
      if (unit.row.number === row) continue;
      row = unit.row.number;
    }
    const { start, end } = unit.row ?? unit;
    let at = start;
    for (const line of text.slice(start, end).split('\n')) {
      if (line.trim() !== '') lines.push({ start: at, end: at + line.length, unit, text: line });
      at += line.length + 1;
    }
  }
  return lines;
}

const hasPlace = (line: string): boolean =>
  ENDS_WITH_PLACE.test(line) ||
  line.replace(SIGNS, '').replace(NUMBER, '').replace(SIGNS, '').startsWith(PLACE);

const LABEL = /^([^:：\uFFFC]{1,60})[:：]/u;

/** `Belege: [1], [2]` */
function isLabel(line: string): boolean {
  const label = LABEL.exec(line);
  if (!label || LETTER.test(line.slice(label[0].length))) return false;
  return (label[1] ?? '').trim().split(/\s+/u).length <= MAX_LABEL_WORDS;
}

/** Whether a line may head a list of sources: by its words, or by its form only. */
function headKind({ text, unit }: Line): 'known' | 'other' | undefined {
  // A line right below a table is a row of it, as Markdown reads it.
  if (unit.kind === 'cell' && text.includes('|')) return undefined;
  const label = LABEL.exec(text)?.[1] ?? text.replaceAll(PLACE, ' ');
  if (label.length <= 60 && HEADS.has(bare(label))) return 'known';
  const isForm =
    unit.kind === 'heading' ||
    /[:：]\**\s*$/u.test(text) ||
    /^\s*(?:\*\*|__)[^*\n]+(?:\*\*|__)\s*$/u.test(text) ||
    isLabel(text);
  return isForm ? 'other' : undefined;
}

/** The words of a label, folded: `**3. Quellen**` is `quellen`. */
const bare = (label: string): string =>
  fold(label)
    .replace(/[^\p{L}\p{M}]+/gu, ' ')
    .trim();
