import type { AnswerReading, Marker, Sentence } from './claims';
import { takeFigures } from './figures';
import { knownWords } from './known-words';
import { leadsOf } from './lead';
import { masked, type Hidden } from './mask';
import { openQuotations } from './open-quotations';
import type { Span } from './sentences';
import type { ShownWords } from './shown-words';
import type { Unit } from './units';

/** A word with a capital behind another word: the first word of a sentence has one in any case. */
const CAPITAL = /(?<=[\p{L}\p{N},;:)][ \u00A0]["'“„«(]?)\p{Lu}[\p{L}\p{M}’'-]+/gu;
const TWO_CAPITALS =
  /(?<=[\p{L}\p{N},;:)][ \u00A0]["'“„«(]?)\p{Lu}[\p{L}\p{M}’'-]+[ \u00A0]\p{Lu}[\p{L}\p{M}’'-]+/u;
const WORD = /\p{L}[\p{L}\p{M}’'-]+/gu;

/** Share of words with a capital from which a language writes nouns so. German has about 0.3, English texts full of names 0.15. */
const MANY_CAPITALS = 0.2;

/** UTF-16 units of an answer by which its language is judged. */
const SAMPLE_UNITS = 20_000;

/** Question marks of all scripts: Latin, Greek, Armenian, Arabic, Ethiopic, Vai, full-width, doubled. */
const QUESTION = /[?;՞؟፧꘏⁇⁈⁉‽⸮？﹖︖]["'“”’»)\]*_」』\s]*$/u;

/** A paragraph that is a title: all of it is strong. */
const TITLE = /^(?:\*\*[^*\n]+\*\*|__[^_\n]+__)[:：]?$/u;

/** `Table 2: …`: what stands below a table. */
const CAPTION = /^[\s*_]*\p{L}+\.?[ \u00A0]*\p{Nd}+(?:\.\p{Nd}+)?[.:：—–-]/u;
const SENTENCE_END = /[.!?。！？।؟…]["'“”’»)\]」』\s]*$/u;

/** What tells a sentence without a source from one whose source stands elsewhere. */
interface Around {
  response: string;
  /** What the person asked; '' = not known. */
  question: string;
  /** Whether a bracket that leads nowhere has a number of a source as well. */
  isPartlyKnown: (bracket: { numbers: readonly number[] }) => boolean;
  /** Whether words stand in quotation marks for another reason than that they are quoted. */
  isOther: (words: string) => boolean;
  shown: ShownWords;
}

/**
 * Sentences with a figure, a name or a quotation that no marker stands for. A marker stands for the list, table or block quote under
 * its line (`It has three parts [1]:`). It also stands for the sentences before it in its paragraph or list item and for the one right
 * behind its own, as far as they have names, and figures that its source was shown to have. For a quotation in another sentence it stands only if its
 * source has it word for word. Questions, the person's own words, headings, titles and captions claim nothing.
 */
export function unmarkedOf(reading: AnswerReading, around: Around): Span[] {
  const { sentences, units, unresolved } = reading;
  // The number of a source that does not exist is no figure.
  const prose = masked(
    reading.prose,
    unresolved.map(({ start, end }): Hidden => ({ start, end, as: ' ' })),
  );
  const hasName = namesIn(prose);
  const leads = new Map(
    leadsOf(reading).flatMap(({ sentence, below }) =>
      below.map((unit): [Unit, Sentence] => [unit, sentence]),
    ),
  );
  const captions = captionsOf(units, reading.words);
  const isAsked = knownWords([around.question]);
  const markersIn = new Map<Unit, Marker[]>();
  for (const { unit, markers } of sentences) {
    if (markers.length > 0) markersIn.set(unit, [...(markersIn.get(unit) ?? []), ...markers]);
  }
  const isSilent = ({ markers, unit }: Sentence): boolean =>
    markers.length > 0 ||
    unit.kind === 'heading' ||
    unit.row?.isHead === true ||
    captions.has(unit);
  const isPartlyKnown = ({ start, end }: Sentence): boolean =>
    unresolved.some(
      (bracket) => bracket.start >= start && bracket.start < end && around.isPartlyKnown(bracket),
    );
  const isMissing = (sentence: Sentence, n: number): boolean => {
    const { start, end, unit } = sentence;
    const text = prose.slice(start, end);
    if ((!/\p{Nd}/u.test(text) && !hasName(text)) || leads.has(unit)) return false;
    if (QUESTION.test(text) || TITLE.test(around.response.slice(start, end))) return false;
    if (isAsked(text)) return false;
    const markers = markersIn.get(unit) ?? [];
    const numbers = markers.flatMap((marker) => marker.numbers);
    const { figures } = takeFigures(text);
    if ((markers.at(-1)?.end ?? 0) > start)
      return figures.some((figure) => !around.shown.mayHaveFigure(figure, numbers));
    const before = sentences[n - 1];
    if (before?.unit !== unit || before.markers.length === 0) return true;
    return figures.some((figure) => !around.shown.hasFigure(figure, numbers));
  };
  const quoting = openQuotations(reading, {
    ...around,
    leadOf: (unit) => leads.get(unit)?.markers ?? [],
    isQuestion: (text) => QUESTION.test(text),
  });
  const isQuoting = new Set(quoting.map(({ start }) => start));
  const isSentence = new Set(sentences.map(({ start }) => start));
  return [
    ...sentences
      .filter((each, n) => !isSilent(each) && (isQuoting.has(each.start) || isMissing(each, n)))
      .filter((each) => !isPartlyKnown(each))
      .map(({ start, end }) => ({ start, end })),
    // Cells of a row whose other cells are claims.
    ...quoting.filter(({ start }) => !isSentence.has(start)),
  ].sort((one, other) => one.start - other.start);
}

/**
 * Tells whether a sentence has a name: a word with a capital inside it; in a language that writes many words so, two such
 * words in a row.
 */
function namesIn(prose: string): (text: string) => boolean {
  const sample = prose.slice(0, SAMPLE_UNITS);
  const share = (sample.match(CAPITAL)?.length ?? 0) / Math.max(1, sample.match(WORD)?.length ?? 0);
  return (text) => (share >= MANY_CAPITALS ? TWO_CAPITALS.test(text) : text.search(CAPITAL) >= 0);
}

/** The paragraphs right above a table that are no sentence, and those below it that are numbered. */
function captionsOf(units: readonly Unit[], words: string): Set<Unit> {
  const captions = new Set<Unit>();
  for (const [n, unit] of units.entries()) {
    if (unit.kind !== 'paragraph') continue;
    const text = words.slice(unit.start, unit.end);
    const isAbove = units[n + 1]?.kind === 'cell';
    const isBeside = isAbove || units[n - 1]?.kind === 'cell';
    if ((isAbove && !SENTENCE_END.test(text)) || (isBeside && CAPTION.test(text)))
      captions.add(unit);
  }
  return captions;
}
