/** The places of each word in a text, in order. */
export type Occurrences = (word: number) => Int32Array;

/** Where each word stands. Linear in the number of words, and in how many different ones there are. */
export function occurrencesIn(words: Int32Array): Occurrences {
  let last = 0;
  for (let at = 0; at < words.length; at += 1) last = Math.max(last, words[at] ?? 0);
  const offsets = new Int32Array(last + 2);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0;
    offsets[word + 1] = (offsets[word + 1] ?? 0) + 1;
  }
  for (let word = 1; word < offsets.length; word += 1) {
    offsets[word] = (offsets[word] ?? 0) + (offsets[word - 1] ?? 0);
  }
  const next = offsets.slice();
  const places = new Int32Array(words.length);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0;
    const slot = next[word] ?? 0;
    places[slot] = at;
    next[word] = slot + 1;
  }
  const none = new Int32Array();
  return (word) =>
    word + 1 < offsets.length ? places.subarray(offsets[word], offsets[word + 1]) : none;
}

/** The same for a short text, of some words only. */
export function occurrencesOf(wanted: Int32Array, words: Int32Array): Occurrences {
  const places = new Map<number, number[]>(Array.from(wanted, (word) => [word, []]));
  for (let at = 0; at < words.length; at += 1) places.get(words[at] ?? 0)?.push(at);
  const found = new Map([...places].map(([word, own]) => [word, Int32Array.from(own)]));
  const none = new Int32Array();
  return (word) => found.get(word) ?? none;
}
