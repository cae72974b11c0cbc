import { impliedEnd, isBlockElement, isElement, isVoid } from './elements';
import { tokenize, type HtmlTag, type HtmlToken } from './tokens';

interface HtmlText {
  kind: 'text';
  raw: string;
  /** Text as written: entities in it are not decoded. */
  isVerbatim: boolean;
}

export interface HtmlElement {
  kind: 'element';
  name: string;
  raw: string;
  attributes: ReadonlyMap<string, string>;
  children: HtmlNode[];
  /** Some descendant stands on lines of its own. */
  hasBlock: boolean;
}

export type HtmlNode = HtmlText | HtmlElement;

/** Elements inside of each other beyond which a tag only ends words. */
const MAX_DEPTH = 100;

/** Elements of other languages are elements only in these. */
const isForeign = (name: string): boolean => name === 'svg' || name === 'math';

/** What a paragraph may stand in without being ended from outside. */
const SCOPES = new Set(['p', 'table', 'ul', 'ol', 'li', 'td', 'th', 'button', 'object']);

class Builder {
  readonly #root: HtmlElement = element({ name: '', raw: '', attributes: new Map() });
  readonly #open: HtmlElement[] = [this.#root];
  /** How many elements with another language in them are open. */
  #foreign = 0;

  add(token: HtmlToken): void {
    switch (token.kind) {
      case 'text':
        this.#append({ kind: 'text', raw: token.raw, isVerbatim: this.#isInRawText() });
        return;
      case 'comment':
        return;
      case 'declaration':
        // `<!doctype html>` says nothing; `<?php … ?>` and `<![CDATA[…]]>` hold text.
        if (/^<![a-z]/i.test(token.raw)) return;
        this.#append({
          kind: 'text',
          raw: token.raw.replace(/^<!\[CDATA\[|\]\]>$/g, ''),
          isVerbatim: true,
        });
        return;
      case 'open':
      case 'close':
        if (!isElement(token.name) && this.#foreign === 0)
          this.#append({ kind: 'text', raw: token.raw, isVerbatim: true });
        else if (token.kind === 'open') this.#start(token);
        else this.#end(token.name);
    }
  }

  nodes(): HtmlNode[] {
    return this.#root.children;
  }

  #append(node: HtmlNode): void {
    this.#open.at(-1)?.children.push(node);
  }

  #isInRawText(): boolean {
    const name = this.#open.at(-1)?.name;
    return name === 'script' || name === 'style' || name === 'xmp';
  }

  #start(tag: HtmlTag): void {
    const { name } = tag;
    if (isBlockElement(name) && this.#open.findLast((each) => SCOPES.has(each.name))?.name === 'p')
      this.#close('p');
    const implied = impliedEnd(name);
    if (implied) this.#endImplied(implied.ends, implied.within);
    const node = element(tag);
    this.#append(node);
    if (isBlockElement(name)) this.#markBlock();
    if (isVoid(name) || (this.#foreign > 0 && tag.isSelfClosing) || this.#open.length > MAX_DEPTH)
      return;
    if (isForeign(name)) this.#foreign++;
    this.#open.push(node);
  }

  /** The open elements hold a block now; those around one that did already do so too. */
  #markBlock(): void {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const each = this.#open[at];
      if (!each || each.hasBlock) return;
      each.hasBlock = true;
    }
  }

  #endImplied(ends: ReadonlySet<string>, within: ReadonlySet<string>): void {
    const limit = this.#open.findLastIndex(({ name }) => within.has(name));
    const at = this.#open.findIndex(({ name }, i) => i > limit && ends.has(name));
    if (at > 0) this.#truncate(at);
  }

  #end(name: string): void {
    if (name === 'br') this.#append(element({ name, raw: '', attributes: new Map() }));
    else this.#close(name);
  }

  /** An end tag without its element ends nothing, and none but its own ends a table. */
  #close(name: string): void {
    const at = this.#open.findLastIndex((each) => each.name === name);
    const table = this.#open.findLastIndex((each) => each.name === 'table');
    if (at > 0 && at >= table) this.#truncate(at);
  }

  #truncate(length: number): void {
    for (const { name } of this.#open.splice(length)) if (isForeign(name)) this.#foreign--;
  }
}

function element({
  name,
  raw,
  attributes,
}: Pick<HtmlTag, 'name' | 'raw' | 'attributes'>): HtmlElement {
  return { kind: 'element', name, raw, attributes, children: [], hasBlock: false };
}

/**
 * The elements and texts of a piece of HTML. What is no element of HTML (`Vec<T>`, `<your-name>`) is text; comments are left
 * out; end tags may be missing, or have no element. Total, and linear in its length.
 */
export function htmlTree(raw: string): HtmlNode[] {
  const builder = new Builder();
  for (const token of tokenize(raw)) builder.add(token);
  return builder.nodes();
}
