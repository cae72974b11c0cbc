import type { SourceStatus } from '../../lib/types';
import {
  ALL_COOKIES,
  CAPTCHA,
  CHALLENGE,
  LOADING,
  LOGIN_NOTICE,
  LOGIN_PATH,
  LOGIN_TITLE,
  NOT_FOUND,
  PROVE_HUMAN,
  SHELL,
  WALL_TITLE,
  WANTS_SCRIPT,
} from './wall-words';

/** UTF-16 units up to which such a sentence is the page, not a remark on it: an article that tells of walls is longer. */
const NOTICE_CHARS = 600;
/** Up to which the text of a robot check stands alone, with no other sign of one. */
const BARE_NOTICE_CHARS = 250;
/** Up to which a page may be nothing but a request for consent: those name laws and partners at length. */
const CONSENT_CHARS = 1_500;
/** Text below which a page with scripts may be an application that draws itself. A title and "Loading…" fit; a stub article does not. */
const SHELL_CHARS = 80;
/** Text below which it is one, with scripts alone as a sign. */
const NO_TEXT_CHARS = 20;
/** Tags of one kind that are looked at in the page as it came, and UTF-16 units of each; a page built to hurt has thousands. */
const MAX_TAGS = 200;
const MAX_NOSCRIPTS = 20;
const MAX_TAG_CHARS = 400;
const MAX_NOSCRIPT_CHARS = 2_100;
/** Text besides cookies and consent that a page may have and still be no more than a request for consent: a heading. */
const OTHER_CHARS = 80;

export interface ArrivedPage {
  /** The address that was asked for. */
  asked: string;
  /** The address that answered. */
  url: string;
  title: string;
  /** The readable text. */
  text: string;
  /** The page as it came. */
  html: string;
  /** Its script elements. */
  scripts: number;
}

export interface Wall {
  status: Extract<SourceStatus, 'blocked' | 'needs-browser' | 'not-found'>;
  /** One sentence. */
  message: string;
}

/**
 * What stands in place of a page that arrived: a robot check, a consent or login wall, an application that needs a browser,
 * or "not found" sent as a success. Each takes a short text and a second sign: a long text is read whatever it says.
 */
export function findWall(page: ArrivedPage): Wall | undefined {
  const host = new URL(page.url).host;
  const named = page.title === '' ? '' : ` ("${page.title.slice(0, 60)}")`;
  if (isCheck(page))
    return {
      status: 'blocked',
      message: `${host} shows a check that a person is reading${named} instead of the page.`,
    };
  if (isConsent(page))
    return {
      status: 'blocked',
      message: `${host} shows a consent page${named} instead of the page.`,
    };
  if (isLogin(page))
    return {
      status: 'blocked',
      message: `${host} asks to sign in${named} before it shows the page.`,
    };
  if (isNotFound(page))
    return { status: 'not-found', message: `${host} says that there is no such page${named}.` };
  if (isShell(page))
    return {
      status: 'needs-browser',
      message: `The page at ${host} draws itself with scripts; without a browser there is no text to read.`,
    };
  return undefined;
}

/** A robot check by what is in the page alone: also for the body of a refusal. */
export function isChallenge(html: string): boolean {
  return CHALLENGE.test(html);
}

function isCheck({ title, text, html }: ArrivedPage): boolean {
  if (text.length > NOTICE_CHARS) return false;
  if (isChallenge(html) || WALL_TITLE.check.test(title.trim())) return true;
  return PROVE_HUMAN.test(text) && (text.length <= BARE_NOTICE_CHARS || CAPTCHA.test(html));
}

function isConsent({ title, text, html }: ArrivedPage): boolean {
  if (text.length > CONSENT_CHARS) return false;
  if (text.length <= NOTICE_CHARS && WALL_TITLE.consent.test(title.trim())) return true;
  const sentences = text.split(/\n+|(?<=[.!?。！？])\s*/);
  const others = sentences.filter((sentence) => !ALL_COOKIES.sentence.test(sentence));
  const other = others.reduce((sum, sentence) => sum + sentence.trim().length, 0);
  return (
    others.length < sentences.length / 2 && other < OTHER_CHARS && ALL_COOKIES.accept.test(html)
  );
}

function isLogin({ asked, url, title, text, html }: ArrivedPage): boolean {
  if (text.length > NOTICE_CHARS) return false;
  const sent = LOGIN_PATH.test(new URL(url).pathname) && !LOGIN_PATH.test(new URL(asked).pathname);
  const form = hasPasswordField(html);
  if (!sent && !form) return false;
  return LOGIN_TITLE.test(title.trim()) || LOGIN_NOTICE.test(text) || (sent && form);
}

function isNotFound({ title, text }: ArrivedPage): boolean {
  return (
    text.length <= NOTICE_CHARS && NOT_FOUND.title.test(title.trim()) && NOT_FOUND.text.test(text)
  );
}

function isShell({ text, html, scripts }: ArrivedPage): boolean {
  if (scripts === 0 || text.length > NOTICE_CHARS) return false;
  if (WANTS_SCRIPT.test(text)) return true;
  const length = text.trim().length;
  if (length >= SHELL_CHARS) return false;
  return length < NO_TEXT_CHARS || LOADING.test(text) || SHELL.test(html) || noscriptNotice(html);
}

/** A `<noscript>` that asks for scripts rather than counting a visit. */
function noscriptNotice(html: string): boolean {
  return stretches(html, '<noscript', MAX_NOSCRIPTS, MAX_NOSCRIPT_CHARS).some((stretch) => {
    const end = stretch.indexOf('</noscript');
    return end !== -1 && WANTS_SCRIPT.test(stretch.slice(stretch.indexOf('>') + 1, end));
  });
}

function hasPasswordField(html: string): boolean {
  return stretches(html, '<input', MAX_TAGS, MAX_TAG_CHARS).some((stretch) =>
    /^<input\s(?:[^>]*\s)?type\s*=\s*["']?password/.test(stretch),
  );
}

/** What begins with a tag, lower-cased, `chars` long: of the first tags only. */
function stretches(html: string, tag: string, count: number, chars: number): string[] {
  const lower = html.toLowerCase();
  const found: string[] = [];
  for (let at = lower.indexOf(tag); at !== -1 && found.length < count;) {
    found.push(lower.slice(at, at + chars));
    at = lower.indexOf(tag, at + tag.length);
  }
  return found;
}
