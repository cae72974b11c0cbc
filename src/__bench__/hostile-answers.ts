/** Texts made to hang a reader, each as the piece that is repeated and what stands before it. */
const pieces: readonly { name: string; open?: string; piece: string }[] = [
  { name: '[', piece: '[' },
  { name: 'backticks', piece: '`' },
  { name: '[1,1,1', open: '[', piece: '1,' },
  { name: '*_', piece: '*_' },
  { name: '[1](', piece: '[1](' },
  { name: '[1], one line', piece: '[1]' },
  { name: '[1], paragraphs', piece: '[1]\n\n' },
  { name: 'lines', piece: 'a\n' },
  { name: 'headings', piece: '#\n' },
  { name: 'underlined', piece: 'a\n===\n' },
  { name: 'definitions', piece: '[a]: b\n' },
  { name: 'notes', piece: '[^1]: a\n' },
  { name: 'list items', piece: '- a\n' },
  { name: 'quotes', piece: '> a\n\n' },
  { name: 'nested lists', piece: `${'- '.repeat(50)}a\n` },
  { name: 'rows of a table', open: '|a|b|\n|-|-|\n', piece: '|c|[1]|\n' },
];

/** A text of each kind, `length` UTF-16 units long. */
export const hostileAnswers = (length: number): { name: string; text: string }[] =>
  pieces.map(({ name, open = '', piece }) => ({
    name,
    text: (open + piece.repeat(Math.ceil(length / piece.length))).slice(0, length),
  }));
