/** Levels that are indented; deeper ones stay at this one, or hostile nesting would make megabytes of blanks. */
const MAX_INDENT = 12;

/**
 * JSON laid out for reading, two blanks a level; text that is not JSON comes back as it is.
 *
 * Only white space changes: numbers too long for a double and repeated keys survive, which
 * `JSON.stringify(JSON.parse(…))` would lose. Also as it is when the result would be longer than `maxChars` (UTF-16 units).
 */
export function layOutJson(text: string, maxChars: number): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const out: string[] = [];
  let length = 0;
  let depth = 0;
  const put = (piece: string): void => {
    out.push(piece);
    length += piece.length;
  };
  const newLine = (): void => {
    put('\n' + '  '.repeat(Math.min(depth, MAX_INDENT)));
  };
  // A valid JSON text is a row of these tokens and white space.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[^\s"[\]{}:,]+|[[\]{}:,]/g)) {
    const last = out.at(-1);
    if (token === '}' || token === ']') {
      depth -= 1;
      if (last !== '{' && last !== '[') newLine();
    } else if (last === '{' || last === '[') newLine();
    put(token);
    if (token === '{' || token === '[') depth += 1;
    else if (token === ',') newLine();
    else if (token === ':') put(' ');
    if (length > maxChars) return text;
  }
  return out.join('');
}
