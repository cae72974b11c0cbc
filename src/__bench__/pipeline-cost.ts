import MarkdownIt from 'markdown-it';
import { marked } from 'marked';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';

import { createRenderStream, renderModelOutput } from '../lib/render';

import { answerOf, shapes, sources } from './answers';
import { corpus } from './corpus';
import { median } from './statistics';

const markdownIt = new MarkdownIt();
const remark = unified().use(remarkParse).use(remarkGfm).use(remarkStringify);

const subjects: readonly { name: string; run: (text: string) => unknown }[] = [
  { name: 'renderModelOutput', run: (text) => renderModelOutput(text, { sources }) },
  { name: 'marked, lexer only', run: (text) => marked.lexer(text) },
  { name: 'markdown-it, parse and render', run: (text) => markdownIt.render(text) },
  { name: 'remark-parse, -gfm, -stringify', run: (text) => String(remark.processSync(text)) },
];

const RUNS = 3;

/** What a whole pipeline costs on the corpus. */
export interface PipelineCost {
  subject: string;
  /** Milliseconds for all answers. */
  total: number;
}

/** The corpus through Lam's pipeline and through what others use; they take turns. `length`: UTF-16 units of the corpus. */
export function pipelineCosts(): { length: number; costs: PipelineCost[] } {
  const times = subjects.map((): number[] => []);
  for (const { run } of subjects) corpus.forEach(run); // warms the code up
  for (let i = 0; i < RUNS; i++) {
    for (const [s, { run }] of subjects.entries()) {
      const before = performance.now();
      corpus.forEach(run);
      times[s]?.push(performance.now() - before);
    }
  }
  return {
    length: corpus.reduce((sum, { length }) => sum + length, 0),
    costs: subjects.map(({ name }, s) => ({ subject: name, total: median(times[s] ?? []) })),
  };
}

/** UTF-16 units of a chunk: about one token. */
const CHUNK = 4;

/** How many times a chunk is cheaper than rendering the whole again, for an answer of ordinary paragraphs of that length. */
export function chunkAdvantage(length: number): number {
  const shape = shapes[0];
  if (!shape) return NaN;
  const answer = answerOf(shape, length);
  const window = 2_000;
  const stream = createRenderStream({ sources });
  stream.push(answer.slice(0, length - window));
  const before = performance.now();
  for (let at = length - window; at < length; at += CHUNK)
    stream.push(answer.slice(at, at + CHUNK));
  const chunk = (performance.now() - before) / (window / CHUNK);
  const wholes = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    renderModelOutput(answer, { sources });
    return performance.now() - start;
  });
  return median(wholes) / chunk;
}

/** How many answers of the corpus end in a redraw: their finished text does not go on from what was shown. */
export function redraws(): { redrawn: number; answers: number } {
  const redrawn = corpus.filter((answer) => {
    const stream = createRenderStream({ sources });
    let shown = '';
    for (let at = 0; at < answer.length; at += CHUNK)
      shown = stream.push(answer.slice(at, at + CHUNK));
    return !stream.end().text.startsWith(shown);
  });
  return { redrawn: redrawn.length, answers: corpus.length };
}
