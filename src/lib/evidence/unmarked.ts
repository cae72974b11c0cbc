import type { AnswerReading, Sentence } from './claims';
import { takeFigures } from './figures';
import { knownWords } from './known-words';
import { masked, type Hidden } from './mask';
import type { Span } from './sentences';
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

const COLON_END = /[:：﹕]\s*$/u;

/** What tells a sentence without a source from one whose source stands elsewhere. */
interface Around {
  response: string;
  /** What the person asked; '' = not known. */
  question: string;
  /** Whether a bracket that leads nowhere has a number of a source as well. */
  isPartlyKnown: (bracket: { numbers: readonly number[] }) => boolean;
  /** Whether a passage that was shown of one of these sources has the figure. */
  isShown: (figure: string, numbers: readonly number[]) => boolean;
}

/**
 * Sentences with a figure or a name that no marker stands for. A marker stands for all that comes before it in its paragraph or list
 * item, for the list or table under its line (`It has three parts [1]:`), and for what the sentence right behind it says about the same: names, and
 * figures that its source was shown to have. Questions, the person's own words, headings, titles and captions claim nothing.
 */
export function unmarkedOf(reading: AnswerReading, around: Around): Span[] {
  const { sentences, units, unresolved } = reading;
  // The number of a source that does not exist is no figure.
  const prose = masked(
    reading.prose,
    unresolved.map(({ start, end }): Hidden => ({ start, end, as: ' ' })),
  );
  const hasName = namesIn(prose);
  const covered = coveredUnits(reading);
  const captions = captionsOf(units, reading.words);
  const isAsked = knownWords([around.question]);
  const lastMarker = new Map<Unit, number>();
  for (const { unit, markers } of sentences) {
    for (const { end } of markers) lastMarker.set(unit, end);
  }
  return sentences
    .filter((sentence, n) => {
      const { start, end, markers, unit } = sentence;
      if (markers.length > 0 || unit.kind === 'heading' || unit.row?.isHead === true) return false;
      const text = prose.slice(start, end);
      const hasFigure = /\p{Nd}/u.test(text);
      if (!hasFigure && !hasName(text)) return false;
      const isMarkedLater = (lastMarker.get(unit) ?? 0) > start;
      if (isMarkedLater || covered.has(unit) || captions.has(unit)) return false;
      if (QUESTION.test(text) || TITLE.test(around.response.slice(start, end))) return false;
      if (isAsked(text)) return false;
      const own = unresolved.filter((bracket) => bracket.start >= start && bracket.start < end);
      if (own.some(around.isPartlyKnown)) return false;
      const before = sentences[n - 1];
      if (before?.unit !== unit || before.markers.length === 0) return true;
      const numbers = numbersOf(sentences, unit);
      return takeFigures(text).figures.some((figure) => !around.isShown(figure, numbers));
    })
    .map(({ start, end }) => ({ start, end }));
}

const numbersOf = (sentences: readonly Sentence[], unit: Unit): number[] =>
  sentences
    .filter((sentence) => sentence.unit === unit)
    .flatMap(({ markers }) => markers.flatMap(({ numbers }) => numbers));

/**
 * Tells whether a sentence has a name: a word with a capital inside it; in a language that writes many words so, two such
 * words in a row.
 */
function namesIn(prose: string): (text: string) => boolean {
  const sample = prose.slice(0, SAMPLE_UNITS);
  const share = (sample.match(CAPITAL)?.length ?? 0) / Math.max(1, sample.match(WORD)?.length ?? 0);
  return (text) => (share >= MANY_CAPITALS ? TWO_CAPITALS.test(text) : text.search(CAPITAL) >= 0);
}

/** The items and rows under a line that ends with a colon and has a marker. */
function coveredUnits({ units, sentences, words }: AnswerReading): Set<Unit> {
  const last = new Map<Unit, Sentence>(sentences.map((sentence) => [sentence.unit, sentence]));
  const covered = new Set<Unit>();
  let lead: Unit | undefined;
  for (const unit of units) {
    const isBelow =
      unit.kind === 'cell' || (unit.kind === 'item' && unit.depth > (lead?.depth ?? 0));
    if (lead && isBelow) {
      covered.add(unit);
      continue;
    }
    // Markers on a line of their own, between the line that ends with a colon and what is under it.
    if (lead && !/[\p{L}\p{N}]/u.test(words.slice(unit.start, unit.end))) continue;
    lead = undefined;
    const sentence = last.get(unit);
    if (!sentence || sentence.markers.length === 0 || unit.kind === 'cell') continue;
    if (COLON_END.test(words.slice(sentence.start, sentence.end))) lead = unit;
  }
  return covered;
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
