import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createRenderStream, renderModelOutput } from '../lib/render';

import { drawPane } from './support/pane-model';

const render = (markdown: string): string => renderModelOutput(markdown).text;
const drawn = (markdown: string): string => drawPane(render(markdown)).text;

const WRAPPED = 'A line of a text that was wrapped where it was full, as mail is;';

/** Whether all that is shown while a text arrives letter by letter is the beginning of what is shown at the end. */
function onlyGrows(markdown: string): boolean {
  const stream = createRenderStream();
  const shown = Array.from(markdown).map((letter) => stream.push(letter));
  const { text } = stream.end();
  return shown.every((each) => text.startsWith(each));
}

describe('a line ending that is meant', () => {
  const meant: [what: string, markdown: string, lines: string][] = [
    ['a greeting', 'Best regards,\nAnna', 'Best regards,\nAnna'],
    ['an address', 'Lam Ltd\n1 Long Road\nTown', 'Lam Ltd\n1 Long Road\nTown'],
    ['a dialogue', '— Who is it?\n— Me.', '— Who is it?\n— Me.'],
    ['Chinese', '问：太酸怎么办？\n答：磨细一点。', '问：太酸怎么办？\n答：磨细一点。'],
    ['in a quote', '> Roses\n> Violets', 'Roses\nViolets'],
    ['in an item', '- Roses\n  Violets', '• Roses\nViolets'],
    ['below a lazy line', '> Roses\nViolets', 'Roses\nViolets'],
    ['carriage returns', 'Roses\r\nViolets', 'Roses\nViolets'],
    ['bullets of its own', `• ${WRAPPED}\n• two`, `• ${WRAPPED}\n• two`],
    ['emoji', `✅ ${WRAPPED}\n❌ two`, `✅ ${WRAPPED}\n❌ two`],
    ['letters', `a) ${WRAPPED}\nb) two`, `a) ${WRAPPED}\nb) two`],
    ['numbers that are no list', `${WRAPPED}\n2. two`, `${WRAPPED}\n2. two`],
    ['notes', `[^1]: ${WRAPPED}\n[^2]: two`, `[^1]: ${WRAPPED}\n[^2]: two`],
    ['notes of one word', '[^1]: one\n[^2]: two', '[^1]: one\n[^2]: two'],
    ['lines that were never wrapped', `${WRAPPED.repeat(2)}\nb`, `${WRAPPED.repeat(2)}\nb`],
    ['a heading of two lines', 'Roses\nViolets\n---', 'Roses\nViolets'],
    ['bold labels', `**Duration:** ${WRAPPED}\n**Cost:** none`, `Duration: ${WRAPPED}\nCost: none`],
    ['a bold line', `**${WRAPPED}**\nmore`, `${WRAPPED}\nmore`],
    ['labels', `Pros: ${WRAPPED}\nCons: none`, `Pros: ${WRAPPED}\nCons: none`],
    ['clauses', `a. ${WRAPPED}\nb. two`, `a. ${WRAPPED}\nb. two`],
    ['roman numbers', `(i) ${WRAPPED}\n(ii) two`, `(i) ${WRAPPED}\n(ii) two`],
    ['times', `10:00 ${WRAPPED}\n11:00 two`, `10:00 ${WRAPPED}\n11:00 two`],
    [
      'speakers',
      `— ${WRAPPED.replace(';', '.')}\n— Yes.`,
      `— ${WRAPPED.replace(';', '.')}\n— Yes.`,
    ],
    [
      'a name below a quote',
      `> ${WRAPPED.replace(';', '.')}\n> — A`,
      `${WRAPPED.replace(';', '.')}\n— A`,
    ],
    [
      'what follows one that was meant',
      `Roses\n${WRAPPED}\n${WRAPPED}`,
      `Roses\n${WRAPPED}\n${WRAPPED}`,
    ],
    [
      'long Chinese lines',
      `${'很'.repeat(40)}，\n${'长'.repeat(40)}`,
      `${'很'.repeat(40)}，\n${'长'.repeat(40)}`,
    ],
    [
      'a picture with a name',
      '![A robin](https://a.example/r.png "In snow")\nA robin',
      'A robin\nA robin',
    ],
    ['a title on a table', 'Months\n| a |\n|-|\n| b |', 'Months\n\na\nb'],
  ];
  it.each(meant)('%s', (_what, markdown, lines) => {
    expect(drawn(markdown)).toBe(lines);
    expect(onlyGrows(markdown)).toBe(true);
  });

  it.each([
    ['a full line', `${WRAPPED}\n${WRAPPED}`],
    [
      'a number that ends a sentence',
      `The door is on the left, and the number of the flat is\n14. It`,
    ],
    [
      'a bracket that ends',
      `A line of a text that was wrapped where it is full (as in section\n3) and`,
    ],
    ['a long address', `See the [guide](https://docs.example/${'a'.repeat(40)}) for\nthe list`],
    ['a break already', 'Roses  \nViolets'],
    ['a backslash', 'Roses\\\nViolets'],
    ['a tag', 'Roses<br>\nViolets'],
    ['a callout', '> [!NOTE]\n> Water weekly.'],
    ['in code', '`a\nb`'],
    ['in a link', '[a\nb](https://a.example)'],
  ])('%s is as it was', (_what, markdown) => {
    expect(render(markdown)).toBe(markdown.replace(/\n(\d+)/, '\n$1\\'));
  });
});

