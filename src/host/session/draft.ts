import type { DraftStore } from '../store/draft';

/**
 * Milliseconds after a launch in which the launcher may still send the text of its root search as if it had been typed.
 * It was seen about 300 ms after the launch.
 */
const ECHO_MS = 1_500;

/** The text in the search bar, and what is stored of it for the next launch. */
export interface Draft {
  text(): string;
  /** What was typed. */
  set(text: string): void;
  /** Takes up what the last launch left. */
  restore(): void;
  /** Puts a text into the bar that came with the launch. A restored draft makes room, and is stored again once the bar is empty. */
  offer(text: string): void;
  /**
   * Empties the bar if this is what stands in it; true if so. The stored text stays until `settle`: a process that is
   * killed before the question is in its conversation leaves it for the next launch.
   */
  clear(asked: string): boolean;
  /** The question that left the bar is stored in its conversation. */
  settle(): void;
  /** Stores what is not stored yet, and nothing afterwards. */
  close(): void;
}

export function createDraft(drafts: DraftStore, now: () => number): Draft {
  let text = '';
  /** The restored draft, while a text of the launch stands in its place. */
  let parked = '';
  /** True while the stored text is that of a question which left the bar. */
  let unsettled = false;
  let offered: { text: string; until: number; asked: boolean } | undefined;

  function set(next: string): void {
    if (next === text) return;
    text = next;
    drafts.set(next === '' ? parked : next);
  }
  return {
    text: () => text,
    set(next) {
      // Asked faster than the launcher's echo of it arrived: it must not come back into the bar.
      if (offered?.asked && next === offered.text && now() < offered.until) return;
      set(next);
    },
    restore() {
      text = drafts.load();
    },
    offer(next) {
      if (next.trim() === '') return;
      parked = text;
      offered = { text: next, until: now() + ECHO_MS, asked: false };
      if (parked === '') set(next);
      else text = next;
    },
    clear(asked) {
      if (text.trim() !== asked) return false;
      if (offered?.text === text) offered.asked = true;
      text = '';
      unsettled = true;
      drafts.saveSync(); // what was typed in the last moment may not be stored yet
      return true;
    },
    settle() {
      if (unsettled && text === '') {
        drafts.set(parked);
        drafts.saveSync(); // at once, or a kill would leave the question twice
      }
      unsettled = false;
    },
    close() {
      drafts.close();
    },
  };
}
