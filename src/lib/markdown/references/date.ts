/** Year, month (from 1) and day; month and day where they are known. */
export type DateParts = [year: number, month?: number, day?: number];

const ISO_DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** A date as ISO 8601 writes it (`2026`, `2026-03`, `2026-03-14`) that the calendar has; nothing of words such as `3 days ago`. */
export function readDate(text: string): DateParts | undefined {
  const match = ISO_DATE.exec(text);
  if (match === null) return undefined;
  const given: readonly (string | undefined)[] = match.slice(1);
  const [year = 0, month, day] = given.map((part) => (part === undefined ? part : Number(part)));
  if (year === 0) return undefined;
  if (month === undefined) return [year];
  if (month < 1 || month > 12) return undefined;
  if (day === undefined) return [year, month];
  return day >= 1 && day <= daysIn(year, month) ? [year, month, day] : undefined;
}

/** The day of a time in UTC; nothing of a time that is none, or of a year that has not four digits. @param ms since the epoch */
export function utcDay(ms: number): DateParts | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime())
    ? undefined
    : readDate(date.toISOString().split('T', 1)[0] ?? '');
}

/** `2026-03-14`, as far as it is known. */
export function isoDate([year, ...others]: DateParts): string {
  const parts = others
    .filter((part) => part !== undefined)
    .map((part) => String(part).padStart(2, '0'));
  return [String(year).padStart(4, '0'), ...parts].join('-');
}
