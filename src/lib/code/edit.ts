/** Replace `text[start, end)` by `text`. Offsets are UTF-16 units into the text that was scanned. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * Applies edits in one go; bytes outside of them are never touched.
 *
 * Passes are given in order of precedence. An edit that overlaps one of an earlier pass (or an earlier edit of its own
 * pass) is left out, so that no pass ever eats another's output. Insertions (`start === end`) at one place keep the
 * order given, and may stand at the edges of a replacement but not inside it.
 */
export function applyEdits(text: string, ...passes: readonly (readonly Edit[])[]): string {
  let taken: Edit[] = [];
  for (const pass of passes) taken = merge(taken, pass);
  let out = '';
  let at = 0;
  for (const edit of taken) {
    out += text.slice(at, edit.start);
    // An exclamation mark right before a link that Lam writes would make an image of it.
    if (edit.text.startsWith('[') && endsWithBareExclamation(out)) out = `${out.slice(0, -1)}\\!`;
    out += edit.text;
    at = edit.end;
  }
  return out + text.slice(at);
}

const endsWithBareExclamation = (text: string): boolean =>
  text.endsWith('!') && (/\\*$/.exec(text.slice(-64, -1))?.[0].length ?? 0) % 2 === 0;

/** Both in text order; an edit of `later` survives only where it overlaps nothing taken. */
function merge(taken: readonly Edit[], later: readonly Edit[]): Edit[] {
  const sorted = later.map((edit, order) => ({ edit, order }));
  sorted.sort(
    (a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.order - b.order,
  );
  const out: Edit[] = [];
  let next = 0;
  let end = 0;
  for (const { edit } of sorted) {
    while (next < taken.length && (taken[next]?.end ?? 0) <= edit.start) {
      const before = taken[next];
      if (before) {
        out.push(before);
        end = before.end;
      }
      next++;
    }
    const following = taken[next];
    if (edit.start >= end && (following === undefined || edit.end <= following.start)) {
      out.push(edit);
      end = edit.end;
    }
  }
  return [...out, ...taken.slice(next)];
}
