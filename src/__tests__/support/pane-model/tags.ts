import type { gfmTable } from 'micromark-extension-gfm-table';

type Extension = ReturnType<typeof gfmTable>;
type Constructs = NonNullable<NonNullable<Extension['text']>[string]>;
type Construct = Exclude<Constructs, readonly unknown[]>;
type State = ReturnType<Construct['tokenize']>;
type Code = Parameters<State>[0];

const LESS_THAN = 60;

/**
 * Tags by the launcher's parser (cmark-gfm, `open tag` and `closing tag` of the CommonMark specification), in a line and as the
 * start of an HTML block. micromark ends an unquoted attribute value at a slash, and knows no form feed as white space, so it takes
 * `<img src=http://t.example/a>` for text, while the launcher's parser takes it for a tag, and fetches. It also puts
 * a block that starts on the line after a list or a quote into that.
 */
export function tags(): Extension {
  return {
    text: { [LESS_THAN]: { name: 'htmlText', tokenize: tokenizeText } },
    flow: {
      [LESS_THAN]: [
        { name: 'htmlFlow', concrete: true, tokenize: tokenizeLazy },
        { name: 'htmlFlow', concrete: true, tokenize: tokenizeFlow, add: 'after' },
      ],
    },
  };
}

// micromark's own codes below zero: line endings (-5 to -3), tab (-2), virtual space (-1).
const isLineEnd = (code: Code): boolean => code !== null && code <= -3;
const isBlank = (code: Code): boolean =>
  code === 32 || code === 11 || code === 12 || (code !== null && code < 0);
const is = (code: Code, pattern: RegExp): boolean =>
  code !== null && code >= 0 && pattern.test(String.fromCodePoint(code));

const tokenizeText: Construct['tokenize'] = (effects, ok, nok) => {
  /** A line ending is a token of its own. */
  const eat = (code: Code, next: State): State => {
    if (!isLineEnd(code)) {
      effects.consume(code);
      return next;
    }
    effects.exit('htmlTextData');
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return (after) => {
      effects.enter('htmlTextData');
      return next(after);
    };
  };
  const end: State = (code) => {
    effects.exit('htmlTextData');
    effects.exit('htmlText');
    return ok(code);
  };
  return (code) => {
    effects.enter('htmlText');
    effects.enter('htmlTextData');
    return tag(eat, end, nok)(code);
  };
};

/** A block that starts with a whole tag alone on its line, and ends at a blank line. It cannot interrupt a paragraph. */
const tokenizeFlow: Construct['tokenize'] = function (effects, ok, nok) {
  const isLazy = (): boolean => this.parser.lazy[this.now().line] === true;
  const rest: State = (code) => {
    if (code === null || isLineEnd(code)) {
      effects.exit('htmlFlowData');
      return effects.check(goesOn, nextLine, done)(code);
    }
    effects.consume(code);
    return rest;
  };
  const nextLine: State = (code) => {
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return (first) => {
      effects.enter('htmlFlowData');
      return rest(first);
    };
  };
  const done: State = (code) => {
    effects.exit('htmlFlow');
    return ok(code);
  };
  const goesOn: Construct = {
    partial: true,
    tokenize: (inner, yes, no) => {
      const line: State = (code) => {
        if (code === null || isLineEnd(code)) return no(code);
        if (code !== 32 && code > 0) return yes(code);
        inner.consume(code);
        return line;
      };
      return (code) => {
        if (code === null) return no(code);
        inner.enter('lineEnding');
        inner.consume(code);
        inner.exit('lineEnding');
        return (first) => {
          if (isLazy()) return no(first);
          inner.enter('linePrefix');
          return line(first);
        };
      };
    },
  };
  return this.interrupt === true ? nok : tagLine(effects, rest, nok);
};

/** Such a block ends the list or the quote before it when it stands outside, even right after a paragraph of theirs. */
const tokenizeLazy: Construct['tokenize'] = function (effects, ok, nok) {
  if (this.interrupt !== true || this.parser.lazy[this.now().line] !== true) return nok;
  const end: State = (code) => {
    effects.exit('htmlFlowData');
    effects.exit('htmlFlow');
    return ok(code);
  };
  return tagLine(effects, end, nok);
};

/** A tag alone on its line; goes on in `ok` at the end of the line, inside the data of the block. */
function tagLine(effects: Parameters<Construct['tokenize']>[0], ok: State, nok: State): State {
  const eat = (code: Code, next: State): State | undefined => {
    if (isLineEnd(code)) return nok(code);
    effects.consume(code);
    return next;
  };
  const blanks: State = (code) => {
    if (code === null || isLineEnd(code)) return ok(code);
    return isBlank(code) ? eat(code, blanks) : nok(code);
  };
  return (code) => {
    effects.enter('htmlFlow');
    effects.enter('htmlFlowData');
    return tag(eat, blanks, nok)(code);
  };
}

/** The grammar of a tag from its `<` on; `eat` takes a character and goes on in a state. */
function tag(eat: (code: Code, next: State) => State | undefined, ok: State, nok: State): State {
  const start: State = (code) =>
    eat(code, (first) => {
      if (is(first, /\//)) return eat(first, closing);
      return is(first, /[a-z]/i) ? eat(first, name) : nok(first);
    });
  const closing: State = (code) => (is(code, /[a-z]/i) ? eat(code, closingName) : nok(code));
  const closingName: State = (code) =>
    is(code, /[\da-z-]/i) ? eat(code, closingName) : closingBlank(code);
  const closingBlank: State = (code) => (isBlank(code) ? eat(code, closingBlank) : end(code));
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
  const end: State = (code) => (is(code, />/) ? eat(code, ok) : nok(code));
  return start;
}
