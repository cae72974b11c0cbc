import { opensInPane, prepare, type Scan } from '../code';
import type { Source } from '../types';

import { closesFence, openFence, type Fence } from './fence';
import { safeLength } from './hold';
import type { ListState, PassContext } from './passes';
import { goesOn, lastPiece, lastTextBlock, rowAt } from './pieces';
import {
  renderModelOutput,
  renderScan,
  scanForPane,
  type Rendered,
  type RenderOptions,
} from './pipeline';
import { endingOf, isPlain, type Ending } from './plain';

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

/**
 * UTF-16 units of an open piece that is scanned at every chunk. A longer one (a table of fifty rows, a paragraph of two
 * pages) is scanned whenever it has grown by a 32nd, so that the cost of a chunk does not grow with it.
 */
const MAX_LIVE_PIECE = 2000;
const STEPS = 32;

/** A blank line, and behind it text that goes on with no list item, quote or table: very likely the next piece. */
const NEXT_PIECE = /\n[\t ]*\r?\n[^\s>|]/;
/** UTF-16 units kept of what stands before the open piece. */
const BEFORE = 200;
/** UTF-16 units before a chunk in which that blank line may stand. */
const RECENT = 64;

/**
 * Makes a stream for one answer. Closed pieces are rendered once; a chunk costs at most what the open piece costs, and
 * nothing of that when it is plain text.
 */
export function createRenderStream(options: RenderOptions = {}): RenderStream {
  let sources = options.sources ?? [];
  /** Everything received. */
  let whole = '';
  /** Source text from the start of the open piece on. */
  let open = '';
  /** Half of a surrogate pair or of a `\r\n`, kept until its other half arrives. */
  let half = '';
  const labels: string[] = [];
  /** The last of the pane text before `open`, and the list that `open` goes on with. */
  let before = '';
  let list: ListState | undefined;
  let fence: Fence | undefined;

  // What was returned is `settled + visible`. `closed` and the render of the open piece are compared with `visible` only,
  // never with the whole.
  let settled = '';
  /** Pane text of closed pieces that is not settled yet. */
  let closed = '';
  let visible = '';
  /** White space behind `visible`, shown once something follows it. */
  let gap = '';

  /** Set while all of `open` is shown and more plain text only adds to it. */
  let ending: Ending | undefined;
  let hasNewLine = false;
  /** Length of `open` when it was last scanned. */
  let scannedLength = 0;
  /** The end of what was taken, so that a chunk need not look at all of a long piece. */
  let recent = '';
  /** The last scan of the complete lines of `open`. */
  let lines: Scan | undefined;
  /** The last render of a beginning of `open`, and the length of that beginning. */
  let rendered = { length: 0, text: '' };
  /** No more text can be an extension of what is shown: only `end` helps. */
  let isStuck = false;

  /** The scan of the first `length` characters of `open`. */
  const scanOpen = (length: number): Scan =>
    lines?.text.length === length ? lines : scanForPane(open.slice(0, length), labels);

  const context = (isOpen: boolean): PassContext => ({
    isOpen,
    isArriving: true,
    drawsImages: options.images === 'draw',
    before,
    ...(list ? { list } : {}),
  });

  const close = (length: number, isOpen = false): void => {
    if (length <= 0) return;
    const scanned = scanForPane(open.slice(0, length), labels);
    const isWithinList = goesOn(lines ?? scanned, length);
    const rowBelow = rowAt(lines ?? scanned, length);
    const piece = renderScan(scanned, sources, {
      ...context(isOpen),
      ...(rowBelow === undefined ? {} : { rowBelow }),
    });
    closed += piece.text;
    list = isWithinList ? piece.list : undefined;
    before = (before + piece.text).slice(-BEFORE);
    for (const { label, destination } of scanned.definitions) {
      // A note that is no address owns no number: `[1]: Reuters` leaves a later `[1]` what it is.
      if (!/^\^?\d+$/.test(label) || opensInPane(destination)) labels.push(label);
    }
    open = open.slice(length);
    lines = undefined;
    scannedLength = 0;
    rendered = { length: 0, text: '' };
  };

  /** Lines of a long fence go out as they are; re-scanning them at every chunk would be quadratic. */
  const passFence = (): void => {
    let at = 0;
    while (fence) {
      const end = open.indexOf('\n', at);
      if (end < 0) break;
      if (closesFence(open.slice(at, end).replace(/\r$/, ''), fence)) fence = undefined;
      at = end + 1;
    }
    closed += prepare(open.slice(0, at));
    if (at > 0) before = open.slice(Math.max(0, at - BEFORE), at);
    open = open.slice(at);
  };

  /** Closes the pieces that are complete. Only a line ending can complete one. */
  const advance = (): void => {
    const complete = open.lastIndexOf('\n') + 1;
    if (complete === 0) return;
    lines = scanOpen(complete);
    const last = lastPiece(lines);
    close(last);
    lines ??= scanOpen(complete - last);
    const opening = openFence(lines);
    if (!opening) return;
    close(open.indexOf('\n') + 1, true);
    fence = opening;
    passFence();
  };

  const tail = (): string => {
    ending = undefined;
    if (fence) return /^[ `~]*$/.test(open) ? '' : prepare(open);
    scannedLength = open.length;
    const scanned = scanOpen(open.length);
    const safe = Math.max(0, safeLength(scanned, lastTextBlock(scanned)));
    if (safe === open.length) ending = endingOf(scanned);
    if (safe !== rendered.length || safe === open.length) {
      const shown = safe === open.length ? scanned : scanOpen(safe);
      rendered = {
        length: safe,
        text: renderScan(shown, sources, context(true)).text,
      };
    }
    return rendered.text;
  };

  /** Shows as much of `next`, which follows `settled`, as is an extension of what is shown already. */
  const show = (next: string): void => {
    const trimmed = next.trimEnd();
    // The hold-back rules make this an extension; if a construct they do not know breaks it, wait for the end.
    if (!trimmed.startsWith(visible)) {
      ending = undefined;
      isStuck = closed.length >= visible.length && !closed.startsWith(visible);
      return;
    }
    visible = trimmed;
    gap = next.slice(trimmed.length);
    if (visible.length < closed.length) return;
    settled += closed;
    visible = visible.slice(closed.length);
    closed = '';
  };

  const mayWait = (): boolean =>
    open.length > MAX_LIVE_PIECE &&
    (open.length - scannedLength) * STEPS < open.length &&
    !NEXT_PIECE.test(recent);

  const take = (text: string): void => {
    const last = recent.slice(-1);
    open += text;
    recent = recent.slice(-RECENT) + text;
    if (ending && isPlain(text, ending, last)) {
      const shown = (gap + text).trimEnd();
      if (shown !== '') visible += shown;
      gap = (gap + text).slice(shown.length);
      return;
    }
    hasNewLine ||= text.includes('\n');
    if (fence) passFence();
    else if (mayWait()) {
      ending = undefined;
      return;
    }
    if (!fence && hasNewLine) {
      hasNewLine = false;
      advance();
    }
    show(closed + tail());
  };

  return {
    push(chunk) {
      const text = half + chunk;
      half = /[\uD800-\uDBFF\r]$/.exec(text)?.[0] ?? '';
      const complete = text.slice(0, text.length - half.length);
      whole += complete;
      if (complete !== '' && !isStuck) take(complete);
      return settled + visible;
    },
    setSources(next) {
      sources = next;
      rendered = { length: 0, text: '' };
      ending = undefined;
    },
    end: () => renderModelOutput(whole + half, { ...options, sources }),
  };
}
