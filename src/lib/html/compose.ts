import type { Block, ItemBlock } from './blocks';
import { HARD_BREAK } from './text';

/** A list of HTML next to one of Markdown must not go on with its numbers: another marker begins another list. */
const MARKERS = { bullet: ['*', '-'], number: [')', '.'] } as const;

/** Items that follow each other, nested by their depth. */
class List {
  readonly lines: string[] = [];
  /** For each depth that is open: the column of its text, its list and the marker. */
  readonly #levels: { column: number; list: object; choice: 0 | 1 }[] = [];

  add({ lines, list, depth, ordinal }: ItemBlock): void {
    const level = Math.min(depth, this.#levels.length);
    const before = this.#levels[level];
    const choice =
      before && before.list !== list && before.choice === 0
        ? 1
        : before?.list === list
          ? before.choice
          : 0;
    const marker =
      // Wide enough that a block behind the list, indented by up to three spaces, is none of its items'.
      (
        ordinal === undefined ? MARKERS.bullet[choice] : `${ordinal}${MARKERS.number[choice]}`
      ).padEnd(3);
    const start = level === 0 ? 0 : (this.#levels[level - 1]?.column ?? 0);
    const column = start + marker.length + 1;
    this.#levels.splice(level, this.#levels.length, { column, list, choice });
    const text = lines.replaceAll('\n', HARD_BREAK + ' '.repeat(column));
    this.lines.push(`${' '.repeat(start)}${marker} ${text}`);
  }
}

/** Blocks as the Markdown that shows them, with a blank line between what must not run together. */
export function compose(blocks: readonly Block[]): string {
  const parts: string[] = [];
  let list: List | undefined;
  let quote: { of: object; texts: string[] } | undefined;
  const flush = (): void => {
    if (list) parts.push(list.lines.join('\n'));
    if (quote) parts.push(quote.texts.map((text) => `> ${text}`).join('\n>\n'));
    list = undefined;
    quote = undefined;
  };
  for (const block of blocks) {
    if (block.kind === 'item') {
      if (!list) flush();
      list ??= new List();
      list.add(block);
    } else if (block.kind === 'text' && block.quote) {
      if (quote?.of !== block.quote) flush();
      quote ??= { of: block.quote, texts: [] };
      quote.texts.push(block.lines.replaceAll('\n', `${HARD_BREAK}> `));
    } else {
      flush();
      parts.push(block.kind === 'text' ? block.lines.replaceAll('\n', HARD_BREAK) : block.markdown);
    }
  }
  flush();
  return parts.join('\n\n');
}
