/** Code points of a server's own words inside a failure: two lines of the pane. */
const MAX_QUOTE_CHARS = 200;

/** So many equal characters in a row as in a secret are treated as a part of it (servers print keys shortened). */
const SECRET_RUN = 6;

const REMOVED = '[removed]';

/** What keys of well-known services look like, shortened ones included (`sk-ab***yz`); also a whole header. */
const KEY_SHAPES = [
  /\b(?:sk|pk|gsk|xai|nvapi|pplx|csk|hf|tgp)[-_][\w*.…-]{6,}/g,
  /\bAIza[\w*-]{6,}/g,
  /\bBearer\s+[\w*.~+/=-]+/gi,
];

/**
 * A server's own message, fit to be shown: one line, no control characters, secrets removed, at most 200 code points.
 *
 * @param secrets the key and password in use; they and recognisable parts of them never come through.
 * @returns '' when nothing is left.
 */
export function quote(message: string, secrets: readonly string[]): string {
  // A first, generous cap keeps hostile megabytes cheap; nothing near it is ever shown.
  let text = message
    .slice(0, MAX_QUOTE_CHARS * 20)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  text = withoutSecrets(text, secrets);
  const points = Array.from(text);
  return points.length <= MAX_QUOTE_CHARS
    ? text
    : `${points
        .slice(0, MAX_QUOTE_CHARS - 1)
        .join('')
        .trimEnd()}…`;
}

/** A text in which neither these secrets nor recognisable parts of them are left, nor anything that looks like a key. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const rest = secrets.reduce(withoutSecret, text);
  return KEY_SHAPES.reduce((left, shape) => left.replace(shape, REMOVED), rest);
}

function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  // A stand-in such as "x" or "none" is no secret; taken out as a whole word only.
  if (secret.length < SECRET_RUN)
    return text
      .split(' ')
      .map((word) => (word === secret ? REMOVED : word))
      .join(' ');
  const whole = text.replaceAll(secret, REMOVED);
  const runs = new Set<string>();
  for (let at = 0; at + SECRET_RUN <= secret.length; at += 1)
    runs.add(secret.slice(at, at + SECRET_RUN));
  return whole
    .split(/(?<=[\s"'`,;:()])/)
    .map((word) => (containsRun(word, runs) ? word.replace(/[^\s"'`,;:()]+/, REMOVED) : word))
    .join('');
}

function containsRun(word: string, runs: ReadonlySet<string>): boolean {
  for (let at = 0; at + SECRET_RUN <= word.length; at += 1)
    if (runs.has(word.slice(at, at + SECRET_RUN))) return true;
  return false;
}
