import type { Code, Tokenizer } from 'micromark-util-types';

/** Whether a code of the tokenizer is a line ending. */
export const isEol = (code: Code): boolean => code !== null && code < -2;

/** Consumes one code of a formula, as a line ending or as data. */
export function consumeTex(effects: Parameters<Tokenizer>[0], code: Code): void {
  if (isEol(code)) {
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return;
  }
  effects.enter('mathTextData');
  effects.consume(code);
  effects.exit('mathTextData');
}
