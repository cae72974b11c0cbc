import * as z from 'zod/mini';

import { htmlToMarkdown, type ReadPage } from './read';
import { childrenOf, localName, textOf, type XmlElement } from './xml-tree';

/** Items of a feed that are shown, the newest as a rule first; archives of podcasts have thousands. */
const MAX_ITEMS = 300;
/** UTF-16 units of an item's text: the beginning of an article; the rest is one fetch away. */
const MAX_SUMMARY_CHARS = 2_000;

interface FeedItem {
  title: string;
  /** Absolute; empty when there is none. */
  link: string;
  date: string;
  /** HTML. */
  summary: string;
}

interface Feed {
  title: string;
  description: string;
  items: FeedItem[];
}

/** The feed in an XML document: RSS 0.9 to 2.0, RSS 1.0 (RDF) or Atom. Nothing when it is something else. */
export function feedOf(root: XmlElement, url: string): Feed | undefined {
  const name = localName(root);
  if (
    name === 'feed' &&
    childrenOf(root).some((child) => /^(?:entry|title|id)$/.test(localName(child)))
  )
    return atom(root, url);
  if (name !== 'rss' && name !== 'RDF') return undefined;
  const channel = childrenOf(root).find((child) => localName(child) === 'channel');
  if (channel === undefined) return undefined;
  // RSS 1.0 sets its items beside the channel, RSS 2.0 inside it.
  const items = [...childrenOf(channel), ...childrenOf(root)].filter(
    (child) => localName(child) === 'item',
  );
  const base = absolute(textIn(channel, 'link'), url) ?? url;
  return {
    title: plain(textIn(channel, 'title')),
    description: textIn(channel, 'description'),
    items: items.map((item) => rssItem(item, base)),
  };
}

/** A feed as text: a heading for each item, its date, and the beginning of its text. */
export function readFeed({ title, description, items }: Feed, cut: boolean): ReadPage {
  const parts: string[] = [];
  if (title !== '') parts.push(`# ${title}`);
  if (description.trim() !== '') parts.push(summaryText(description, ''));
  for (const item of items.slice(0, MAX_ITEMS)) {
    const name = item.title === '' ? item.link : item.title;
    const shown = name.replace(/(?<!\\)[[\]]/g, '\\$&');
    const target = /[()\s]/.test(item.link) ? `<${item.link}>` : item.link;
    parts.push(`## ${item.link === '' || name === item.link ? name : `[${shown}](${target})`}`);
    if (item.date !== '') parts.push(dateText(item.date));
    const summary = summaryText(item.summary, item.link);
    if (summary !== '') parts.push(summary);
  }
  const more = items.length - MAX_ITEMS;
  if (more > 0) parts.push(`… ${more.toLocaleString('en-US')} more items`);
  if (items.length === 0) parts.push('(a feed without items)');
  return { title, text: parts.join('\n\n'), cut: cut || more > 0, scripts: 0 };
}

function rssItem(item: XmlElement, base: string): FeedItem {
  const guid = childrenOf(item).find((child) => localName(child) === 'guid');
  const permanent =
    guid === undefined || guid.attributes['isPermaLink'] === 'false' ? '' : textOf(guid);
  return {
    title: plain(textIn(item, 'title')),
    link: absolute(textIn(item, 'link'), base) ?? absolute(permanent, base, true) ?? '',
    date: textIn(item, 'pubDate') || textIn(item, 'date') || textIn(item, 'updated'),
    summary: textIn(item, 'description') || textIn(item, 'encoded') || textIn(item, 'summary'),
  };
}

function atom(feed: XmlElement, url: string): Feed {
  const base = absolute(feed.attributes['xml:base'] ?? '', url) ?? url;
  return {
    title: plain(textIn(feed, 'title')),
    description: markupIn(feed, 'subtitle'),
    items: childrenOf(feed)
      .filter((child) => localName(child) === 'entry')
      .map((entry) => ({
        title: plain(textIn(entry, 'title')),
        link:
          absolute(atomLink(entry), absolute(entry.attributes['xml:base'] ?? '', base) ?? base) ??
          '',
        date: textIn(entry, 'published') || textIn(entry, 'updated'),
        summary: markupIn(entry, 'summary') || markupIn(entry, 'content'),
      })),
  };
}

