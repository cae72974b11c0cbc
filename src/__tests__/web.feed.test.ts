import { createRequire } from 'node:module';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';

const ASSETS = join(import.meta.dirname, '../../assets');
const Read = z.custom<(source: string, url: string) => unknown>(
  (value) => typeof value === 'function',
);
const { readXml, readJsonFeed } = z
  .object({ readXml: Read, readJsonFeed: Read })
  .parse(createRequire(`${ASSETS}/`)('./page.js'));
const Reading = z.object({ title: z.string(), text: z.string(), cut: z.boolean() });

const URL_A = 'https://site.example/feeds/all';
const xml = (source: string): z.infer<typeof Reading> => Reading.parse(readXml(source, URL_A));
const json = (feed: object): z.infer<typeof Reading> =>
  Reading.parse(readJsonFeed(JSON.stringify(feed), URL_A));

const rss = (items: string): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Tea</title><link>https://site.example/</link>${items}</channel></rss>`;
const atom = (entries: string): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>Tea</title>${entries}</feed>`;

describe('feeds as their items', () => {
  it.each([
    [
      'RSS 2.0',
      rss(
        '<description>All about &lt;b&gt;tea&lt;/b&gt;</description><item><title>One &amp;amp; two</title><link>/one</link><pubDate>Sat, 07 Mar 2026 08:30:00 GMT</pubDate><description><![CDATA[<p>Fog <a href="x">here</a>.</p><script>no</script>]]></description></item>',
      ),
      '# Tea\n\nAll about **tea**\n\n## [One & two](https://site.example/one)\n\n2026-03-07 08:30 UTC\n\nFog [here](https://site.example/x).',
    ],
    [
      'RSS with the text in content:encoded, and another title',
      rss(
        '<item><media:title>No</media:title><title>One</title><content:encoded>&lt;p&gt;Fog&lt;/p&gt;</content:encoded><dc:date>2026-03-07</dc:date></item>',
      ),
      '# Tea\n\n## One\n\n2026-03-07\n\nFog',
    ],
    [
      'RSS whose only address is its guid',
      rss(
        '<item><title>One</title><guid>https://site.example/1</guid></item><item><guid isPermaLink="false">7</guid><title>Two</title></item>',
      ),
      '# Tea\n\n## [One](https://site.example/1)\n\n## Two',
    ],
    [
      'RSS 1.0',
      '<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><title>Tea</title></channel><item><title>One</title><link>https://site.example/1</link><description>Fog</description></item></rdf:RDF>',
      '# Tea\n\n## [One](https://site.example/1)\n\nFog',
    ],
    [
      'Atom',
      atom(
        '<subtitle>A &lt; b</subtitle><entry><title type="html">&lt;i&gt;One&lt;/i&gt;</title><link rel="self" href="/self"/><link href="../one"/><published>2026-03-07T08:30:00+01:00</published><summary type="html">&lt;p&gt;Fog&lt;/p&gt;</summary></entry>',
      ),
      '# Tea\n\nA < b\n\n## [*One*](https://site.example/one)\n\n2026-03-07 07:30 UTC\n\nFog',
    ],
    [
      'Atom with elements for text, under xml:base',
      atom(
        '<entry xml:base="https://cdn.example/a/"><title>One</title><link href="1"/><updated>soon</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Fog &amp; <b>leaf</b></p></div></content></entry>',
      ),
      '# Tea\n\n## [One](https://cdn.example/a/1)\n\nsoon\n\nFog & **leaf**',
    ],
    ['without items', rss(''), '# Tea\n\n(a feed without items)'],
    [
      'an item that is only an address',
      rss('<item><link>https://site.example/(1)</link></item>'),
      '# Tea\n\n## https://site.example/(1)',
    ],
    [
      'links that lead nowhere',
      rss('<item><title>One</title><link>javascript:x()</link></item>'),
      '# Tea\n\n## One',
    ],
  ])('%s', (_name, source, text) => {
    expect(xml(source)).toEqual({ title: 'Tea', text, cut: false });
  });

  it('JSON Feed', () => {
    const feed = {
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Tea',
      description: 'a < b',
      items: [
        {
          id: 1,
          title: 'One',
          url: '/1',
          date_published: '2026-03-07',
          content_html: '<p>Fog</p>',
        },
        { content_text: 'a < b', external_url: 'https://other.example/' },
      ],
    };
    expect(json(feed)).toEqual({
      title: 'Tea',
      text: '# Tea\n\na < b\n\n## [One](https://site.example/1)\n\n2026-03-07\n\nFog\n\n## https://other.example/\n\na < b',
      cut: false,
    });
    expect(json({ version: feed.version, items: 7 }).text).toBe('(a feed without items)');
  });

  it('says how many items it leaves out, and cuts long texts at a word', () => {
    const { text, cut } = xml(rss('<item><title>One</title></item>'.repeat(1_534)));
    expect(cut).toBe(true);
    expect(text).toMatch(/\n\n… 1,234 more items$/);
    const long = xml(rss(`<item><description>${'fog '.repeat(2_000)}</description></item>`));
    expect(long.text).toMatch(/(?:fog ){300,499}fog …$/);
  });
});

describe('XML as an outline', () => {
  it.each([
    [
      'elements and attributes',
      '<shop xmlns="x" city="Port Verdel"><tea id="1"><name>Fog</name><price/></tea></shop>',
      'shop city="Port Verdel"\n  tea id=1\n    name: Fog\n    price',
    ],
    [
      'text with elements in it',
      '<doc><p>Fog <b>and</b>\n leaf</p></doc>',
      'doc\n  p: Fog and leaf',
    ],
    ['CDATA and entities', '<a><![CDATA[<b>]]> &lt; &#xe9; &amp;</a>', 'a: <b> < é &'],
    ['comments and instructions', '<?xml version="1.0"?><!-- no --><?x y?><a>b</a>', 'a: b'],
    ['what is never closed', '<a><b>c', 'a\n  b: c'],
    ['what closes too often', '<a>b</x></a>', 'a: b'],
    ['an address', '<a href="https://x.example/?a=1">b</a>', 'a href=https://x.example/?a=1: b'],
    ['no element', 'just text', 'just text'],
  ])('%s', (_name, source, text) => {
    expect(xml(source)).toMatchObject({ text, cut: false });
  });

  it('a title', () => {
    expect(xml('<book><info><title>Fog\n and leaf</title></info></book>').title).toBe(
      'Fog and leaf',
    );
  });
});

describe('documents built to hurt', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">${Array.from(
    { length: 9 },
    (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`,
  ).join('')}]><lolz>&e9; core</lolz>`;
  it.each([
    ['entities that would grow', bomb],
    [
      'an entity that names a file',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x; core</a>',
    ],
    ['100,000 elements within each other', `core${'<a>'.repeat(100_000)}`],
    ['300 levels with words', `<a>core${'<a>'.repeat(300)}deep`],
    ['200,000 elements', `<r><a>core</a>${'<a/>'.repeat(200_000)}</r>`],
    ['100,000 closing tags', `<r>core${'</a>'.repeat(100_000)}`],
    [
      'a feed of markup',
      rss(
        `<item><title>core</title><description>${'&lt;div&gt;'.repeat(20_000)}</description></item>`,
      ),
    ],
  ])('%s', (_name, source) => {
    const { text } = xml(source);
    expect(text).toContain('core');
    expect(text).not.toMatch(/haha|root:/);
    expect(text.length).toBeLessThan(source.length * 4 + 1_000);
  });
});
