import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { linkCitations } from '../lib/citations';
import { scan } from '../lib/code';
import { createRenderStream, renderModelOutput } from '../lib/render';

import { drawPane } from './support/pane-model';

const render = (markdown: string): string => renderModelOutput(markdown).text;
const formulas = (markdown: string): string[] => scan(markdown).formulas.map(({ tex }) => tex);

describe('environments without delimiters', () => {
  it.each([
    [
      'an equation',
      'So\n\n\\begin{equation}\nE = mc^2\n\\end{equation}\n\nend',
      'So\n\nE = mc²\n\nend',
    ],
    ['on one line', '\\begin{equation*} E = mc^2 \\end{equation*}', 'E = mc²'],
    ['rows', '\\begin{gather*}\na = b \\\\\nc_1 = d * e_2\n\\end{gather*}', 'a = b  \nc₁ = d∗e₂'],
    [
      'rows that go on',
      '\\begin{align}\na &= b \\\\\n&= c \\\\\n&\\quad + d\n\\end{align}.',
      'a = b  \n\u2003\\= c  \n\u2003\\+ d.',
    ],
    [
      'eqnarray',
      '\\begin{eqnarray}\na &=& b \\\\\n&\\le& c\n\\end{eqnarray}',
      'a = b  \n\u2003≤ c',
    ],
    [
      'lines that look like a list',
      '\\begin{multline}\na\n+ b \\\\\n- c\n\\end{multline}',
      'a \\+ b  \n\u2003− c',
    ],
    ['right below text', 'so\n\\begin{equation}\na\n\\end{equation}\nend', 'so\n\na\n\nend'],
    [
      'in a list',
      '1. so\n\n   \\begin{equation}\n   a\n   \\end{equation}\n\nend',
      '1. so  \n   a\n\nend',
    ],
    [
      'in a sentence',
      'Let A = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix} be',
      'Let A = \\(1, 2; 3, 4\\) be',
    ],
    ['with words behind it', '\\begin{align}\na\n\\end{align} where', 'a  \nwhere'],
    [
      'one in another',
      '\\begin{cases}\\begin{cases}a\\\\b\\end{cases}\\\\c\\end{cases}',
      '⎧ \\{a; b\\}  \n⎩ c',
    ],
    [
      'unknown TeX in it',
      '\\begin{equation}\n\\foo{a}\n\\end{equation}',
      '`\\begin{equation} \\foo{a} \\end{equation}`',
    ],
  ])('%s', (_why, markdown, expected) => {
    expect(render(markdown)).toBe(expected);
  });

  it.each([
    '\\begin{align}\na &= b\n\nnever closed',
    '\\begin{align} a \\end{gather}',
    '\\begin{tabular}{l}\na & b\n\\end{tabular}',
    '\\begin{itemize}\n\\item a\n\\end{itemize}',
    '`\\begin{align} a \\end{align}`',
    '```latex\n\\begin{align}\na\n\\end{align}\n```',
    '    \\begin{align} a \\end{align}',
    '\\\\begin{align} a \\end{align}',
    '\\begin{} \\end{}',
  ])('is no formula: %j', (markdown) => {
    expect(formulas(markdown)).toEqual([]);
  });

  it('keeps a formula of the rest when one never ends', () => {
    expect(formulas('\\begin{align}\na\n\nthen $x^2$')).toEqual(['x^2']);
  });
});

