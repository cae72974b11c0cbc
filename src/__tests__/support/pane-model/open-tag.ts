import type { gfmTable } from 'micromark-extension-gfm-table';

type Extension = ReturnType<typeof gfmTable>;
type Constructs = NonNullable<NonNullable<Extension['text']>[string]>;
type Construct = Exclude<Constructs, readonly unknown[]>;
type State = ReturnType<Construct['tokenize']>;
type Code = Parameters<State>[0];

const LESS_THAN = 60;

/**
 * Start tags by the launcher's parser (cmark-gfm, `open tag` of the CommonMark specification). micromark ends an unquoted
 * attribute value at a slash, so it takes `<img src=http://t.example/a>` for text, while the launcher's parser takes it for a
 * tag, and fetches.
 */
export function openTags(): Extension {
  return { text: { [LESS_THAN]: { name: 'htmlText', tokenize } } };
}

const tokenize: Construct['tokenize'] = (effects, ok, nok) => {
  const is = (code: Code, pattern: RegExp): boolean =>
    code !== null && code >= 0 && pattern.test(String.fromCodePoint(code));
  // micromark's own codes below zero: line endings (-5 to -3), tab (-2), virtual space (-1).
  const isBlank = (code: Code): boolean => code === 32 || (code !== null && code < 0);

  /** Consumes the current character, a line ending as a token of its own, and goes on in `next`. */
  const eat = (code: Code, next: State): State => {
    if (code !== null && code <= -3) {
      effects.exit('htmlTextData');
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      return (after) => {
        effects.enter('htmlTextData');
        return next(after);
      };
    }
    effects.consume(code);
    return next;
  };

  const start: State = (code) => {
    effects.enter('htmlText');
    effects.enter('htmlTextData');
    return eat(code, (first) => (is(first, /[a-z]/i) ? eat(first, name) : nok(first)));
  };
  const name: State = (code) => (is(code, /[\da-z-]/i) ? eat(code, name) : between(code));
  const between: State = (code) => (isBlank(code) ? eat(code, attribute) : close(code));
  const attribute: State = (code) => {
    if (isBlank(code)) return eat(code, attribute);
    return is(code, /[:_a-z]/i) ? eat(code, attributeName) : close(code);
  };
  const attributeName: State = (code) =>
    is(code, /[\w.:-]/) ? eat(code, attributeName) : attributeNameAfter(code);
  const attributeNameAfter: State = (code) => {
    if (is(code, /=/)) return eat(code, value);
    return isBlank(code) ? eat(code, blankAfterName) : close(code);
  };
  const blankAfterName: State = (code) => {
    if (isBlank(code)) return eat(code, blankAfterName);
    return is(code, /=/) ? eat(code, value) : attribute(code);
  };
  const value: State = (code) => {
    if (isBlank(code)) return eat(code, value);
    if (is(code, /["']/)) return eat(code, quoted(code));
    return is(code, /[^<=>`]/) ? eat(code, unquoted) : nok(code);
  };
  const quoted = (quote: Code): State => {
    const inside: State = (code) => {
      if (code === null) return nok(code);
      return eat(code, code === quote ? between : inside);
    };
    return inside;
  };
  const unquoted: State = (code) => {
    if (isBlank(code) || is(code, />/)) return between(code);
    return is(code, /[^"'<=`]/) ? eat(code, unquoted) : nok(code);
  };
  const close: State = (code) => (is(code, /\//) ? eat(code, end) : end(code));
  const end: State = (code) => {
    if (!is(code, />/)) return nok(code);
    effects.consume(code);
    effects.exit('htmlTextData');
    effects.exit('htmlText');
    return ok;
  };
  return start;
};
