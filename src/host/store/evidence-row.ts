import * as z from 'zod/mini';

import { MAX_EVIDENCE_QUOTE_CHARS } from '../../lib/constants';
import { EvidenceSchema, QuoteCheckSchema, ShownSchema } from '../../lib/schemas';
import type { Evidence, QuoteCheck, Shown } from '../../lib/types';
import { defined, field, fieldsOf, rowsOf, type Damage } from './damage';

/** Passages, and quotations, of one turn. An answer as long as a model may write (some 100,000 characters) with a marker after every sentence has about a thousand. */
const MAX_ROWS = 2_000;

/** Stretches of text in one result. The longest result, an attached text of 200,000 characters, has that many in blocks of ten. */
const MAX_SHOWN_ROWS = 20_000;

/** Blocks of one passage, and markers in front of it. */
const MAX_NAMES = 1_000;

/** Characters of a text directive. The longest honest one repeats 300 characters, each of which is nine when it is encoded (Chinese), and some words around them. */
const MAX_FRAGMENT_CHARS = 4_000;

/**
 * A text directive is handed to the browser behind an address, and stands in copies: only what RFC 3986 (3.5) lets stand in
 * a fragment, so no white space, double quotes, angle brackets or control characters.
 */
const FRAGMENT = /^text=(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-F]{2})+$/i;

const FragmentSchema = z.string().check(z.maxLength(MAX_FRAGMENT_CHARS), z.regex(FRAGMENT));
const PassageNeeds = z.pick(EvidenceSchema, { index: true, id: true, quote: true });
const ShownNeeds = z.pick(ShownSchema, { index: true, at: true, length: true });
const MarkerSchema = z.int().check(z.nonnegative());
const ScoreSchema = z.number().check(z.minimum(0), z.maximum(1));

/** A passage with nothing wrong about it, which is read in one go: every conversation that is listed or searched is read. */
const WholePassage = z
  .extend(EvidenceSchema, {
    blocks: z.array(z.string()).check(z.maxLength(MAX_NAMES)),
    // Not `maxLength`, which counts code points.
    quote: z.string().check(z.refine(({ length }) => length <= MAX_EVIDENCE_QUOTE_CHARS)),
    score: ScoreSchema,
    markers: z.array(MarkerSchema).check(z.maxLength(MAX_NAMES)),
    fragment: z.optional(FragmentSchema),
  })
  .check(
    z.refine(
      ({ page = Infinity, pageEnd = Infinity, start = 0, end = Infinity }) =>
        page <= pageEnd && start <= end,
    ),
  );

/** Rows of a list whose readable ones are kept, the same one once, and not more than `most`; what was lost is counted. What stands behind twice as many rows is not looked at: a million broken ones took 25 s. */
function distinct<T>(
  value: unknown,
  read: (row: unknown) => T | undefined,
  { most, lost, damage }: { most: number; lost: 'passages' | 'details'; damage: Damage },
): T[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = rowsOf(value);
  if (list === undefined) {
    damage[lost] += 1;
    return undefined;
  }
  const kept = new Map<string, T>();
  for (const [place, item] of list.entries()) {
    if (kept.size === most || place === 2 * most) {
      damage[lost] += list.length - place; // not looked at: a record of a million rows must not stall the window
      break;
    }
    const row = read(item);
    if (row === undefined) damage[lost] += 1;
    else kept.set(JSON.stringify(row), row);
  }
  return [...kept.values()];
}

/** The items of a list that fit; each that does not, and what is beyond the limit, is a detail. */
function names<T>(schema: z.ZodMiniType<T>, value: unknown, damage: Damage): T[] {
  const list = rowsOf(value);
  if (list === undefined) {
    damage.details += 1;
    return [];
  }
  const kept: T[] = [];
  for (const item of list.slice(0, MAX_NAMES)) {
    const parsed = z.safeParse(schema, item);
    if (parsed.success) kept.push(parsed.data);
  }
  damage.details += list.length - kept.length;
  return kept;
}

/** The beginning of a quote that is too long, without half a surrogate pair. */
function cutQuote(quote: string): string {
  const last = quote.charCodeAt(MAX_EVIDENCE_QUOTE_CHARS - 1);
  const isHalved = last >= 0xd800 && last <= 0xdbff;
  return quote.slice(0, MAX_EVIDENCE_QUOTE_CHARS - (isHalved ? 1 : 0));
}

