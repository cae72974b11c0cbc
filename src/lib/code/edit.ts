/** Replace `text[start, end)` by `text`. Offsets are UTF-16 units into the text that was scanned. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  /** The text is in round brackets and must not become the address of square ones right before it: `[1](9)` is a link. */
  isApart?: boolean;
  /** An insertion that stands before all others at its place, whatever its pass: the marks before a line. */
  isLead?: boolean;
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
  const out = new Output();
  let at = 0;
  for (const edit of taken) {
    out.add(text.slice(at, edit.start));
    // Right before a link that Lam writes, an exclamation mark would make an image of it and a backslash would escape it.
    if (edit.text.startsWith('[')) out.escapeEnd();
    if (edit.isApart) out.separate();
    out.add(edit.text);
    at = edit.end;
  }
  out.add(text.slice(at));
  return out.toString();
}

/** Pieces of the text that is written. Looking at the end of one growing string would copy it at every edit. */
class Output {
  readonly #pieces: string[] = [];
  /** The last characters of the text. */
  #end = '';

  add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#end = (this.#end + piece.slice(-64)).slice(-64);
  }

  separate(): void {
    if (this.#end.endsWith(']')) this.add(' ');
  }

  escapeEnd(): void {
    const isBackslash = (/\\*$/.exec(this.#end)?.[0].length ?? 0) % 2 === 1;
    if (isBackslash) this.add('\\');
    if (!this.#end.endsWith('!')) return;
    const backslashes = /\\*$/.exec(this.#end.slice(0, -1))?.[0].length ?? 0;
    if (backslashes % 2 === 1) return;
    const last = this.#pieces.pop() ?? '';
    this.#pieces.push(`${last.slice(0, -1)}\\!`);
    this.#end = `${this.#end.slice(0, -1)}\\!`;
  }

  toString(): string {
    return this.#pieces.join('');
  }
}

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
    const isLead = edit.isLead === true && edit.start === edit.end;
    while (next < taken.length && (taken[next]?.end ?? 0) <= edit.start) {
      if (isLead && taken[next]?.start === edit.start) break;
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
