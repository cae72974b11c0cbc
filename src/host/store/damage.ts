import * as z from 'zod/mini';

/** Levels of nesting a stored value may have. JSON.stringify recurses, and a record that cannot be written again would be stuck. */
const MAX_DEPTH = 200;

/** Characters of a title inside a sentence about the conversation. */
const MAX_SPOKEN_TITLE = 60;

/** What could not be read of a record, counted on the way and said once. */
export interface Damage {
  turns: number;
  calls: number;
  sources: number;
  attachments: number;
  passages: number;
  details: number;
}

const FieldsSchema = z.record(z.string(), z.unknown());
const RowsSchema = z.array(z.unknown());

export const noDamage = (): Damage => ({
  turns: 0,
  calls: 0,
  sources: 0,
  attachments: 0,
  passages: 0,
  details: 0,
});

/** Whether something is nested deeper than may be stored. */
export function isTooDeep(value: unknown): boolean {
  const open: [unknown, number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [current, depth] = next;
    if (typeof current !== 'object' || current === null) continue;
    if (depth > MAX_DEPTH) return true;
    for (const inner of Object.values(current)) open.push([inner, depth + 1]);
  }
  return false;
}

/** The list, whatever its rows are; undefined for anything else. */
export function rowsOf(value: unknown): unknown[] | undefined {
  const parsed = z.safeParse(RowsSchema, value);
  return parsed.success ? parsed.data : undefined;
}

/** Objects only. zod copies own keys except `__proto__`, so nothing stored can change a prototype. */
export function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  const parsed = z.safeParse(FieldsSchema, value);
  return parsed.success ? parsed.data : undefined;
}

/** An optional field: absent and null mean the same; a value of another shape is left out and counted. */
export function field<T>(schema: z.ZodMiniType<T>, value: unknown, damage: Damage): T | undefined {
  if (value === undefined || value === null) return undefined;
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  damage.details += 1;
  return undefined;
}

/** A list read row by row: a row that `read` refuses never hides its neighbours. Absent stays absent. */
export function rows<T>(
  value: unknown,
  read: (row: unknown) => T | undefined,
  lost: keyof Damage,
  damage: Damage,
): T[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = rowsOf(value);
  if (list === undefined) {
    damage[lost] += 1;
    return undefined;
  }
  return list.flatMap((row) => {
    const result = read(row);
    if (result === undefined) damage[lost] += 1;
    return result === undefined ? [] : [result];
  });
}

/** The object without the keys whose value is undefined, so that absent stays absent. */
export function defined<T extends object>(value: T): Partial<T> {
  const result: Partial<T> = { ...value };
  for (const key in result) if (result[key] === undefined) Reflect.deleteProperty(result, key);
  return result;
}

/** One line, short enough to stand inside a sentence. */
export function spokenTitle(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const points = Array.from(line);
  return points.length > MAX_SPOKEN_TITLE ? `${points.slice(0, MAX_SPOKEN_TITLE).join('')}…` : line;
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/**
 * One sentence about what was lost; none when nothing was.
 *
 * @param total exchanges that the record holds, read or not
 * @param ending what became of it, as in "the original is kept"
 */
export function lossSentences(
  damage: Damage,
  total: number,
  title: string,
  ending: string,
): string[] {
  const lost = [
    ...(damage.turns > 0 ? [`${damage.turns} of ${count(total, 'exchange')}`] : []),
    ...(damage.calls > 0 ? [count(damage.calls, 'tool call')] : []),
    ...(damage.sources > 0 ? [count(damage.sources, 'source')] : []),
    ...(damage.attachments > 0 ? [count(damage.attachments, 'attachment')] : []),
    ...(damage.passages > 0 ? [count(damage.passages, 'passage')] : []),
    ...(damage.details > 0 ? [count(damage.details, 'detail')] : []),
  ];
  if (lost.length === 0) return [];
  return [`${lost.join(', ')} in “${spokenTitle(title)}” could not be read; ${ending}.`];
}
