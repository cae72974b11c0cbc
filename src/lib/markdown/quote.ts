/** Every line of a Markdown text behind `> `. */
export function quote(markdown: string): string {
  return markdown
    .split(/\r\n|\r|\n/)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Parts of a document with a blank line between; empty ones are left out. */
export function joinBlocks(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}
