/**
 * Where a link really goes, against what its text lets a reader believe. What is compared is what is read: the text of the
 * link as it is drawn, not as it is written.
 */

/** Characters that draw nothing. A host name with one of them in it reads like the name without. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** What is read: compatibility forms (`ｂａｎｋ`, `․`) as the characters they look like, nothing unseen, other slashes and dots as theirs. */
function readable(text: string): string {
  return text
    .replace(UNSEEN, (char) => (/\s/.test(char) ? ' ' : ''))
    .normalize('NFKC')
    .replace(/(?<=[a-z\d])[。︒](?=[a-z\d])/gi, '.')
    .replace(/[⁄∕⧸╱]/g, '/')
    .replace(/[꞉ː∶։]/g, ':')
    .trim();
}

/** Ends of file names that are no top-level domains: `Node.js` and `notes.txt` are no hosts. */
const FILE_NAME =
  /\.(?:bat|cfg|conf|cpp|css|csv|docx?|exe|gif|gz|hpp|html?|ini|ipynb|java|jpe?g|json5?|jsx?|kt|lock|log|mjs|php|png|ps1|pdf|scss|sql|svg|toml|tsx?|txt|vue|xlsx?|xml|ya?ml)$/i;

const NAME = /^(?:[\p{L}\p{M}\p{N}_-]+\.)+(?:\p{L}[\p{L}\p{M}]+|xn--[a-z\d-]+)$/u;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

const isHostName = (name: string): boolean =>
  (NAME.test(name) && !FILE_NAME.test(name)) || IPV4.test(name);

interface Claim {
  /** Host names that a reader takes for the place. */
  hosts: string[];
  /** `user@` before the host of a web address: the first name that is read is not the place. */
  hasUser: boolean;
}

/** The host names that one word of a text shows. */
function claimOf(word: string): Claim {
  const rest = word.replace(/^[^\p{L}\p{N}]+/u, '');
  const scheme = /^[a-z][a-z\d+-]*:[/\\]*/i.exec(rest)?.[0] ?? '';
  const authority = rest.slice(scheme.length).split(/[/\\?#]/, 1)[0] ?? '';
  const parts = authority.split('@').map((part) => part.replace(/:.*$/s, ''));
  const isWeb = /^https?:/i.test(scheme);
  const named = parts.map((part) => part.replace(/[^\p{L}\p{N}]+$/u, ''));
  const last = named.at(-1) ?? '';
  // Behind `http://` every name is a host; `first.last@bank.example` is an address of mail, and only its end is one.
  const hosts = isHostName(last) || (isWeb && last !== '') ? [last] : [];
  return { hosts, hasUser: isWeb && parts.length > 1 };
}

/** Between words, as far as hosts go. */
const BETWEEN = /[\s|,;()[\]{}<>"'“”‘’«»„‹›—–]+/;

function claims(text: string, destination: string): Claim[] {
  // An address that shows all of itself may hold anything behind its host.
  if (text === destination) return [claimOf(text)];
  return text.split(BETWEEN).map(claimOf);
}

const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');

/** A host as the network knows it: lower case, other letters than ASCII as `xn--`. Undefined for what is none. */
function networkName(host: string): string | undefined {
  const isAscii = /^\p{ASCII}*$/u.test(host);
  // An odd spelling of an ASCII name or number (`%65`, `0x7f.1`) is not the place to a reader.
  if (isAscii) return bare(host);
  const address = `http://${host}/`;
  return URL.canParse(address) ? bare(new URL(address).hostname) : undefined;
}

/** One script for each label, and no letters in it that pass for Latin ones. */
const PLAIN_LABELS = [
  /^[\w-]+$/,
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー\d-]+$/u,
  /^[\p{sc=Hangul}\d-]+$/u,
  /^[\p{sc=Arabic}\d-]+$/u,
  /^[\p{sc=Hebrew}\d-]+$/u,
  /^[\p{sc=Devanagari}\d-]+$/u,
  /^[\p{sc=Thai}\d-]+$/u,
  // Russian and its neighbours: with at least one letter that no Latin letter looks like.
  /^(?=.*[бджзийлфцчшщъыэюя])[\p{sc=Cyrillic}\d-]+$/iu,
];

/**
 * Whether a reader sees which host it is. Browsers show other names in their network form, because `аpple` in Cyrillic or
 * `ĝoogle` are read as something else. A label of one script that has no Latin look-alikes deceives nobody.
 */
const isPlain = (host: string): boolean =>
  host
    .toLowerCase()
    .replace(/\.$/, '')
    .split('.')
    .every((label) => PLAIN_LABELS.some((pattern) => pattern.test(label)));

/** Where an address leads: the host of a web address in its network form (`xn--…`), or the address of a mail link. */
function placeOf(destination: string): { host: string; shown: string } | undefined {
  const mail = /^mailto:([^?]*@([^?]*))/i.exec(destination);
  if (mail) return { host: networkName(mail[2] ?? '') ?? '', shown: mail[1] ?? '' };
  if (!/^https?:/i.test(destination) || !URL.canParse(destination)) return undefined;
  const { hostname } = new URL(destination);
  return hostname === '' ? undefined : { host: bare(hostname), shown: hostname };
}

/**
 * What has to be said beside a link so that its text deceives nobody: the host it leads to (of a mail link, the address),
 * in ASCII. Undefined when nothing has to be said, which is nearly always.
 *
 * Said when the text holds an address or host name of another host than `destination`'s (letter case, `www.` and a final
 * dot do not count), when a web address in it has a user name before its host (`https://good.example@evil.example/`), and
 * when the host is the same but is read as another one: letters of several scripts, or of one that looks like Latin. Said
 * also when the text is a number in brackets, as of a source, and leads to another page than that source.
 *
 * @param text the text of the link as it is drawn, without marks, escapes and tags.
 * @param destination decoded address.
 * @param numberOf the number of the source at an address, 0 if it is none's.
 */
export function placeNote(
  text: string,
  destination: string,
  numberOf: (address: string) => number = () => 0,
): string | undefined {
  const place = placeOf(destination);
  if (place === undefined) return undefined;
  const number = SOURCE_NUMBER.exec(readable(text))?.[1];
  if (number !== undefined && numberOf(destination) !== Number(number)) return place.shown;
  for (const { hosts, hasUser } of claims(readable(text), destination)) {
    if (hasUser) return place.shown;
    for (const host of hosts)
      if (networkName(host) !== place.host || !isPlain(host)) return place.shown;
  }
  return undefined;
}

/** What the number of a source looks like to a reader. */
const SOURCE_NUMBER = /^[[【]\^?(\d{1,4})[\]】]$/;

/** A host that someone could have meant: `https://$host/` and `https://{id}.example` in a text are no places. */
export function hasPlainHost(address: string): boolean {
  return /^https?:\/\/(?:[^/?#@\s]*@)?(?:\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)(?::\d*)?(?:[/?#]|$)/iu.test(
    address,
  );
}
