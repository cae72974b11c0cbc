import { quoteOf } from '../../lib/markdown';
import type { Attachment, Turn } from '../../lib/types';
import type { FilePorts } from '../attachments/port';
import type { Asking } from './asking';
import { createComposeDraft, EMPTY_COMPOSE, withText, type ComposeValues } from './compose-draft';
import type { Core } from './core';
import type { AskOptions, Launch } from './ports';

/** What becomes of the form: a new question, or another one in the place of an earlier. */
export type ComposeTarget = { kind: 'new' } | { kind: 'edit'; turn: Turn };

/** The form of several lines. */
export interface Composing {
  /**
   * What the form opens with: what was written into it before, and behind it what stands in the search bar (which it leaves)
   * and `added`. A question that is edited opens as it was asked, or as it was last left.
   */
  openForm: (target: ComposeTarget, added?: string) => ComposeValues;
  /** The form as it is without anything written into it: empty, or the question as it was asked. */
  freshForm: (target: ComposeTarget) => ComposeValues;
  /** Keeps what is written. */
  keepForm: (target: ComposeTarget, values: ComposeValues) => void;
  /** Asks. True if it was accepted; then the form is empty. */
  askForm: (target: ComposeTarget, values: ComposeValues, files: readonly Attachment[]) => boolean;
  /** The form has left the screen. What is one line without files goes back into the search bar. */
  leaveForm: (target: ComposeTarget) => void;
  /** What a launch begins the form with: the text that is selected elsewhere, if the person wants that. Never rejects. */
  openingText: (launch: Launch) => Promise<string | undefined>;
  checkFile: FilePorts['checkFile'];
}

export function createComposing(
  core: Core,
  asking: Pick<Asking, 'ask' | 'editQuestion'>,
): Composing {
  const { ports, draft } = core;
  const drafts = {
    new: createComposeDraft(ports.composeDrafts),
    edit: createComposeDraft(ports.editDrafts),
  };

  function show(text: string): void {
    draft.set(text);
    core.set({ draft: draft.text() });
  }

  function freshForm(target: ComposeTarget): ComposeValues {
    const web = ports.settings.webTools !== false;
    if (target.kind === 'new') return { ...EMPTY_COMPOSE, web };
    const { turn } = target;
    const files = (turn.attachments ?? []).map(({ path }) => path);
    return { text: turn.question, files, web: turn.web ?? web, model: '', turn: turn.id };
  }

  return {
    freshForm,
    openForm(target, added = '') {
      if (target.kind === 'edit') {
        const kept = drafts.edit.load();
        return kept?.turn === target.turn.id ? kept : freshForm(target);
      }
      const typed = core.state().draft;
      const kept = drafts.new.load() ?? freshForm(target);
      const values = withText(withText(kept, typed), added);
      // An empty form must not take the place of a question that is still on its way into its conversation.
      if (values.text.trim() !== '' || values.files.length > 0) {
        drafts.new.set(values);
        drafts.new.saveSync();
      }
      if (typed !== '') show('');
      return values;
    },
    keepForm(target, values) {
      drafts[target.kind].set(values);
    },
    askForm(target, { text, web, model }, files) {
      const draftOf = drafts[target.kind];
      const options: AskOptions = {
        onStored: () => {
          if (draftOf.load() === undefined) draftOf.clear();
        },
        attachments: files,
        web,
        ...(model === '' ? {} : { model }),
      };
      const accepted =
        target.kind === 'new'
          ? asking.ask(text, options)
          : asking.editQuestion(target.turn.id, text, options);
      if (!accepted) return false;
      draftOf.forget();
      return true;
    },
    leaveForm(target) {
      if (target.kind === 'edit' || core.isClosed()) return;
      const kept = drafts.new.load() ?? freshForm(target);
      const { text, files, web, model } = kept;
      // The bar knows lines and nothing else.
      const isPlain = web === freshForm(target).web && model === '';
      if (text.trim() === '' && files.length === 0) return;
      if (/[\r\n]/u.test(text) || files.length > 0 || !isPlain) {
        const message = 'Ctrl+Shift+E opens it again';
        ports.notify({ style: 'success', title: 'Draft kept', message });
        return;
      }
      if (core.state().draft !== '') return;
      drafts.new.clear();
      show(text);
    },
    async openingText({ question = '', fallbackText = '', conversation }) {
      if (ports.settings.quoteSelection !== true || conversation !== undefined) return undefined;
      if ((question + fallbackText).trim() !== '') return undefined;
      const text = await ports.selectedText();
      return text === undefined ? undefined : quoteOf(text);
    },
    checkFile: ports.files.checkFile,
  };
}
