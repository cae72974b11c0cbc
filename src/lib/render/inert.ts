import { cleanTitle } from '../citations';

/**
 * Foreign text for a plain-text prop (title, subtitle, toast, label): one line of at most `max` code points in which
 * nothing acts. The launcher draws these as rich text as soon as they hold a `<`, and fetches what an `<img>` in a
 * page title names.
 */
export function inertText(text: string, max = 200): string {
  return cleanTitle(text, max).replaceAll('<', '‹').replaceAll('>', '›');
}
