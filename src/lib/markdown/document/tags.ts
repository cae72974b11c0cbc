import type { Inline } from './inlines';

/** A tag that waits for its partner. */
interface Tag {
  kind: 'loose-tag';
  name: string;
  isClosing: boolean;
  raw: string;
}

export type Loose = Inline | Tag;

/**
 * HTML elements that only dress text or say what it is. A name that is not among them is text, like the type in `Vec<T>`;
 * `a` and `img` are not, because their addresses are in their attributes.
 */
const DRESS = new Set(
  (
    'b strong i em u s del ins sub sup kbd mark small big span font code samp var tt q cite abbr dfn strike center ' +
    'details summary'
  ).split(' '),
);

/** A raw inline tag: a comment is nothing, `<br>` a break, a tag of `DRESS` waits for its partner, anything else is text. */
export function readTag(raw: string): Loose[] {
  if (raw.startsWith('<!--')) return [];
  const tag = /^<(\/?)([a-z][a-z\d]*)(?=[\s/>])/i.exec(raw);
  const name = (tag?.[2] ?? '').toLowerCase();
  if (name === 'br') return [{ kind: 'break' }];
  if (name === 'wbr') return [];
  if (!DRESS.has(name)) return [{ kind: 'text', text: raw }];
  return [{ kind: 'loose-tag', name, isClosing: tag?.[1] === '/', raw }];
}

/**
 * Joins tags with their partners among what stands side by side, so that pairs nest; a tag without a partner is text: the `<B>`
 * of `Vec<B>` opens nothing.
 */
export function pairTags(items: readonly Loose[]): Inline[] {
  const levels: { tag?: Tag; children: Inline[] }[] = [{ children: [] }];
  const open = new Map<string, number>();
  const count = (name: string, by: number): Map<string, number> =>
    open.set(name, (open.get(name) ?? 0) + by);
  /** Ends the innermost level; its tag was text. */
  const dissolve = (): void => {
    const level = levels.pop();
    if (!level?.tag) return;
    count(level.tag.name, -1);
    const outer = levels.at(-1)?.children;
    outer?.push({ kind: 'text', text: level.tag.raw });
    for (const child of level.children) outer?.push(child);
  };
  for (const item of items) {
    if (item.kind !== 'loose-tag') {
      levels.at(-1)?.children.push(item);
    } else if (!item.isClosing) {
      levels.push({ tag: item, children: [] });
      count(item.name, 1);
    } else if ((open.get(item.name) ?? 0) === 0) {
      levels.at(-1)?.children.push({ kind: 'text', text: item.raw });
    } else {
      while (levels.at(-1)?.tag?.name !== item.name) dissolve();
      const level = levels.pop();
      count(item.name, -1);
      levels.at(-1)?.children.push({
        kind: 'tag',
        name: item.name,
        opening: level?.tag?.raw ?? '',
        closing: item.raw,
        children: level?.children ?? [],
      });
    }
  }
  while (levels.length > 1) dissolve();
  return levels[0]?.children ?? [];
}
