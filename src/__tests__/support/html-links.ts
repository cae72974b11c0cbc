/** A link as a reader meets it: its text, and where it leads. */
export type Link = [text: string, href: string];

const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
]);
const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot);/g, (all, name: string) => NAMED.get(name) ?? all);

/** The links of an HTML text in order. For HTML that a Markdown parser wrote: quoted attributes, named entities. */
export function htmlLinks(html: string): Link[] {
  return [...html.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(
    ([, href = '', text = '']) => [decode(text), decode(href)],
  );
}