describe('numbers of a list', () => {
  it.each([
    ['years', '1837. One\n1963. Two', '1837. One\n\n1963. Two'],
    ['a countdown', '3. a\n2. b\n1. c', '3. a\n\n2. b\n\n1. c'],
    ['a gap', '1. a\n2. b\n7. c\n8. d', '1. a\n2. b\n\n7. c\n8. d'],
    ['a repeated number', '1. a\n2. b\n2. c\n3. d', '1. a\n2. b\n\n2. c\n3. d'],
    ['left to the reader', '1. a\n1. b\n1. c', '1. a\n2. b\n3. c'],
    ['left to the reader from zero', '0. a\n0. b', '0. a\n1. b'],
    ['in a sub-list', '- x\n  1. a\n  3. b', '• x\n  1. a\n  3. b'],
    ['behind code', '1. a\n\n   ```\n   x\n   ```\n\n5. b', '1. a\n\nx\n\n5. b'],
    ['with parentheses', '1) a\n5) b', '1. a\n\n5. b'],
  ])('%s', (_what, markdown, lines) => {
    expect(drawn(markdown)).toBe(lines);
    expect(onlyGrows(markdown)).toBe(true);
  });

  it('are those that were written, whatever they are', () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(numbers, (written) => {
        // Equal numbers at the start leave the counting to the reader.
        fc.pre(written[0] !== written[1]);
        const shown = drawn(written.map((number) => `${number}. x`).join('\n'));
        expect([...shown.matchAll(/\d+/g)].map(Number)).toEqual(written);
      }),
    );
  });
});

describe('emphasis beside letters', () => {
  it.each([
    ['これは**「重要」**です。', 'これは「重要」です。'],
    ['**注意：**不要忘记', '注意：不要忘记'],
    ['a**(b)**c', 'a(b)c'],
    ['**"Straight"**works', '"Straight"works'],
    ['중요한**“말”**을', '중요한“말”을'],
    ['*（注）*これ', '（注）これ'],
    ['- **Cost:**about $15', '• Cost:about $15'],
    ['**「A」**と**「B」**と**「C」**です', '「A」と「B」と「C」です'],
    ['# 一**「二」**三', '一「二」三'],
    ['| a |\n|-|\n| 一**「二」**三 |', 'a\n一「二」三'],
  ])('%j', (markdown, text) => {
    const drawing = drawPane(render(markdown));
    expect(drawing.text.replaceAll('\u200B', '')).toBe(text);
    expect(onlyGrows(markdown)).toBe(true);
  });

  it.each([
    ['**「A」**と**「B」**です', ['「A」', '「B」']],
    ['- **步骤一：**打开**设置**页面。', ['步骤一：', '设置']],
    ['**优点：**速度快，**缺点：**价格高', ['优点：', '缺点：']],
    ['**重要！**然后*「斜体」*的', ['重要！']],
    ['*「斜体」*的**“粗”**吧', ['“粗”']],
  ])('is what stands between the stars: %j', (markdown, bold) => {
    const found = [...render(markdown).matchAll(/\*\*(.*?)\*\*/g)].map((match) => match[1]);
    expect(found.map((each) => each?.replaceAll('\u200B', ''))).toEqual(bold);
    expect(drawn(markdown)).not.toContain('*');
  });

  it.each([
    '2 ** 3 ** 4',
    'a**(b',
    'f*(x) and g*(y)',
    'f*(x)*g(y)',
    'x**(y) and z**(w)',
    '**a b',
    '**a\n\nb.**c',
    'x\\*\\*(y)\\*\\*z',
    '`a**(b)**c`',
  ])('is none: %j', (markdown) => {
    expect(render(markdown)).not.toContain('\u200B');
  });
});