/** The optional numbers that say where a passage is; those that contradict each other are left out. */
function placeOf(
  fields: Record<string, unknown>,
  damage: Damage,
): Partial<Pick<Evidence, 'page' | 'pageEnd' | 'number' | 'start' | 'end'>> {
  const { shape } = EvidenceSchema;
  const place = {
    page: field(shape.page, fields.page, damage),
    pageEnd: field(shape.pageEnd, fields.pageEnd, damage),
    number: field(shape.number, fields.number, damage),
    start: field(shape.start, fields.start, damage),
    end: field(shape.end, fields.end, damage),
  };
  if (place.pageEnd !== undefined && place.pageEnd < (place.page ?? Infinity)) {
    place.pageEnd = undefined;
    damage.details += 1;
  }
  if (place.start !== undefined && place.end !== undefined && place.start > place.end) {
    place.start = undefined;
    place.end = undefined;
    damage.details += 1;
  }
  return defined(place);
}

/** A passage needs its number, its document and its words; whatever else is wrong costs only itself. */
function readPassage(value: unknown, damage: Damage): Evidence | undefined {
  const needed = z.safeParse(PassageNeeds, value);
  if (!needed.success) return undefined;
  const whole = z.safeParse(WholePassage, value);
  if (whole.success) return whole.data;
  const { shape } = EvidenceSchema;
  const fields = fieldsOf(value) ?? {};
  const { index, id, quote } = needed.data;
  const required = <T>(schema: z.ZodMiniType<T>, given: unknown, fallback: T): T => {
    const parsed = z.safeParse(schema, given);
    if (!parsed.success) damage.details += 1;
    return parsed.success ? parsed.data : fallback;
  };
  const isLong = quote.length > MAX_EVIDENCE_QUOTE_CHARS;
  if (isLong) damage.details += 1;
  const url = required(shape.url, fields.url, '');
  const repaired = {
    index,
    id,
    title: required(shape.title, fields.title, url === '' ? id : url),
    url,
    ...defined({
      kind: field(shape.kind, fields.kind, damage),
      version: field(shape.version, fields.version, damage),
    }),
    ...placeOf(fields, damage),
    blocks: names(z.string(), fields.blocks, damage),
    quote: isLong ? cutQuote(quote) : quote,
    ...defined({ cut: isLong ? true : field(shape.cut, fields.cut, damage) }),
    score: required(ScoreSchema, fields.score, 0),
    markers: names(MarkerSchema, fields.markers, damage),
    ...defined({ fragment: field(FragmentSchema, fields.fragment, damage) }),
  };
  // Once more, for the order of its keys: a rewrite is to be the same byte for byte.
  return z.safeParse(WholePassage, repaired).data;
}

/**
 * Reads the passages behind the citations of a turn. The same row twice is one. A number means one source: of rows that give
 * it to several documents, those of the document under the source's own address stay, or of the first one.
 *
 * @param addresses of the sources of the turn, by number
 */
export function readEvidence(
  value: unknown,
  addresses: ReadonlyMap<number, string>,
  damage: Damage,
): Evidence[] | undefined {
  const limits = { most: MAX_ROWS, lost: 'passages', damage } as const;
  const all = distinct(value, (row) => readPassage(row, damage), limits);
  if (all === undefined) return undefined;
  const documents = new Map<number, { id: string; isSources: boolean }>();
  for (const { index, id, url } of all) {
    const isSources = url === addresses.get(index);
    const known = documents.get(index);
    if (known === undefined || (isSources && !known.isSources))
      documents.set(index, { id, isSources });
  }
  const kept = all.filter(({ index, id }) => documents.get(index)?.id === id);
  damage.passages += all.length - kept.length;
  return kept;
}

/** Reads what became of the quotations of a turn. */
export function readQuotes(value: unknown, damage: Damage): QuoteCheck[] | undefined {
  const read = (row: unknown): QuoteCheck | undefined => {
    const parsed = z.safeParse(QuoteCheckSchema, row);
    return parsed.success && parsed.data.start <= parsed.data.end ? parsed.data : undefined;
  };
  return distinct(value, read, { most: MAX_ROWS, lost: 'details', damage });
}

/** Reads which texts stand in the result of a call. A row needs its source and its place in the result. */
export function readShown(value: unknown, damage: Damage): Shown[] | undefined {
  const { shape } = ShownSchema;
  const read = (row: unknown): Shown | undefined => {
    const needed = z.safeParse(ShownNeeds, row);
    if (!needed.success) return undefined;
    const whole = z.safeParse(ShownSchema, row);
    if (whole.success) return whole.data;
    const fields = fieldsOf(row) ?? {};
    return {
      ...needed.data,
      ...defined({
        start: field(shape.start, fields.start, damage),
        block: field(shape.block, fields.block, damage),
        number: field(shape.number, fields.number, damage),
        page: field(shape.page, fields.page, damage),
        original: field(shape.original, fields.original, damage),
      }),
    };
  };
  return distinct(value, read, { most: MAX_SHOWN_ROWS, lost: 'details', damage });
}
