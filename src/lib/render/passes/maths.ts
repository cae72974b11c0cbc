import { escapeMarkdown } from '../../code';
import { texToUnicode } from '../../maths';
import type { Pass } from './pass';

/** Code with a delimiter longer than any run of backticks in it. */
function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Formulas in Unicode; what Unicode cannot say stays readable TeX in code style. */
export const mathsPass: Pass = ({ formulas }) =>
  formulas.map(({ start, end, tex, display }) => {
    const unicode = texToUnicode(tex, display);
    return { start, end, text: unicode === undefined ? codeSpan(tex) : escapeMarkdown(unicode) };
  });
