import { parse, postprocess, preprocess } from 'micromark';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';

import { tags } from './tags';

/** A micromark token with what it encloses. */
export interface Token {
  type: string;
  /** Source text; container prefixes of later lines included. */
  raw: string;
  children: Token[];
}

/** The syntax tree of the launcher's dialect: CommonMark with tables and strikethrough, single tildes too. */
export function parseTokens(markdown: string): Token[] {
  const source = markdown.replace(/^\uFEFF/, '').replaceAll('\0', '\uFFFD'); // as the parser reads it
  const events = postprocess(
    parse({ extensions: [gfmTable(), gfmStrikethrough({ singleTilde: true }), tags()] })
      .document()
      .write(preprocess()(source, undefined, true)),
  );
  const root: Token[] = [];
  const open: Token[][] = [root];
  for (const [kind, token, context] of events) {
    if (kind === 'exit') {
      open.pop();
      continue;
    }
    const node: Token = {
      type: token.type,
      // The parser knows which part of a tab belongs to code; its slices of whole lists can fail.
      raw:
        token.type === 'codeFlowValue'
          ? context.sliceSerialize(token)
          : source.slice(token.start.offset, token.end.offset),
      children: [],
    };
    open.at(-1)?.push(node);
    open.push(node.children);
  }
  return root;
}

/** Every token of `type` below, outermost first. */
export function find(tokens: readonly Token[], type: string): Token[] {
  return tokens.flatMap((token) =>
    token.type === type ? [token, ...find(token.children, type)] : find(token.children, type),
  );
}

/** Link definitions of the document by normalized label; the first of a label counts. */
export type Definitions = Map<string, string>;

export function definitionsOf(tokens: readonly Token[]): Definitions {
  const definitions: Definitions = new Map();
  for (const definition of find(tokens, 'definition')) {
    const label = find([definition], 'definitionLabelString')[0];
    const destination = find([definition], 'definitionDestinationString')[0];
    if (!label) continue;
    const key = normalizeLabel(label.raw);
    if (!definitions.has(key)) definitions.set(key, destination?.raw ?? '');
  }
  return definitions;
}

/** CommonMark's label matching: white space runs count as one space, case is folded both ways. */
export function normalizeLabel(label: string): string {
  return label
    .replace(/[\t\n\r ]+/g, ' ')
    .trim()
    .toLowerCase()
    .toUpperCase();
}
