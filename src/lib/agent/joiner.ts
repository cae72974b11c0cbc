/** Turns the text of several rounds into one text that only ever grows. */
export interface Joiner {
  /** What to append now; empty while it is not known whether white space is the end of a round. */
  push(chunk: string): string;
  /** The round is over: white space at its end is left out, the next text begins a new paragraph. */
  endRound(): void;
}

/**
 * @param before what stands there already.
 * @param continued true when the first text goes on in the middle of `before` instead of beginning a new paragraph.
 */
export function createJoiner(before: string, continued: boolean): Joiner {
  let written = before;
  let begun = false;
  let resuming = continued && before.trim() !== '';
  let held = '';

  const opening = (text: string): string => {
    if (resuming) return gap(written, text) + text;
    return (written.trim() === '' ? '' : '\n\n') + withoutLead(text);
  };

  return {
    push(chunk) {
      if (!/\S/.test(chunk)) {
        held += chunk;
        return '';
      }
      const text = held + chunk;
      const body = text.trimEnd();
      held = text.slice(body.length);
      const added = begun ? body : opening(body);
      begun = true;
      resuming = false;
      // Only the end is ever looked at again.
      written = added.slice(-1) || written;
      return added;
    },
    endRound() {
      held = '';
      begun = false;
    },
  };
}

/** White space before a round's first word, except the indentation of a code block. */
function withoutLead(text: string): string {
  const body = text.trimStart();
  const indent = text.slice(0, text.length - body.length).replace(/^.*\n/su, '');
  return /^(?: {4,}|\t)/.test(indent) ? indent + body : body;
}

/** Models begin a continuation after a full stop without the blank that belongs there. */
function gap(before: string, text: string): string {
  return /[.!?:\])]$/.test(before) && /^\p{Lu}/u.test(text) ? ' ' : '';
}
