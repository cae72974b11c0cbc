import { scan, type Node, type Scan } from '../code';
import type { Source } from '../types';

import { safeLength } from './hold';
import { renderModelOutput, renderScan, type Rendered, type RenderOptions } from './pipeline';

/** Renders an answer while it arrives. */
export interface RenderStream {
  /**
   * Takes the next piece of the model's text, cut anywhere.
   * @returns the whole pane text so far; always an extension of what the last call returned.
   */
  push(chunk: string): string;
  /** The turn's sources as they are now known; a tool result always comes before the text that cites it. */
  setSources(sources: readonly Source[]): void;
  /** The exact render of the whole: equals `renderModelOutput`, whatever the cuts were. */
  end(): Rendered;
}

const IGNORED = new Set(['lineEnding', 'lineEndingBlank', 'linePrefix']);

/** Starts of the pieces that can be rendered on their own: top-level blocks, and the items of a top-level list. */
function pieceStarts(tree: Node): number[] {
  return tree.children
    .filter((child) => !IGNORED.has(child.type))
    .flatMap((child) =>
      child.type === 'listOrdered' || child.type === 'listUnordered'
        ? child.children.filter((each) => each.type === 'listItemPrefix').map((each) => each.start)
        : [child.start],
    );
}

/** The start of the physical line that holds `at`: a piece takes its indentation with it. */
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const TEXT_BLOCKS = new Set(['paragraph', 'atxHeading', 'setextHeading', 'tableRow', 'htmlFlow']);

/** Where the last text block of the open piece begins; what stands before it in the piece cannot change. */
function lastTextBlock(scanned: Scan): number {
  let last = 0;
  const visit = (node: Node): void => {
    if (TEXT_BLOCKS.has(node.type)) last = node.start;
    else node.children.forEach(visit);
  };
  visit(scanned.tree);
  return lineStart(scanned.text, last);
}

/** The open fence of a piece, so that its lines need no scan: ``` or ~~~ with its length. */
function openFence(piece: string): { marker: string; length: number } | undefined {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(piece)?.[1];
  if (fence === undefined) return undefined;
  return { marker: fence.charAt(0), length: fence.length };
}

const closes = (line: string, fence: { marker: string; length: number }): boolean => {
  const run = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return run !== undefined && run.startsWith(fence.marker) && run.length >= fence.length;
};

/** Makes a stream for one answer. Closed blocks are rendered once; a chunk costs what the open block costs. */
export function createRenderStream(options: RenderOptions = {}): RenderStream {
  let sources = options.sources ?? [];
  /** Everything received. */
  let whole = '';
  /** Pane text of the closed pieces. */
  let closed = '';
  /** Source text from the start of the open piece on. */
  let open = '';
  let shown = '';
  /** Half of a surrogate pair or of a `\r\n`, kept until its other half arrives. */
  let half = '';
  const labels: string[] = [];
  let fence: { marker: string; length: number } | undefined;

  /** Lines of a long fence go out as they are; re-scanning them at every chunk would be quadratic. */
  const passFence = (): void => {
    while (fence) {
      const end = open.indexOf('\n');
      if (end < 0) return;
      const line = open.slice(0, end);
      closed += open.slice(0, end + 1);
      open = open.slice(end + 1);
      if (closes(line.replace(/\r$/, ''), fence)) fence = undefined;
    }
  };

  const close = (length: number): void => {
    const scanned = scan(open.slice(0, length), { definedLabels: labels });
    closed += renderScan(scanned, sources).text;
    labels.push(...scanned.definitions.map((each) => each.label));
    open = open.slice(length);
  };

  const advance = (): void => {
    passFence();
    if (fence) return;
    const complete = open.lastIndexOf('\n') + 1;
    if (complete === 0) return;
    const starts = pieceStarts(scan(open.slice(0, complete), { definedLabels: labels }).tree);
    const last = starts.at(-1);
    if (last !== undefined && starts.length > 1) close(lineStart(open, last));
    const opening = openFence(open);
    const firstEnd = open.indexOf('\n');
    if (opening && firstEnd >= 0 && !closesWithin(open.slice(firstEnd + 1), opening)) {
      close(firstEnd + 1);
      fence = opening;
      passFence();
    }
  };

  const tail = (): string => {
    if (fence) return /^[ `~]*$/.test(open) ? '' : open;
    const scanned = scan(open, { definedLabels: labels });
    const safe = safeLength(scanned, lastTextBlock(scanned));
    if (safe <= 0) return '';
    return renderScan(
      safe === open.length ? scanned : scan(open.slice(0, safe), { definedLabels: labels }),
      sources,
    ).text;
  };

  return {
    push(chunk) {
      const text = half + chunk;
      half = /[\uD800-\uDBFF\r]$/.exec(text)?.[0] ?? '';
      const complete = text.slice(0, text.length - half.length);
      whole += complete;
      open += complete;
      advance();
      const next = (closed + tail()).trimEnd();
      // The hold-back rules make this an extension; if a construct they do not know breaks it, wait for the end.
      if (next.startsWith(shown)) shown = next;
      return shown;
    },
    setSources(next) {
      sources = next;
    },
    end: () => renderModelOutput(whole + half, { sources }),
  };
}

const closesWithin = (text: string, fence: { marker: string; length: number }): boolean =>
  text.split(/\r?\n/).some((line) => closes(line, fence));
