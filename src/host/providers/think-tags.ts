/** A piece of an answer's content, told apart. */
export interface ContentPiece {
  kind: 'text' | 'reasoning';
  text: string;
}

const OPENING_TAGS = ['<think>', '<thinking>'];

/**
 * Splits `<think>…</think>` (also `<thinking>`) off the front of an answer that arrives in pieces.
 *
 * - Only a tag at the very start (after white space) opens reasoning: a literal `<think>` later, for example in code,
 *   is part of the answer.
 * - A tag that is still open at the end: all of it was reasoning.
 * - `</think>` without an opening tag (a server whose chat template opened it in the prompt) stays in the text: what
 *   stood before it has already been shown and cannot be taken back. The cure is the server's own reasoning parser
 *   (llama.cpp `--reasoning-format`, vLLM `--reasoning-parser`).
 * - White space around the tags belongs to neither part.
 *
 * The result does not depend on how the content was cut, once neighbours of the same kind are joined.
 */
export function createThinkSplitter(): {
  push(content: string): ContentPiece[];
  end(): ContentPiece[];
} {
  let state: 'start' | 'reasoning-start' | 'reasoning' | 'gap' | 'text' = 'start';
  let held = '';
  let closing = '';

  /** Consumes from `held` what can be decided; true = look again, because the state has changed. */
  function step(pieces: ContentPiece[]): boolean {
    switch (state) {
      case 'start': {
        const body = held.trimStart();
        const tag = OPENING_TAGS.find((candidate) => body.startsWith(candidate));
        if (tag !== undefined) {
          closing = tag.replace('<', '</');
          held = body.slice(tag.length);
          state = 'reasoning-start';
          return true;
        }
        if (OPENING_TAGS.some((candidate) => candidate.startsWith(body))) return false;
        state = 'text';
        return true;
      }
      case 'reasoning-start':
      case 'gap':
        held = held.trimStart();
        if (held === '') return false;
        state = state === 'gap' ? 'text' : 'reasoning';
        return true;
      case 'reasoning': {
        const at = held.indexOf(closing);
        if (at === -1) {
          // White space is held with a possible start of the tag: it may turn out to stand right before it.
          const safe = held.slice(0, held.length - partialEnd(held, closing)).trimEnd().length;
          emit(pieces, 'reasoning', held.slice(0, safe));
          held = held.slice(safe);
          return false;
        }
        emit(pieces, 'reasoning', held.slice(0, at).trimEnd());
        held = held.slice(at + closing.length);
        state = 'gap';
        return true;
      }
      case 'text':
        emit(pieces, 'text', held);
        held = '';
        return false;
    }
  }

  return {
    push(content) {
      if (content === '') return [];
      held += content;
      const pieces: ContentPiece[] = [];
      while (step(pieces));
      return pieces;
    },
    end() {
      const pieces: ContentPiece[] = [];
      if (state === 'start' || state === 'text') emit(pieces, 'text', held);
      if (state === 'reasoning') emit(pieces, 'reasoning', held.trimEnd());
      held = '';
      return pieces;
    },
  };
}

function emit(pieces: ContentPiece[], kind: ContentPiece['kind'], text: string): void {
  if (text !== '') pieces.push({ kind, text });
}

/** Length of the longest end of `text` that is a beginning of `tag`. */
function partialEnd(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
