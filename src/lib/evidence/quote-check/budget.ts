/**
 * Comparisons of words that all quotations of an answer may cost together. 200 quotations with hyphens over 400,000 characters need
 * half a million; what needs all of it has a word thousands of times.
 */
const MAX_STEPS = 20_000_000;

/** What may still be spent. */
export interface Budget {
  /** Takes so many steps, or none and returns false if there are not so many. */
  spend: (steps: number) => boolean;
}

/** Counts steps down, so that quotations end whatever the texts are. */
export function createBudget(steps = MAX_STEPS): Budget {
  let left = steps;
  return {
    spend: (wanted) => {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
  };
}
