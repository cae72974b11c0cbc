/** Entries of the same kind beside each other that make a series: posts, answers, rows of a discussion. */
const MIN_ENTRIES = 5;
/** Entries that are looked up in an article. */
const SAMPLE = 50;
/** Characters of an entry that are looked up, and that it must have: enough to be its own. */
const HEAD_CHARS = 12;
/** Share of an entry's characters that may be links: more is a menu. */
const MAX_LINK_SHARE = 0.5;

/** What stands beside a page's text, by its element or the words of its class and id. */
const BESIDE_NAME =
  /^(?:script|style|noscript|template|head|svg|nav|footer|aside|form|button|select)$/;
const BESIDE_CLASS =
  /comment|sidebar|related|recommend|promo|sponsor|banner|cookie|footer|menu|nav(?:bar|igation)?\b|breadcrumb|widget|share|social/i;

interface Count {
  chars: number;
  linked: number;
}

/** Text without its white space, the form in which `longestSeries` gives its heads. */
export function compact(text: string): string {
  return text.replace(/\s+/g, '');
}

/**
 * The series of like elements (one parent, same name and class) that holds the most text of a page, menus, comments and
 * what else stands beside the text aside: the beginning of each entry, and the characters of all. Linear.
 */
export function longestSeries(root: Element): { heads: string[]; chars: number } {
  let best: { entries: Element[]; chars: number } = { entries: [], chars: 0 };

  function walk(element: Element): Count {
    const groups = new Map<string, { entries: Element[]; chars: number }>();
    const total: Count = { chars: 0, linked: 0 };
    for (const node of element.childNodes) {
      if (node.nodeType === 3) total.chars += compact(node.nodeValue ?? '').length;
      else if (node.nodeType === 1) {
        const child = node as Element; // nodeType 1 is an element by definition (DOM standard)
        if (isBeside(child)) continue;
        const { chars, linked } = walk(child);
        total.chars += chars;
        total.linked += child.localName === 'a' ? chars : linked;
        if (chars < HEAD_CHARS || linked > chars * MAX_LINK_SHARE) continue;
        const kind = `${child.localName} ${child.className}`;
        const group = groups.get(kind) ?? { entries: [], chars: 0 };
        group.entries.push(child);
        group.chars += chars;
        groups.set(kind, group);
      }
    }
    for (const group of groups.values())
      if (group.entries.length >= MIN_ENTRIES && group.chars > best.chars) best = group;
    return total;
  }

  walk(root);
  const heads = best.entries
    .slice(0, SAMPLE)
    .map((entry) => compact(entry.textContent).slice(0, HEAD_CHARS));
  return { heads, chars: best.chars };
}

function isBeside(element: Element): boolean {
  return (
    BESIDE_NAME.test(element.localName) || BESIDE_CLASS.test(`${element.className} ${element.id}`)
  );
}
