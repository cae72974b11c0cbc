import type { Source } from '../lib/types';

/** Sources that the generated answers cite. */
export const sources: Source[] = Array.from({ length: 9 }, (_, i) => ({
  index: i + 1,
  title: `Page ${i + 1}`,
  url: `https://page-${i + 1}.example/a/longer/path?with=query`,
}));

const SENTENCES = [
  'The plant grows best in acid soil with a little shade [%].',
  'Most growers water it **twice a week** in summer, and less in winter.',
  'A study of 1,200 gardens found no difference between the two methods [%][2].',
  'Its leaves hold `caffeine` and other substances, which keep insects away.',
  'Prices rose from $5 to $7 last year; see the report for details [1, %].',
  'In the hills, however, the frost comes early and the harvest is *small*.',
];

/** The n-th sentence, with a marker that changes with n. */
const sentence = (n: number): string =>
  (SENTENCES[n % SENTENCES.length] ?? '').replace('%', String((n % 9) + 1));

const FORMULA = 'The rate is $k = A e^{-E/RT}$, so that $x^2$ doubles.\n\n';
const CODE = 'const rows = table.filter((row) => row.cells[0] > 1); // [1]\n';

type Part = (n: number) => string;

/** A way to make the n-th part of an answer. `open` is what the answer begins with. */
interface Shape {
  name: string;
  open: string;
  part: Part;
}

const PARAGRAPHS: Shape = {
  name: 'paragraphs',
  open: '',
  part: (n) => `${[0, 1, 2, 3].map((i) => sentence(4 * n + i)).join(' ')}\n\n`,
};

/** Shapes of answers. */
export const shapes: readonly Shape[] = [
  PARAGRAPHS,
  { name: 'one list', open: '', part: (n) => `- ${sentence(n)} ${sentence(n + 1)}\n` },
  { name: 'one fence', open: '```js\n', part: () => CODE },
  {
    name: 'one table',
    open: '| what | how much | source |\n| --- | --- | --- |\n',
    part: (n) => `| leaf ${n} | ${n * 7} g | ${sentence(n)} |\n`,
  },
  { name: 'one paragraph', open: '', part: (n) => `${sentence(n)} ` },
];

function grow(open: string, part: Part, length: number): string {
  const parts = [open];
  for (let n = 0, total = open.length; total < length; n++) {
    const next = part(n);
    parts.push(next);
    total += next.length;
  }
  return parts.join('').slice(0, length);
}

/** An answer of one shape, `length` UTF-16 units long. */
export const answerOf = (shape: Shape, length: number): string =>
  grow(shape.open, shape.part, length);

/** Ordinary cited paragraphs, `length` UTF-16 units long. */
export const paragraphs = (length: number): string => answerOf(PARAGRAPHS, length);

/** An answer as models write them, with a bit of everything, `length` UTF-16 units long. */
export const mixedAnswer = (length: number): string =>
  grow(
    '',
    (n) =>
      [
        `## Part ${n}\n\n${sentence(n)} ${sentence(n + 1)} ${sentence(n + 2)}\n\n`,
        `- ${sentence(n)}\n- ${sentence(n + 3)}\n  - ${sentence(n + 4)}\n\n`,
        FORMULA,
        `\`\`\`js\n${CODE.repeat(5)}\`\`\`\n\n`,
        `| a | b |\n|---|---|\n| ${sentence(n)} | 1 |\n| x | ${n} |\n\n`,
      ].join(''),
    length,
  );