/** RFC 4287 section 4.2.7.2: a link without `rel` is the page of the entry. */
function atomLink(entry: XmlElement): string {
  const links = childrenOf(entry).filter((child) => localName(child) === 'link');
  const own = links.find(({ attributes }) => (attributes['rel'] ?? 'alternate') === 'alternate');
  return (own ?? links[0])?.attributes['href'] ?? '';
}

/** The text of the first child of that local name; a child without a prefix comes first (`title` before `media:title`). */
function textIn(element: XmlElement, name: string): string {
  const named = childrenOf(element).filter((child) => localName(child) === name);
  const own = named.find((child) => child.name === name) ?? named[0];
  return own === undefined ? '' : textOf(own).trim();
}

/** The HTML of an Atom text, which may be text, escaped HTML, or elements (RFC 4287 section 3.1.1). */
function markupIn(element: XmlElement, name: string): string {
  const child = childrenOf(element).find((other) => localName(other) === name);
  if (child === undefined) return '';
  const type = child.attributes['type'] ?? 'text';
  if (type === 'xhtml') return child.children.map(markup).join('');
  return type === 'html' || type === 'text/html' ? textOf(child) : escapeHtml(textOf(child));
}

function markup(node: XmlElement | string): string {
  if (typeof node === 'string') return escapeHtml(node);
  const name = localName(node);
  if (!/^[a-z][a-z\d]*$/i.test(name)) return node.children.map(markup).join('');
  const attributes = Object.entries(node.attributes)
    .filter(([key]) => key === 'href' || key === 'alt')
    .map(([key, value]) => ` ${key}="${escapeHtml(value)}"`)
    .join('');
  return /^(?:br|hr|img)$/i.test(name)
    ? `<${name}${attributes}>`
    : `<${name}${attributes}>${node.children.map(markup).join('')}</${name}>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function summaryText(html: string, base: string): string {
  const text = htmlToMarkdown(html.slice(0, MAX_SUMMARY_CHARS * 10), base);
  if (text.length <= MAX_SUMMARY_CHARS) return text;
  const room = text.slice(0, MAX_SUMMARY_CHARS);
  const edge = Math.max(room.lastIndexOf('\n\n'), room.lastIndexOf(' '), MAX_SUMMARY_CHARS * 0.8);
  return `${room.slice(0, edge).trimEnd()} …`;
}

/** A title is text, but many feeds put markup into it. */
function plain(html: string): string {
  return htmlToMarkdown(html, '').replace(/\s+/g, ' ').trim();
}

/** `2026-03-01 08:30 UTC`, or as it is written when that is no date. */
function dateText(date: string): string {
  const time = Date.parse(date);
  if (Number.isNaN(time)) return date.replace(/\s+/g, ' ').slice(0, 60);
  const [day = '', clock = ''] = new Date(time).toISOString().split('T');
  return /\d:\d/.test(date) ? `${day} ${clock.slice(0, 5)} UTC` : day;
}

function absolute(link: string, base: string, onlyAbsolute = false): string | undefined {
  const text = link.trim();
  if (text === '' || !URL.canParse(text, onlyAbsolute ? undefined : base)) return undefined;
  const url = new URL(text, onlyAbsolute ? undefined : base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

const text = z._default(z.catch(z.string(), ''), '');

/** https://www.jsonfeed.org/version/1.1/, leniently. */
const JsonFeedSchema = z.object({
  version: z.string(),
  title: text,
  description: text,
  items: z._default(
    z.catch(
      z.array(
        z.object({
          title: text,
          url: text,
          external_url: text,
          date_published: text,
          date_modified: text,
          summary: text,
          content_html: text,
          content_text: text,
        }),
      ),
      [],
    ),
    [],
  ),
});

/** A JSON Feed as text. `json` has been found to be one; `url` is the address that answered. Throws when it is no JSON. */
export function readJsonFeed(json: string, url: string): ReadPage {
  const feed = JsonFeedSchema.parse(JSON.parse(json));
  return readFeed(
    {
      title: feed.title,
      description: escapeHtml(feed.description),
      items: feed.items.map((item) => ({
        title: item.title,
        link: absolute(item.url, url) ?? absolute(item.external_url, url) ?? '',
        date: item.date_published || item.date_modified,
        summary: escapeHtml(item.summary) || item.content_html || escapeHtml(item.content_text),
      })),
    },
    false,
  );
}
