/** Bytes of a text in an encoding that Node can read but not write: the decoder's own table, turned round. */
export function encoded(encoding: 'windows-1251' | 'shift_jis', text: string): Uint8Array {
  const table = new Map<string, number[]>();
  const decoder = new TextDecoder(encoding);
  const note = (...bytes: number[]): void => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if (Array.from(char).length === 1 && char !== '\ufffd' && !table.has(char))
      table.set(char, bytes);
  };
  for (let first = 0; first < 256; first += 1) note(first);
  if (encoding === 'shift_jis')
    for (let first = 0x81; first <= 0xef; first += 1)
      for (let second = 0x40; second <= 0xfc; second += 1) note(first, second);
  return Uint8Array.from(
    Array.from(text).flatMap((char) => {
      const bytes = table.get(char);
      if (bytes === undefined) throw new Error(`${encoding} has no ${char}.`);
      return bytes;
    }),
  );
}
