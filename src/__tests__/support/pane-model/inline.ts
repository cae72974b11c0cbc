import { find, normalizeLabel, type Definitions, type Token } from './tokens';

/**
 * A run of inline Markdown as the launcher hands it to its rich-text widget: text and code escaped, marks as tags, raw HTML
 * verbatim (its markdown-model.cpp). Images inside it have become broken boxes; they are reported through `onImage`.
 */
export function richHtml(tokens: readonly Token[], context: InlineContext): string {
  return tokens.map((token) => richToken(token, context)).join('');
}

export interface InlineContext {
  definitions: Definitions;
  inTable: boolean;
  /** Gets an image that is drawn as a broken box: `url` still encoded as in Markdown, `alt` as HTML. */
  onImage: (image: { url: string; alt: string }) => void;
}

/** Destination (as HTML text, entities undecoded) of a link or image token, resolved through the definitions. */
export function destinationOf(token: Token, definitions: Definitions): string {
  const own = (type: string): Token | undefined =>
    token.children.find((part) => part.type === type);
  const resource = own('resource');
  if (resource)
    return unescapeToHtml(find(resource.children, 'resourceDestinationString')[0]?.raw ?? '');
  const reference = find(own('reference')?.children ?? [], 'referenceString')[0];
  const words = reference?.raw ?? own('label')?.raw.replace(/^!?\[/, '').slice(0, -1) ?? '';
  return unescapeToHtml(definitions.get(normalizeLabel(words)) ?? '');
}

/** Text of an image's description, as HTML. */
function altOf(token: Token, context: InlineContext): string {
  const label = find(token.children, 'labelText')[0];
  return label ? richHtml(label.children, { ...context, onImage: () => undefined }) : '';
}

/** Tokens that only carry syntax: nothing of them is drawn. */
const SYNTAX = new Set([
  'attentionSequence',
  'blockQuotePrefix',
  'codeTextSequence',
  'codeTextPadding',
  'emphasisSequence',
  'escapeMarker',
  'autolinkMarker',
  'labelImageMarker',
  'labelMarker',
  'linePrefix',
  'lineSuffix',
  'listItemIndent',
  'listItemPrefix',
  'reference',
  'resource',
  'strikethroughSequence',
  'strongSequence',
  'whitespace',
]);

function richToken(token: Token, context: InlineContext): string {
  const inner = (): string => richHtml(token.children, context);
  switch (token.type) {
    case 'emphasis':
      return `<i>${inner()}</i>`;
    case 'strong':
      return `<b>${inner()}</b>`;
    case 'strikethrough':
      return `<s>${inner()}</s>`;
    case 'codeText':
      return `<code>${escapeHtml(codeOf(token, context.inTable))}</code>`;
    case 'link': {
      const label = find(token.children, 'labelText')[0];
      return `<a href="${destinationOf(token, context.definitions)}">${richHtml(label?.children ?? [], context)}</a>`;
    }
    case 'autolink': {
      const address = token.raw.slice(1, -1);
      const isMail = token.children.some((part) => part.type === 'autolinkEmail');
      return `<a href="${escapeHtml(isMail ? `mailto:${address}` : address)}">${escapeHtml(address)}</a>`;
    }
    case 'image':
      context.onImage({
        url: destinationOf(token, context.definitions),
        alt: altOf(token, context),
      });
      return '';
    case 'htmlText':
      return token.children.map((part) => (part.type === 'linePrefix' ? '' : part.raw)).join('');
    case 'characterReference':
      return token.raw; // the widget decodes it
    case 'hardBreakEscape':
    case 'hardBreakTrailing':
      return '<br>';
    case 'lineEnding':
      return ' ';
    case 'data':
    case 'characterEscapeValue':
      return escapeHtml(token.raw);
    default:
      return SYNTAX.has(token.type) ? '' : inner();
  }
}

function codeOf(token: Token, inTable: boolean): string {
  const code = token.children
    .map((part) => {
      if (part.type === 'codeTextData') return part.raw;
      return part.type === 'lineEnding' ? ' ' : '';
    })
    .join('');
  return inTable ? code.replace(/\\([\\|])/g, '$1') : code;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** What a backslash may escape. */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** Markdown string content (a destination, an info string) as HTML text: backslash escapes undone, references left to the HTML reader. */
export function unescapeToHtml(raw: string): string {
  return raw.replace(
    /\\(.)|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,31});|[&<>"]/gi,
    (match: string, escaped: string | undefined) => {
      if (escaped === undefined) return match.length > 1 ? match : escapeHtml(match);
      return escapeHtml(PUNCTUATION.includes(escaped) ? escaped : match);
    },
  );
}
