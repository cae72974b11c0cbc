import type { Piece } from './pieces';
import { nucleus } from './scripts';

/** An integral sign, with its bounds. */
export function isIntegral({ role, text }: Piece): boolean {
  return role === 'op' && /^[∫∬∭⨌∮∯∰]/u.test(text);
}

/** Whether the `d` at this place begins a differential that must not seem a factor: `x² dx`. */
export function isDifferential(pieces: readonly Piece[], at: number, inIntegral: boolean): boolean {
  const [sign, variable] = [pieces[at], pieces[at + 1]];
  if (sign === undefined || variable === undefined) return false;
  if (!/^d[²³⁴ⁿ]?$/.test(sign.text) || !(inIntegral || sign.afterSpace === true)) return false;
  return variable.role === 'ord' && /^\p{L}/u.test(nucleus(variable.text)?.letter ?? '');
}
