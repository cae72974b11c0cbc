/** A stretch of the answer; UTF-16 units, `end` excluded. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Short forms with a full stop behind which a sentence goes on even before a capital: titles, references, units. Those
 * that often end one (`etc.`, `usw.`) are not here: a claim too short is worse than one too long, but two in one are no claim.
 */
const SHORT_FORMS =
  ' dr prof mr mrs ms mme mlle st sr jr hon rev gen col capt lt sgt' +
  ' no nr nos vol art fig figs abb tab kap ch sec eq ed eds hrsg bd jh p pp s para al cf vgl bzw ca approx' +
  ' vs resp inkl exkl ggf evtl sog dt engl lat bes insb tel str mio mrd' +
  ' г гг им ул руб тыс млн млрд см рис проф стр напр ';

const LAST_WORD = /(?:^|[^\p{L}\p{N}])(\p{L}+|\d{1,2})\.\s*$/u;

/** `z. B.`, `e. g.`, initials; `am 3. Mai`: a letter or a number of a day before the full stop. */
function goesOn(sentence: string): boolean {
  const word = LAST_WORD.exec(sentence.slice(-40))?.[1];
  if (word === undefined) return false;
  return word.length === 1 || /^\d/.test(word) || SHORT_FORMS.includes(` ${word.toLowerCase()} `);
}

/** Scripts that end no sentence with a sign. */
const NO_ENDS = /[\p{Script=Thai}\p{Script=Lao}]/u;

const segmenter = /* @__PURE__ */ new Intl.Segmenter(undefined, { granularity: 'sentence' });

/** UTF-16 units that are segmented at once: a longer paragraph is data. */
const MAX_PROSE_UNITS = 50_000;

/**
 * A full stop before a figure that Unicode does not take for an end if a small letter follows: `… dry [1]. 48 towns have`. Behind a marker,
 * which is white space, or a long word it is one; behind a short one it may be a short form.
 */
const BEFORE_FIGURE = /(?<=\s|\p{L}{5})[.!?]["'“”’»)]*\s+(?=\p{Nd})/gu;

function* segmentsOf(prose: string): Generator<{ segment: string; index: number }> {
  for (const { segment, index } of segmenter.segment(prose)) {
    let at = 0;
    for (const found of segment.matchAll(BEFORE_FIGURE)) {
      const end = found.index + found[0].length;
      yield { segment: segment.slice(at, end), index: index + at };
      at = end;
    }
    yield { segment: segment.slice(at), index: index + at };
  }
}

/**
 * The sentences of a stretch of prose that begins at `at`, in order and without a gap: the white space behind a sentence
 * belongs to it, and so do the markers there, which are white space in `prose`. A sentence of a script that ends none with a sign
 * goes as far as its marker.
 */
export function sentencesOf(prose: string, at: number, markers: readonly Span[]): Span[] {
  const spans: Span[] = [];
  let open: Span | undefined;
  let next = 0;
  for (const { segment, index } of segmentsOf(prose.slice(0, MAX_PROSE_UNITS))) {
    const wordsEnd = at + index + segment.trimEnd().length;
    open = { start: open?.start ?? at + index, end: at + index + segment.length };
    while (next < markers.length && (markers[next]?.start ?? 0) < wordsEnd) next += 1;
    // A marker behind a full stop says that it was the end.
    const isMarked = (markers[next]?.start ?? Infinity) < open.end;
    if (!isMarked && goesOn(segment)) continue;
    spans.push(open);
    open = undefined;
  }
  if (open) spans.push(open);
  return spans.flatMap((span) => splitAtMarkers(prose, at, span, markers));
}

/** The end of a line behind a marker; group 1: what stands between. */
const LINE_END = /^([ \t*_~\\]*)\r?\n[ \t>]*/u;

/** What makes a line break a hard one. */
const HARD = /(?: {2}|\\)$/;

/** A line that goes on with the sentence before: it begins with a small letter and is no label (`fire: 1944`). */
const GOES_ON = /^\p{Ll}(?![^\n]{0,40}:)/u;

/**
 * Splits a sentence where a line of it ends with a marker: a list of facts that was written without bullets. Wrapped prose goes
 * on with a small letter.
 */
export function splitAtLines(text: string, span: Span, markers: readonly Span[]): Span[] {
  const out: Span[] = [];
  let { start } = span;
  for (const { end } of markers) {
    if (end <= start || end >= span.end) continue;
    const line = LINE_END.exec(text.slice(end, span.end));
    if (!line) continue;
    const next = end + line[0].length;
    if (next >= span.end) continue;
    if (!HARD.test(line[1] ?? '') && GOES_ON.test(text.slice(next, span.end))) continue;
    out.push({ start, end: next });
    start = next;
  }
  out.push({ start, end: span.end });
  return out;
}

function splitAtMarkers(prose: string, at: number, span: Span, markers: readonly Span[]): Span[] {
  if (!NO_ENDS.test(prose.slice(span.start - at, span.end - at))) return [span];
  const out: Span[] = [];
  let { start } = span;
  for (const { end } of markers) {
    if (end <= start || end > span.end) continue;
    const last = out.at(-1);
    // Two markers side by side end one stretch.
    if (last && prose.slice(start - at, end - at).trim() === '') last.end = end;
    else out.push({ start, end });
    start = end;
  }
  if (start < span.end) out.push({ start, end: span.end });
  return out;
}
