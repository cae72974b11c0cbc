import { inertText, plain, type PlainText } from '../lib/render';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Sections of the list of conversations, newest first. */
export type AgeSection = 'Today' | 'Yesterday' | 'Last 7 Days' | 'Older';

/** Which section a time belongs to, by calendar days of this machine's time zone. Milliseconds since the epoch. */
export function sectionOf(time: number, now: number): AgeSection {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  const today = midnight.getTime();
  midnight.setDate(midnight.getDate() - 1);
  const yesterday = midnight.getTime();
  if (time >= today) return 'Today';
  if (time >= yesterday) return 'Yesterday';
  return now - time < 7 * DAY_MS ? 'Last 7 Days' : 'Older';
}

/** `now`, `5 min. ago`, `2 hr. ago`, `3 days ago`; older than four weeks, the date. Milliseconds since the epoch. */
export function ageOf(time: number, now: number): PlainText {
  const age = Math.max(0, now - time);
  const format = new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'always' });
  if (age < MINUTE_MS) return plain`now`;
  if (age < HOUR_MS) return inertText(format.format(-Math.floor(age / MINUTE_MS), 'minute'));
  if (age < DAY_MS) return inertText(format.format(-Math.floor(age / HOUR_MS), 'hour'));
  if (age < 28 * DAY_MS) return inertText(format.format(-Math.floor(age / DAY_MS), 'day'));
  return inertText(new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(time));
}
