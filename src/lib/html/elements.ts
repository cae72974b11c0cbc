/** Names of HTML: the elements of the living standard, and the obsolete ones that models still write. */

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements that stand on lines of their own. */
const BLOCK = words(
  'address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p pre search ' +
    'section summary table tbody td template tfoot th thead title tr ul xmp listing plaintext',
);

const INLINE = words(
  'a abbr acronym applet area audio b base bdi bdo big br button canvas cite code data datalist del dfn em embed font frame i ' +
    'iframe img input ins kbd label link map mark marquee math meta meter nobr noframes noscript object output param picture ' +
    'progress q rp rt ruby s samp script select slot small source span strike strong style sub sup svg textarea time track tt u ' +
    'var video wbr',
);

/** Elements without content and without an end tag. */
const VOID = words('area base br col embed frame hr img input link meta param source track wbr');

/** Elements whose content is text up to their end tag, whatever it looks like. */
const RAW_TEXT = words('script style xmp');

/** What an open element ends at, and the ancestors that its end does not reach beyond. */
const IMPLIED_ENDS: Partial<
  Record<string, { ends: ReadonlySet<string>; within: ReadonlySet<string> }>
> = (() => {
  const table = words('table');
  const list = words('ul ol menu dir');
  const row = { ends: words('tr td th'), within: table };
  const group = { ends: words('thead tbody tfoot tr td th caption colgroup'), within: table };
  const cell = { ends: words('td th'), within: words('table tr') };
  const term = { ends: words('dt dd'), within: words('dl') };
  const choice = { ends: words('option'), within: words('select datalist') };
  return {
    li: { ends: words('li'), within: list },
    tr: row,
    td: cell,
    th: cell,
    thead: group,
    tbody: group,
    tfoot: group,
    dt: term,
    dd: term,
    option: choice,
    a: { ends: words('a'), within: words('table ul ol li td th') },
    rt: { ends: words('rt rp'), within: words('ruby') },
    rp: { ends: words('rt rp'), within: words('ruby') },
  };
})();

export const isBlockElement = (name: string): boolean => BLOCK.has(name);
/** Whether HTML has an element of this name. `your-name`, `T`, `stdio.h` and `url` are none. */
export const isElement = (name: string): boolean => BLOCK.has(name) || INLINE.has(name);
export const isVoid = (name: string): boolean => VOID.has(name);
export const isRawText = (name: string): boolean => RAW_TEXT.has(name);
export const impliedEnd = (
  name: string,
): { ends: ReadonlySet<string>; within: ReadonlySet<string> } | undefined =>
  Object.hasOwn(IMPLIED_ENDS, name) ? IMPLIED_ENDS[name] : undefined;

/** Inline elements that the pane's rich text draws, and the simple tag that stands for each. */
const KEPT: Partial<Record<string, string>> = {
  b: 'b',
  strong: 'b',
  i: 'i',
  em: 'i',
  cite: 'i',
  dfn: 'i',
  var: 'i',
  u: 'u',
  ins: 'u',
  s: 's',
  del: 's',
  strike: 's',
  sub: 'sub',
  sup: 'sup',
  kbd: 'kbd',
};

/** The tag that stands for an element in the pane, or undefined where only its text does. */
export const keptTag = (name: string): string | undefined =>
  Object.hasOwn(KEPT, name) ? KEPT[name] : undefined;

const CODE = words('code samp tt script style');
/** Elements whose text is code. */
export const isCodeElement = (name: string): boolean => CODE.has(name);
