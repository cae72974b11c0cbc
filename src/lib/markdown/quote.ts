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

/** What is asked behind the quote that a question begins with; the question itself if there is nothing else. */
export function askedOf(question: string): string {
  const lines = question.split(/\r\n|\r|\n/);
  const place = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('>'));
  return place <= 0 ? question : lines.slice(place).join('\n');
}

/** A text as the beginning of a question about it: quoted, with an empty line behind it for what is asked. */
export function quoteOf(text: string): string {
  return `${quote(text.trim())}\n\n`;
}
