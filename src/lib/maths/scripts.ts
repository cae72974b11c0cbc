// Only letters whose raised or lowered form decomposes to them (NFKC) stand here, except for the
// primes, daggers and dots below, which are raised by nature: a look-alike would change the formula.
const RAISED = new Map(
  pairs(
    '0123456789+−-=()',
    '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾',
    'abcdefghijklmnoprstuvwxyz',
    'ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ',
    'ABDEGHIJKLMNOPRTUVW',
    'ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ',
    'βγδφχθ',
    'ᵝᵞᵟᵠᵡᶿ',
    '†‡•∙⋅',
    '†‡••˙',
  ),
);
const LOWERED = new Map(
  pairs(
    '0123456789+−-=()',
    '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎',
    'aehijklmnoprstuvx',
    'ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ',
    'βγρφχ',
    'ᵦᵧᵨᵩᵪ',
  ),
);

function pairs(...rows: string[]): [string, string][] {
  const out: [string, string][] = [];
  for (let row = 0; row + 1 < rows.length; row += 2) {
    const to = Array.from(rows[row + 1] ?? '');
    Array.from(rows[row] ?? '').forEach((from, at) => {
      const target = to[at];
      if (target !== undefined) out.push([from, target]);
    });
  }
  return out;
}

function mapped(text: string, table: ReadonlyMap<string, string>): string | undefined {
  let out = '';
  for (const char of text) {
    const target = table.get(char);
    if (target === undefined) return undefined;
    out += target;
  }
  return out;
}

/** The text raised, if Unicode raises each of its characters. */
export function raised(text: string): string | undefined {
  return mapped(text, RAISED);
}

/** The text lowered, if Unicode lowers each of its characters. */
export function lowered(text: string): string | undefined {
  return mapped(text, LOWERED);
}

/** A run of primes as the single signs Unicode has for two, three and four. */
export function primes(count: number): string {
  const rest = count % 4;
  return '⁗'.repeat(Math.floor(count / 4)) + (['', '′', '″', '‴'][rest] ?? '');
}

const SCRIPTS = new Set([...RAISED.values(), ...LOWERED.values(), ...Array.from('′″‴⁗°')]);

/** A letter with its combining marks, apart from the Unicode scripts behind it; undefined if there is more. */
export function nucleus(text: string): { letter: string; scripts: string } | undefined {
  const letter = /^\P{M}\p{M}*/u.exec(text)?.[0];
  if (letter === undefined) return undefined;
  const scripts = text.slice(letter.length);
  return Array.from(scripts).every((char) => SCRIPTS.has(char)) ? { letter, scripts } : undefined;
}