describe('signs that are no marks', () => {
  it.each([
    ['a product', '2*3*4 = 24', '2*3*4 = 24'],
    ['a size', 'It is 5*3*2 cm.', 'It is 5*3*2 cm.'],
    ['a power', '2**3**2', '2**3**2'],
    ['brackets', '(1+2)*(3+4)*(5)', '(1+2)*(3+4)*(5)'],
    ['a name of Python', 'Call __init__ and __str__.', 'Call __init__ and __str__.'],
    ['a share', '\\\\server\\share\\a.txt', '\\\\server\\share\\a.txt'],
    ['a hidden folder', 'C:\\Users\\.config', 'C:\\Users\\.config'],
  ])('%s', (_what, markdown, text) => {
    expect(drawn(markdown)).toBe(text);
    expect(onlyGrows(`${markdown} end`)).toBe(true);
  });

  it.each([
    ['emphasis', 'a *b* c', 'a b c'],
    ['bold', '__Bold text__', 'Bold text'],
    ['a rating', '5* and 6*', '5* and 6*'],
    ['an escape', 'a\\*b \\_c', 'a*b _c'],
    ['two backslashes', 'a\\\\b', 'a\\b'],
  ])('%s is as it was', (_what, markdown, text) => {
    expect(drawn(markdown)).toBe(text);
  });
});

describe('code with pipes in a table', () => {
  const table = (row: string): string => `| a | b |\n|-|-|\n${row}`;
  it.each([
    ['one', '| `x|y` | z |', 'a │ b\nx|y │ z'],
    ['two in a row', '| `x||y` | z |', 'a │ b\nx||y │ z'],
    ['two pieces', '| `x|y` or `p|q` | z |', 'a │ b\nx|y or p|q │ z'],
    ['in the last cell', '| z | `x|y` |', 'a │ b\nz │ x|y'],
    ['longer runs', '| ``x|`y`` | z |', 'a │ b\nx|`y │ z'],
    ['already escaped', '| `x\\|y` | z |', 'a │ b\nx|y │ z'],
    ['one of each', '| `x\\|y|z` | z |', 'a │ b\nx|y|z │ z'],
    ['nothing in it acts', '| `~a|$b$<i>` | z |', 'a │ b\n~a|$b$<i> │ z'],
    ['a backslash before a backtick', '| `x|\\` | z |', 'a │ b\n`x │ ` | z'],
    ['an empty cell too many', '| x || z |', 'a │ b\nx │ | z'],
    ['too many cells besides', '| `x|y` | z | w |', 'a │ b\n`x │ y` | z | w'],
  ])('%s', (_what, row, lines) => {
    expect(drawn(table(row))).toBe(lines);
    expect(onlyGrows(table(row))).toBe(true);
  });

  it('is code in a table that is drawn as rows', () => {
    const { codeSpans } = drawPane(render(table(`| \`x|y\` | ${'z'.repeat(90)} |`)));
    expect(codeSpans).toEqual(['x|y']);
  });
});

describe('text right below a table', () => {
  const table = '| a | b |\n|-|-|\n| 1 | 2 |\n';
  it.each([
    [
      'a line',
      `${table}Source: [the desk](https://a.example).`,
      'a │ b\n1 │ 2\n\nSource: the desk.',
    ],
    ['two lines', `${table}One\n  two\n\nThree`, 'a │ b\n1 │ 2\n\nOne\n\ntwo\n\nThree'],
    ['below the header', '| a | b |\n|-|-|\nOne', 'a │ b\n\nOne'],
    ['carriage returns', '| a | b |\r\n|-|-|\r\n| 1 | 2 |\r\nOne', 'a │ b\n1 │ 2\n\nOne'],
    [
      'below rows as blocks',
      `${table}| 3 | ${'z'.repeat(90)} |\nOne`,
      `a: 1\nb: 2\n\na: 3\nb: ${'z'.repeat(90)}\n\nOne`,
    ],
  ])('%s is a paragraph', (_what, markdown, lines) => {
    expect(drawn(markdown)).toBe(lines);
  });

  it('above a rule it is no heading', () => {
    expect(render(`${table}One\n---\nTwo`)).toBe(`${table}\nOne\n\n---\nTwo`);
  });

  it.each([
    ['a row with a pipe', `${table}3 | 4`, 'a │ b\n1 │ 2\n3 │ 4'],
    ['a row between rows', `${table}3\n| 4 | 5 |`, 'a │ b\n1 │ 2\n3 │ \n4 │ 5'],
    ['a table of one column', '| a |\n|-|\nb', 'a\nb'],
  ])('%s is a row', (_what, markdown, lines) => {
    expect(drawn(markdown)).toBe(lines);
  });
});