describe('a display formula stands on a line of its own', () => {
  it.each([
    ['below and above text', 'over\n$$\nx\n$$\nunder', 'over\n\nx\n\nunder'],
    ['with blank lines already', 'over\n\n$$\nx\n$$\n\nunder', 'over\n\nx\n\nunder'],
    ['in a paragraph', 'see $$x$$ here', 'see   \nx  \nhere'],
    ['square brackets', 'see \\[x+1\\] here', 'see   \nx \\+ 1  \nhere'],
    ['on its own line of a paragraph', 'see\n$$x$$\nhere', 'see  \nx  \nhere'],
    ['a full stop stays', 'see \\[x+1\\]. Next', 'see   \nx \\+ 1.  \nNext'],
    ['at an end', 'see $$x$$', 'see   \nx'],
    ['in brackets', 'see ($$x$$) here', 'see (x) here'],
    ['in emphasis', 'see **$$x$$** here', 'see **x** here'],
    ['behind emphasis', '**Result:** $$x$$', '**Result:**   \nx'],
    ['no list behind it', '$$x$$ - y', 'x  \n\\- y'],
    ['no number behind it', '$$x$$ 2. y', 'x  \n2\\. y'],
    ['no heading behind it', '$$x$$ # y', 'x  \n\\# y'],
    ['no underline behind it', '$$x$$ ===', 'x  \n\\==='],
    ['no quote behind it', '$$x$$ > y', 'x  \n\\> y'],
    ['in a list item', '- so $$x$$ there\n- next', '- so   \nx  \nthere\n- next'],
    ['below text of a list item', '- so\n  $$\n  x\n  $$\n  there', '- so  \n  x  \n  there'],
    ['in a quote', '> so\n> $$\n> x\n> $$\n> there', '> so  \n> x  \n> there'],
    ['behind a task box', '- [ ] $$x$$', '- ☐ x'],
    ['not in a heading', '# So $$x$$ there', '# So x there'],
    ['not in a cell', '|a|\n|-|\n|so $$x$$ there|', '|a|\n|-|\n|so x there|'],
    ['not in a link', '[so $$x$$ there](https://a.example)', '[so x there](https://a.example)'],
    [
      'cases, a line each',
      '$$|x| = \\begin{cases} x, & x \\ge 0 \\\\ -x, & x < 0 \\end{cases}.$$',
      '\\|x\\| =  \n⎧ x, x ≥ 0  \n⎩ −x, x \\< 0.',
    ],
    ['rows without an environment', '$$a = b \\\\ c = d$$', 'a = b  \nc = d'],
    ['TeX in code style', 'see $$\\foo{a}$$ here', 'see   \n`\\foo{a}`  \nhere'],
    ['carriage returns', 'see\r\n$$x$$\r\nhere', 'see  \r\nx  \r\nhere'],
  ])('%s', (_why, markdown, expected) => {
    expect(render(markdown)).toBe(expected);
  });
});

describe('what only looks like a formula', () => {
  it.each([
    'Pay $5, $6 or $7.50; from $5-$10 to $1.5M<$2M.',
    'US$5, S$10/HK$20, A$/US$ and 5$ + 3$',
    '| $5 | $6 |\n|---|---|\n|$7|$8|',
    '|$AAPL|$MSFT| and $TSLA-$AAPL or $AAPL,$MSFT',
    'Set $HOME/$PATH, ${HOME}/bin:${PATH}, $user@$host, $(pwd)/$(whoami) and ${A}${B}.',
    'The object is `$_`; $_ is text, and `$env:TEMP` is a variable.',
    '$APP_HOME (was $APPHOME), $APP_PORT, `$APP_LOG`. Costs $9.',
    "jQuery: $('#id'), $.ajax(), $user->name, $arr[1], Perl: @$ref, %$ref, $_[0]",
    'Cells $A$1, B$2, $C3, SUM($A$1:$A$10)',
    '^[0-9]+$|^x+$ and ^\\d+$ and (^a$)',
    '从$A到$B之间，$人民币$和$5到$6',
    'the pid $$ is here; kill $$ now',
    'the $total price$ of $x and y$',
    '\\[1\\] \\[11, 46\\] \\(2, 3\\)',
    '\\[sic\\] \\[x\\] \\[…\\] \\[citation needed\\]',
    '\\[text = a\\](https://a.example) \\[a = b\\]: c',
    '\\(see below\\) and \\(optional\\)',
    'in C:\\(old)\\(new) files',
  ])('%j', (markdown) => {
    expect(formulas(markdown)).toEqual([]);
  });

  it.each([
    ['the $n$th of $k$-means in $O(n)$', ['n', 'k', 'O(n)']],
    ['$|x|$, $\\{1\\}$, $[0,1)$ and $^{14}C$', ['|x|', '\\{1\\}', '[0,1)', '^{14}C']],
    ['\\(n\\), \\(ABC\\), \\(knd\\) and \\[x = 1\\]', ['n', 'ABC', 'knd', 'x = 1']],
    ['速度$v_{速度}$与$\\text{时间}$', ['v_{速度}', '\\text{时间}']],
    ["$\\text{``so''}$", ["\\text{``so''}"]],
    ['$5 and $x^2$', ['x^2']],
    ['$200 = \\$200$', ['200 = \\$200']],
  ])('%j is maths', (markdown, expected) => {
    expect(formulas(markdown)).toEqual(expected);
  });

  it('leaves markers in such a text to the citations', () => {
    const sources = [{ index: 1, title: 'Page', url: 'https://a.example/1' }];
    expect(linkCitations('$_ is text [1], `$a`', sources).cited).toEqual(new Set([1]));
  });
});

describe('a script or sign right behind a word', () => {
  it.each([
    ['CO$_2$ and H$_2$O', 'CO₂ and H₂O'],
    ['Fe$^{3+}$, 10$^{-3}$, m$^2$', 'Fe³⁺, 10⁻³, m²'],
    ['20$^\\circ$C, 5$\\times$3', '20°C, 5×3'],
  ])('%j', (markdown, expected) => {
    expect(render(markdown)).toBe(expected);
  });

  it.each(['foo$_bar$', 'x$_$', 'US$5 and CA$6', 'a$b$', 'a$x^2$', 'A$_$B'])(
    'is none: %j',
    (markdown) => {
      expect(formulas(markdown)).toEqual([]);
    },
  );
});

