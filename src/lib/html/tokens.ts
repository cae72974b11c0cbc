import { isRawText } from './elements';

/** A piece of HTML. `raw` is what was written; nothing of a text is left out. */
export type HtmlToken =
  | { kind: 'text'; raw: string }
  | { kind: 'comment'; raw: string }
  /** `<!doctype …>`, `<?…?>` or `<![CDATA[…]]>`. */
  | { kind: 'declaration'; raw: string }
  | HtmlTag;

export interface HtmlTag {
  kind: 'open' | 'close';
  raw: string;
  /** In lower case. */
  name: string;
  /** By lower-case name, as written between the quotes: entities are not decoded. The first of a name counts. */
  attributes: ReadonlyMap<string, string>;
  isSelfClosing: boolean;
}

const NAME = /[a-z][a-z\d-]*/iy;
const SPACE = /[ \t\r\n\f]*/y;
const ATTRIBUTE_NAME = /[a-z_:][\w.:-]*/iy;
const UNQUOTED = /[^\s"'=<>`]+/y;

/** Reads one token at a time, by the grammar of raw HTML in the CommonMark specification. */
class Tokenizer {
  readonly #text: string;
  #at = 0;
  /** Characters that tags which turned out to be none may still cost: each is read again as text. */
  #budget: number;
  /** Terminators that do not occur any more. */
  readonly #missing = new Set<string>();

  constructor(text: string) {
    this.#text = text;
    this.#budget = 10_000 + text.length * 10;
  }

  tokens(): HtmlToken[] {
    const text = this.#text;
    const out: HtmlToken[] = [];
    let textStart = 0;
    const takeText = (end: number): void => {
      if (end > textStart) out.push({ kind: 'text', raw: text.slice(textStart, end) });
    };
    for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', this.#at)) {
      const token = this.tokenAt(at);
      if (!token) {
        this.#budget -= this.#at - at;
        this.#at = at + 1;
        continue;
      }
      takeText(at);
      out.push(token);
      this.#at = textStart = at + token.raw.length;
      if (token.kind !== 'open' || !isRawText(token.name)) continue;
      const end = this.#endOfRawText(token.name);
      this.#at = textStart;
      takeText(end);
      this.#at = textStart = end;
    }
    takeText(text.length);
    return out;
  }

  /** The tag, comment or declaration that begins at `at`. */
  tokenAt(at: number): HtmlToken | undefined {
    this.#at = at + 1;
    const text = this.#text;
    const until = (
      kind: 'comment' | 'declaration',
      end: string,
      from: number,
    ): HtmlToken | undefined => {
      const found = this.#find(end, from);
      return found < 0 ? undefined : { kind, raw: text.slice(at, found + end.length) };
    };
    switch (text[at + 1]) {
      case '?':
        return until('declaration', '?>', at + 2);
      case '!': {
        const short = /<!---?>/y;
        short.lastIndex = at;
        const empty = short.exec(text);
        if (empty) return { kind: 'comment', raw: empty[0] };
        if (text.startsWith('--', at + 2)) return until('comment', '-->', at + 4);
        if (text.startsWith('[CDATA[', at + 2)) return until('declaration', ']]>', at + 9);
        return /[a-z]/i.test(text[at + 2] ?? '') ? until('declaration', '>', at + 3) : undefined;
      }
      default:
        return this.#budget > 0 ? this.#tag(at) : undefined;
    }
  }

  #tag(start: number): HtmlTag | undefined {
    const isClosing = this.#text[this.#at] === '/';
    if (isClosing) this.#at++;
    const name = this.#take(NAME).toLowerCase();
    if (name === '') return undefined;
    const attributes = new Map<string, string>();
    let hasSpace = this.#take(SPACE) !== '';
    while (!isClosing && hasSpace) {
      const attribute = this.#take(ATTRIBUTE_NAME).toLowerCase();
      if (attribute === '') break;
      hasSpace = this.#take(SPACE) !== '';
      let value = '';
      if (this.#text[this.#at] === '=') {
        this.#at++;
        this.#take(SPACE);
        const read = this.#value();
        if (read === undefined) return undefined;
        value = read;
        hasSpace = this.#take(SPACE) !== '';
      }
      if (!attributes.has(attribute)) attributes.set(attribute, value);
    }
    const isSelfClosing = !isClosing && this.#text[this.#at] === '/';
    if (isSelfClosing) this.#at++;
    if (this.#text[this.#at] !== '>') return undefined;
    const raw = this.#text.slice(start, this.#at + 1);
    return { kind: isClosing ? 'close' : 'open', raw, name, attributes, isSelfClosing };
  }

  /** An attribute value, or undefined where there is none. */
  #value(): string | undefined {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return this.#take(UNQUOTED) || undefined;
    const start = this.#at + 1;
    const end = this.#find(quote, start);
    if (end < 0) return undefined;
    this.#at = end + 1;
    return this.#text.slice(start, end);
  }

  #take(lexeme: RegExp): string {
    lexeme.lastIndex = this.#at;
    const found = lexeme.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  /** `indexOf` that looks only once for what is not there. */
  #find(what: string, from: number): number {
    if (this.#missing.has(what)) return -1;
    const found = this.#text.indexOf(what, from);
    if (found < 0) this.#missing.add(what);
    return found;
  }

  #endOfRawText(name: string): number {
    const text = this.#text;
    for (let at = this.#find('</', this.#at); at >= 0; at = this.#find('</', at + 2)) {
      if (text.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
    }
    return text.length;
  }
}

/** Cuts a text into tags, comments, declarations and the text between them. Total, and linear in its length. */
export const tokenize = (text: string): HtmlToken[] => new Tokenizer(text).tokens();

/** What one piece of raw HTML is, as the scan found it in a line. */
export const readToken = (raw: string): HtmlToken =>
  (raw.startsWith('<') ? new Tokenizer(raw).tokenAt(0) : undefined) ?? { kind: 'text', raw };
