import type { Piece } from './pieces';
import { nucleus } from './scripts';
import type { Saying, Speaker } from './speaker';
import type { TexNode } from './tree';
import { nodesOf, stringOf, Unsayable } from './tree';

const OVERLINE = '\u0305';
const UNDERLINE = '\u0332';
const STROKE = '\u0336';

const MARKS = new Map(
  Object.entries({
    '\u0301': "acute '",
    '\u0300': 'grave `',
    '\u0308': 'ddot "',
    '\u20DB': 'dddot',
    '\u20DC': 'ddddot',
    '\u0303': 'tilde widetilde ~',
    '\u0304': 'bar =',
    '\u0306': 'breve u',
    '\u030C': 'check widecheck v',
    '\u0302': 'hat widehat ^',
    '\u20D7': 'vec overrightarrow',
    '\u20D6': 'overleftarrow',
    '\u20E1': 'overleftrightarrow',
    '\u20D1': 'overrightharpoon',
    '\u20D0': 'overleftharpoon',
    '\u0307': 'dot .',
    '\u030A': 'mathring r',
    '\u030B': 'H',
    '\u0327': 'c',
    '\u20EF': 'underrightarrow',
    '\u20EE': 'underleftarrow',
    '\u0330': 'utilde',
    [OVERLINE]: 'overline',
    [UNDERLINE]: 'underline',
  }).flatMap(([mark, names]) =>
    names.split(' ').map((name): [string, string] => [`\\${name}`, mark]),
  ),
);

/** These read as one line over several letters; any other mark would seem to belong to each letter. */
const SPREADING = new Set(['\\overline', '\\underline', '\\bar']);

/** Over the two ends of a segment, written behind the second: `AB⃗`. */
const ARROWS = new Set(['\\overrightarrow', '\\overleftarrow', '\\overleftrightarrow', '\\vec']);

/** The angle at the second of three points is written over that one: `AB̂C`. */
const ANGLES = new Set(['\\widehat', '\\hat']);

function marked(body: Piece, label: string): Piece {
  const mark = MARKS.get(label);
  if (mark === undefined) throw new Unsayable(label);
  const single = nucleus(body.text);
  if (single !== undefined) {
    const text = (single.letter + mark).normalize('NFC') + single.scripts;
    return { ...body, text, role: 'ord' };
  }
  const points = /^[A-Z]{2,3}$/.exec(body.text)?.[0];
  if (points !== undefined && ARROWS.has(label))
    return { text: points + mark, role: 'ord', hold: 'atom' };
  if (points?.length === 3 && ANGLES.has(label))
    return {
      text: (points.slice(0, 2) + mark + points.slice(2)).normalize('NFC'),
      role: 'ord',
      hold: 'atom',
    };
  const tight = body.text.replace(/ (?=[+−⋅×∪∩∨∧])|(?<=[+−⋅×∪∩∨∧]) /g, '');
  if (!SPREADING.has(label) || !/^[\p{L}\p{N}\p{M}+−⋅×∪∩∨∧]+$/u.test(tight))
    throw new Unsayable(label);
  const line = label === '\\bar' ? OVERLINE : mark;
  return { text: over(tight, line), role: 'ord', hold: 'atom' };
}

function over(text: string, mark: string): string {
  return text.replace(/\P{M}\p{M}*/gu, (letter) => letter + mark);
}

function accent(node: TexNode, say: Speaker): Piece[] {
  const body = say.line(nodesOf(node.base));
  if (body.text === '') throw new Unsayable('accent');
  return [marked({ ...body, role: 'ord' }, stringOf(node.label))];
}

/** Boxes are emphasis and go; lines and strokes are meaning and stay. */
function enclosure(node: TexNode, say: Speaker): Piece[] {
  const label = stringOf(node.label);
  const body = nodesOf(node.body);
  switch (label) {
    case '\\boxed':
    case '\\fbox':
    case '\\colorbox':
    case '\\fcolorbox':
      return say.pieces(body);
    case '\\cancel':
    case '\\bcancel':
    case '\\xcancel':
    case '\\sout': {
      const line = say.line(body);
      if (line.text === '' || line.hold === 'loose') throw new Unsayable(label);
      return [{ ...line, text: over(line.text, STROKE), role: 'ord' }];
    }
    case '\\overline':
    case '\\underline': {
      const line = say.line(body);
      if (line.text === '') throw new Unsayable(label);
      return [marked({ ...line, role: 'ord' }, label)];
    }
    default:
      throw new Unsayable(label);
  }
}

/** Sayings of marks over, under and through letters. */
export const ACCENTS: readonly (readonly [string, Saying])[] = [
  ['accent', accent],
  ['accentUnder', accent],
  ['enclose', enclosure],
];
