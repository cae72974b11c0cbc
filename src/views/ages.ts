import { inertText, plain, type PlainText } from '../lib/render';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Sections of the list of conversations, newest first. */
export type AgeSection = 'Today' | 'Yesterday' | 'Last 7 Days' | 'Last 30 Days' | 'Older';

/** Which section a time belongs to, by calendar days of this machine's time zone. Milliseconds since the epoch. */
export function sectionOf(time: number, now: number): AgeSection {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  const today = midnight.getTime();
  midnight.setDate(midnight.getDate() - 1);
  const yesterday = midnight.getTime();
  if (time >= today) return 'Today';
  if (time >= yesterday) return 'Yesterday';
  if (now - time < 7 * DAY_MS) return 'Last 7 Days';
  return now - time < 30 * DAY_MS ? 'Last 30 Days' : 'Older';
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

/**
 * The same in as few letters as possible, to stand beside a title: `now`, `5 min`, `2 h`, `3 d`; older than four weeks, `Jan 5`,
 * and in another year `Jan 2025`.
 */
export function shortAge(time: number, now: number): PlainText {
  const age = Math.max(0, now - time);
  if (age < MINUTE_MS) return plain`now`;
  if (age < HOUR_MS) return plain`${Math.floor(age / MINUTE_MS)} min`;
  if (age < DAY_MS) return plain`${Math.floor(age / HOUR_MS)} h`;
  if (age < 28 * DAY_MS) return plain`${Math.floor(age / DAY_MS)} d`;
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  const form: Intl.DateTimeFormatOptions = isThisYear
    ? { month: 'short', day: 'numeric' }
    : { month: 'short', year: 'numeric' };
  return inertText(new Intl.DateTimeFormat('en', form).format(time));
}

/** `30 d left` until a day has passed, at last `last day`. Milliseconds since the epoch. */
export function timeLeft(until: number, now: number): PlainText {
  const days = Math.ceil((until - now) / DAY_MS);
  return days <= 1 ? plain`last day` : plain`${days} d left`;
}
