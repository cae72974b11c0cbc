/**
 * Comparisons of words that all quotations of an answer may cost together: some 0.1 s on the machines this was measured on. An
 * answer with a hundred quotations from twenty pages of 100,000 characters needs a tenth of it.
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
