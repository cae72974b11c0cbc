/** One thing's places in the rankings it stands in. */
interface Standing {
  /** From 1. */
  ranks: number[];
  /** In which order things were first met, going through the rankings one after the other. */
  met: number;
}

/**
 * Joins rankings of the same things into one: reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009). A thing
 * is worth the sum of `1 / (k + rank)` over the rankings it stands in. Only places count, so that scores that cannot be
 * compared, of words and of vectors, need no weights. Pure; never throws.
 *
 * Ties: the better best place first, then what the earlier ranking has. A repetition inside a ranking does not count.
 *
 * @param rankings each best first
 * @param limit things in the result, at most
 * @param k how little the first places stand out; 60 is the value of the paper, found on TREC's collections
 * @returns best first, each thing once
 */
export function fuse(rankings: readonly (readonly string[])[], limit: number, k = 60): string[] {
  const standings = new Map<string, Standing>();
  for (const ranking of rankings) {
    for (const [at, thing] of [...new Set(ranking)].entries()) {
      const standing = standings.get(thing);
      if (standing === undefined) standings.set(thing, { ranks: [at + 1], met: standings.size });
      else standing.ranks.push(at + 1);
    }
  }
  return [...standings]
    .map(([thing, { ranks, met }]) => {
      // Added up in one order, so that equal places in other rankings are equal to the last bit.
      ranks.sort((a, b) => a - b);
      return {
        thing,
        met,
        best: ranks[0] ?? 0,
        score: ranks.reduce((sum, r) => sum + 1 / (k + r), 0),
      };
    })
    .sort((a, b) => b.score - a.score || a.best - b.best || a.met - b.met)
    .slice(0, Math.max(0, limit))
    .map(({ thing }) => thing);
}
