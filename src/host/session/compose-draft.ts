import * as z from 'zod/mini';

import type { DraftStore } from '../store/draft';

const ValuesSchema = z.object({
  text: z.string(),
  files: z.array(z.string()),
  /** Whether the answer may search and read the web. */
  web: z.boolean(),
  /** '' = the one of the conversation. */
  model: z.string(),
  /** Of an edited question: id of its turn. */
  turn: z.optional(z.string()),
});

/** What stands in the form of several lines. */
export type ComposeValues = z.infer<typeof ValuesSchema>;

export const EMPTY_COMPOSE: ComposeValues = { text: '', files: [], web: true, model: '' };

/** What was written into the form and not yet asked. Nothing here throws. */
export interface ComposeDraft {
  /** Undefined if there is nothing. */
  load(): ComposeValues | undefined;
  /** Call at every change. A form without text and files is forgotten. */
  set(values: ComposeValues): void;
  /** Stores now what is not stored yet. */
  saveSync(): void;
  /** The form is empty from now on; what is stored stays until `clear`. */
  forget(): void;
  /** Forgets it at once, on the disk too. */
  clear(): void;
}

/** Keeps the form in a draft file like that of the search bar. */
export function createComposeDraft(drafts: DraftStore): ComposeDraft {
  let current: ComposeValues | undefined;
  let isLoaded = false;

  function stored(): ComposeValues | undefined {
    try {
      const parsed = z.safeParse(ValuesSchema, JSON.parse(drafts.load()));
      return parsed.success ? parsed.data : undefined;
    } catch {
      return undefined;
    }
  }
  return {
    load() {
      if (!isLoaded) current = stored();
      isLoaded = true;
      return current;
    },
    set(values) {
      isLoaded = true;
      current = values;
      const isEmpty = values.text.trim() === '' && values.files.length === 0;
      drafts.set(isEmpty ? '' : JSON.stringify(values));
    },
    saveSync() {
      drafts.saveSync();
    },
    forget() {
      isLoaded = true;
      current = undefined;
    },
    clear() {
      isLoaded = true;
      current = undefined;
      drafts.clear();
    },
  };
}

/**
 * The form as it opens with a text that was typed or quoted elsewhere: the text goes behind what was written before, so that
 * neither is lost.
 */
export function withText(values: ComposeValues, added: string): ComposeValues {
  const before = values.text.trim();
  // The same quote twice would be a slip.
  if (added.trim() === '' || before.endsWith(added.trim())) return values;
  return { ...values, text: before === '' ? added : `${values.text.trimEnd()}\n\n${added}` };
}
