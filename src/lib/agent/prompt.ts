import { CITE_CARRIED_PROMPT, DEFAULT_SYSTEM_PROMPT, NO_TOOLS_SYSTEM_PROMPT } from '../constants';

export interface PromptFacts {
  /** Today's date in words, with the weekday; the model knows no other. */
  now: string;
  /** Where the person is, if they want the model to know. */
  place?: string;
  /** The person's own instructions. */
  extra?: string;
}

/** The system prompt of a turn: Lam's rules, then what changes from day to day and person to person. Blank facts are left out. */
export function buildSystemPrompt({ now, place = '', extra = '' }: PromptFacts): string {
  return [
    DEFAULT_SYSTEM_PROMPT,
    [
      `Today is ${now.trim()}.`,
      ...(place.trim() === '' ? [] : [`The person is here: ${place.trim()}.`]),
    ].join(' '),
    ...(extra.trim() === '' ? [] : [`The person's own instructions:\n${extra.trim()}`]),
  ].join('\n\n');
}

const INTRODUCTION = DEFAULT_SYSTEM_PROMPT.slice(0, DEFAULT_SYSTEM_PROMPT.indexOf('\n\n'));

/** Small models read this: one paragraph, and what to do when the search found the wrong things. */
const SEARCHED_PROMPT = `${INTRODUCTION}

Lam has searched with the question for you; what it found stands before the question. Answer from it where it helps, and prefer page texts to search rows. Where it does not hold the answer, say so, and answer from what you know. You cannot look up more.`;

const ATTACHED_PROMPT =
  'What the person attached stands with the question: answer from it where it helps.';

/**
 * A prompt of `buildSystemPrompt` for a model that cannot call tools: without the rules about looking up and citing, which
 * speak of tools it does not have. Facts and the person's own instructions stay.
 *
 * @param facts `numbered`: whether pages with a number stand before the question. `searched`: whether results of a search do.
 *   `attached`: whether what the person attached does.
 */
export function withoutTools(
  system: string,
  { numbered, searched, attached }: { numbered: boolean; searched: boolean; attached: boolean },
): string {
  const base = searched ? SEARCHED_PROMPT : NO_TOOLS_SYSTEM_PROMPT;
  const lead = attached ? `${base} ${ATTACHED_PROMPT}` : base;
  const rules = numbered ? `${lead} ${CITE_CARRIED_PROMPT}` : lead;
  return system.startsWith(DEFAULT_SYSTEM_PROMPT)
    ? `${rules}${system.slice(DEFAULT_SYSTEM_PROMPT.length)}`
    : `${system}\n\n${rules}`;
}