describe('chemistry without delimiters', () => {
  it.each([
    ['So \\ce{CH3COOH + NaOH -> CH3COONa + H2O}.', 'So CH₃COOH \\+ NaOH → CH₃COONa \\+ H₂O.'],
    ['|a|\n|-|\n|\\ce{C3H7COOC2H5}|', '|a|\n|-|\n|C₃H₇COOC₂H₅|'],
    ['\\ce{Fe^{3+}} and \\pu{5 kg}', 'Fe³⁺ and 5 kg'],
    ['`\\ce{H2O}`', '`\\ce{H2O}`'],
    ['in $\\ce{H2O}$', 'in H₂O'],
  ])('%j', (markdown, expected) => {
    expect(render(markdown)).toBe(expected);
  });

  it.each([
    '\\ce{H2O',
    '\\ce{H2\nO}',
    '\\ce{}',
    '\\cell{a}',
    '\\ce H2O',
    '\\\\ce{H2O}',
    '\\ce{`a}`',
  ])('is none: %j', (markdown) => {
    expect(formulas(markdown)).toEqual([]);
  });
  it('is none beyond a line of three hundred characters', () => {
    expect(formulas(`\\ce{${'H'.repeat(290)}}`)).toHaveLength(1);
    expect(formulas(`\\ce{${'H'.repeat(300)}}`)).toEqual([]);
  });
});

describe('a display formula that is cut off', () => {
  it.each([
    [
      'so\n\n$$\n\\begin{aligned}\na &= b\\,c \\\\\n|e|',
      ['\\begin{aligned}\na &= b\\,c \\\\\n|e|'],
    ],
    ['$$\n\\frac{a}{b', ['\\frac{a}{b']],
    ['$$\n\\frac{a}{b\n\nThen $x^2$', ['\\frac{a}{b', 'x^2']],
    ['$$\nso it ends', []],
    ['$$\n\\frac{a}{b}', []],
    ['kill $$\n\\frac{a', []],
    ['$$\n\\frac{a}{b `c`', []],
    [`$$\n\\frac{a${'b'.repeat(2000)}`, []],
  ])('%j', (markdown, expected) => {
    expect(formulas(markdown)).toEqual(expected);
  });
});

describe('any text around formulas', () => {
  const piece = fc.constantFrom(
    ...['$$x$$', '\\[y+1\\]', '$z$', '\\begin{align}\na &= b \\\\\n&= c\n\\end{align}'],
    ...[
      '$$\n\\begin{cases} p \\\\ q \\end{cases}\n$$',
      'word',
      ' ',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '> ',
      '  ',
    ],
    ...[
      '\\ce{H2O}',
      '\\ce{',
      '}',
      '$$\n\\frac{a',
      '# ',
      '=',
      '*',
      '**',
      '`',
      '|',
      '.',
      ',',
      '2) ',
      '$',
      '\\begin{align}',
      '[1]',
      '~',
    ],
  );
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

  it('draws every word, and nothing loads', () => {
    fc.assert(
      fc.property(text, (markdown) => {
        const drawn = drawPane(render(markdown));
        const count = (whole: string): number => whole.split('word').length;
        expect(count(drawn.text)).toBe(count(markdown));
      }),
      { numRuns: 1_000 },
    );
  });

  it('streams what only grows, whatever the cuts', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (markdown, size) => {
        const stream = createRenderStream();
        let shown = '';
        for (let at = 0; at < markdown.length; at += size) {
          const next = stream.push(markdown.slice(at, at + size));
          expect(next.startsWith(shown)).toBe(true);
          shown = next;
        }
        expect(stream.end().text).toBe(render(markdown));
      }),
      { numRuns: 200 },
    );
  });

  it('holds a display formula until it is complete', () => {
    const stream = createRenderStream();
    const shown = ['See $$', 'x^', '2$$', ' and', ' more'].map((chunk) => stream.push(chunk));
    expect(shown).toEqual(['See', 'See', 'See', 'See   \nx²  \nand', 'See   \nx²  \nand more']);
  });
});

describe('hostile input', () => {
  // Openers that never end: each is looked at for a bounded stretch.
  it.each([
    '\\begin{align} ',
    '\\begin{align}\n',
    '\\begin{align}a\\begin{gather}b ',
    '$a ',
    '$`a ',
    '\\[a\n\n',
    '\\ce{a ',
    '$$\n\\frac{a}\n\n',
    '> a $$x$$ - b\n',
  ])('ends: %j', (unit) => {
    expect(typeof render(unit.repeat(400))).toBe('string');
  });
});
