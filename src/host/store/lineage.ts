/** A row of a stored list of exchanges, as far as it says where it belongs. */
export interface LineageRow {
  /** The id it is stored under; absent where that cannot be read. */
  storedId?: string | undefined;
  /** The id it is shown under; absent when the exchange could not be read and is left out. */
  id?: string | undefined;
  /** What it says it follows; absent = the row before it. */
  parent?: string | undefined;
}

/** Where the exchanges of one stored list belong once those that could not be read are left out. */
interface Lineage {
  /** Id of what the row follows, left-out rows passed over; '' = it begins the conversation. A name of nothing stays. */
  follows(position: number): string;
  /** Id of what stands for the exchange that is stored under this one: itself, or what it followed; a name of nothing stays. */
  standIn(storedId: string): string;
}

/**
 * A row that could not be read must not cut off what followed it: whatever hung on it hangs on what it hung on itself. Of
 * two rows with one id, the first is meant.
 */
export function createLineage(rows: readonly LineageRow[]): Lineage {
  const places = new Map<string, number>();
  /** The nearest left-out row without an id, for each row: it may be the one that is missed. */
  const nameless: (number | undefined)[] = [];
  let latest: number | undefined;
  for (const [position, { id, storedId }] of rows.entries()) {
    nameless.push(latest);
    if (id === undefined && storedId === undefined) latest = position;
    if (storedId !== undefined && !places.has(storedId)) places.set(storedId, position);
  }
  // An id that was made up names its row as well, unless one is stored under it.
  for (const [position, { id }] of rows.entries())
    if (id !== undefined && !places.has(id)) places.set(id, position);
  for (const [position, { parent = '' }] of rows.entries()) {
    const missed = nameless[position];
    if (parent !== '' && missed !== undefined && !places.has(parent)) places.set(parent, missed);
  }

  const answers: (string | undefined)[] = [];

  function answerFor(position: number): string {
    const known = answers[position];
    if (known !== undefined) return known;
    const passed = new Set<number>(); // rows left out can name each other in a circle
    let at = position;
    let answer: string | undefined;
    while (answer === undefined) {
      passed.add(at);
      const parent = rows[at]?.parent;
      const next = parent === undefined ? at - 1 : places.get(parent);
      if (parent === '' || next === undefined) answer = parent;
      else if (next < 0 || passed.has(next)) answer = '';
      else answer = rows[next]?.id ?? answers[next];
      at = next ?? at;
    }
    // Each row passed over has the same answer; kept, or a long run of them would be walked once for every follower.
    for (const row of passed) answers[row] = answer;
    return answer;
  }

  return {
    follows(position) {
      const answer = answerFor(position);
      return answer === rows[position]?.id ? '' : answer; // what hung on a lost one that hung on it
    },
    standIn(storedId) {
      const place = places.get(storedId);
      return place === undefined ? storedId : (rows[place]?.id ?? answerFor(place));
    },
  };
}
