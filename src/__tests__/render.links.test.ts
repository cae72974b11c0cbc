import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { applyEdits, placeNote, scan, shownAddress } from '../lib/code';
import { renderModelOutput } from '../lib/render';
import { linkPass } from '../lib/render/passes';
import type { Source } from '../lib/types';

import { hostileMarkdown } from './support/hostile-markdown';
import { clickEffect, drawPane } from './support/pane-model';

const sources: Source[] = [{ index: 1, title: 'Tea', url: 'https://a.example/1' }];
const draw = (markdown: string) => drawPane(renderModelOutput(markdown, { sources }).text);

/** What is read, and what can be clicked. */
function seen(markdown: string): [text: string, links: [string, string][]] {
  const { text, links } = draw(markdown);
  return [text, links.map((link) => [link.text, link.href])];
}

const web = (address: string): [string, string][] => [[address, address]];

describe('a bare address is a link', () => {
  it.each<[string, string, string, [string, string][]]>([
    [
      'a full stop',
      'See https://m.example/x.',
      'See https://m.example/x.',
      web('https://m.example/x'),
    ],
    [
      'three dots',
      'See https://m.example/x...',
      'See https://m.example/x...',
      web('https://m.example/x'),
    ],
    ['an ellipsis', 'https://m.example/x…', 'https://m.example/x…', web('https://m.example/x')],
    [
      'punctuation in a row',
      'Is it https://m.example/x?!',
      'Is it https://m.example/x?!',
      web('https://m.example/x'),
    ],
    [
      'its own parentheses',
      '(https://m.example/a_(b))',
      '(https://m.example/a_(b))',
      web('https://m.example/a_(b)'),
    ],
    [
      'a bracket it did not open',
      '(see https://m.example/x).',
      '(see https://m.example/x).',
      web('https://m.example/x'),
    ],
    [
      'quotation marks',
      '"https://m.example/a" “https://m.example/b” «https://m.example/c»',
      '"https://m.example/a" “https://m.example/b” «https://m.example/c»',
      [...web('https://m.example/a'), ...web('https://m.example/b'), ...web('https://m.example/c')],
    ],
    [
      'single quotation marks',
      "'https://m.example/x',",
      "'https://m.example/x',",
      web('https://m.example/x'),
    ],
    [
      'Chinese punctuation',
      '见（https://m.example/x）、https://m.example/y。完',
      '见（https://m.example/x）、https://m.example/y。完',
      [...web('https://m.example/x'), ...web('https://m.example/y')],
    ],
    [
      'Chinese text right behind',
      '访问https://m.example/x的说明',
      '访问https://m.example/x的说明',
      web('https://m.example/x'),
    ],
    [
      'Chinese text right behind the host',
      '访问https://m.example查看',
      '访问https://m.example查看',
      web('https://m.example'),
    ],
    [
      'letters of its own in a path',
      'https://m.example/wiki/茶树?名=水',
      'https://m.example/wiki/茶树?名=水',
      web('https://m.example/wiki/茶树?名=水'),
    ],
    [
      'an accent is no end',
      'https://m.example/café.',
      'https://m.example/café.',
      web('https://m.example/café'),
    ],
    [
      'two behind each other',
      'https://m.example/a,https://m.example/b,',
      'https://m.example/a,https://m.example/b,',
      [...web('https://m.example/a'), ...web('https://m.example/b')],
    ],
    [
      'in bold and slanted text',
      '**https://m.example/b** *https://m.example/a_b*',
      'https://m.example/b https://m.example/a_b',
      [...web('https://m.example/b'), ...web('https://m.example/a_b')],
    ],
    [
      'in a heading, a quote and an item',
      '# https://m.example/h\n\n> https://m.example/q\n\n- https://m.example/i',
      'https://m.example/h\n\nhttps://m.example/q\n\n• https://m.example/i',
      [...web('https://m.example/h'), ...web('https://m.example/q'), ...web('https://m.example/i')],
    ],
    [
      'in a table',
      '| a |\n|---|\n| https://m.example/t|',
      'a\nhttps://m.example/t',
      web('https://m.example/t'),
    ],
    [
      'an escaped underscore',
      'https://m.example/tea\\_plant x',
      'https://m.example/tea_plant x',
      web('https://m.example/tea_plant'),
    ],
    [
      'an entity',
      'https://m.example/?a=1&amp;b=2.',
      'https://m.example/?a=1&b=2.',
      web('https://m.example/?a=1&b=2'),
    ],
    [
      'what only looks like an entity',
      'https://m.example/?a=1&copy=2',
      'https://m.example/?a=1&copy=2',
      web('https://m.example/?a=1&copy=2'),
    ],
    [
      'home pages, which tildes do not strike',
      'https://m.example/~ann and https://m.example/~bob',
      'https://m.example/~ann and https://m.example/~bob',
      [...web('https://m.example/~ann'), ...web('https://m.example/~bob')],
    ],
    [
      'two tildes in one',
      'https://m.example/~ann/~x now',
      'https://m.example/~ann/~x now',
      web('https://m.example/~ann/~x'),
    ],
    [
      'a port, an address of numbers',
      'http://127.0.0.1:8080/x, http://[::1]:80/y',
      'http://127.0.0.1:8080/x, http://[::1]:80/y',
      [...web('http://127.0.0.1:8080/x'), ...web('http://[::1]:80/y')],
    ],
    [
      'brackets of a query',
      'https://m.example/?f[a]=1 x',
      'https://m.example/?f[a]=1 x',
      web('https://m.example/?f[a]=1'),
    ],
    ['capital letters', 'HTTPS://M.EXAMPLE/X', 'HTTPS://M.EXAMPLE/X', web('HTTPS://M.EXAMPLE/X')],
  ])('%s', (_why, markdown, text, links) => {
    expect(seen(markdown)).toEqual([text, links]);
  });

  it('a marker right behind it stays a marker', () => {
    expect(seen('https://m.example/page[1] and https://m.example/page【1】')).toEqual([
      'https://m.example/page[1] and https://m.example/page[1]',
      [
        ['https://m.example/page', 'https://m.example/page'],
        ['[1]', 'https://a.example/1'],
        ['https://m.example/page', 'https://m.example/page'],
        ['[1]', 'https://a.example/1'],
      ],
    ]);
  });

  it.each([
    ['no scheme', 'www.m.example and m.example/x and desk@m.example'],
    [
      'other schemes',
      'ftp://m.example/x file:///etc/passwd vicinae://kill javascript:x mailto:a@b.example',
    ],
    ['a placeholder for the host', 'http://$host/x https://{id}.example/ http://%HOST%/'],
    ['nothing behind the slashes', 'https:// and http:///x'],
    ['code', '`https://m.example/x`'],
  ])('but not: %s', (_why, markdown) => {
    expect(draw(markdown).links).toEqual([]);
  });
});

describe('a link that must not be opened is its text and its address', () => {
  it.each([
    ['script', '[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['a file', '[x](file:///etc/passwd)', 'x (file:///etc/passwd)'],
    ['a bare path', '[x](/etc/passwd)', 'x (/etc/passwd)'],
    ['a path with a space', '[x](</home/a b.txt>)', 'x (/home/a b.txt)'],
    [
      'a relative address',
      '[guide](docs/guide.md) [top](#top)',
      'guide (docs/guide.md) top (#top)',
    ],
    ['no scheme but a host', '[x](//m.example/x)', 'x (//m.example/x)'],
    ['a launcher command', '[x](vicinae://kill)', 'x (vicinae://kill)'],
    ['letter case', '[x](JaVaScRiPt:x)', 'x (JaVaScRiPt:x)'],
    ['entities and escapes', '[x](java&#115;cript\\:x)', 'x (javascript:x)'],
    ['a tab in the scheme', '[x](java&#9;script:x)', 'x (java%09script:x)'],
    ['a reference', '[x][r]\n\n[r]: vicinae://kill', 'x (vicinae://kill)\n\n[r]: vicinae://kill'],
    ['an autolink', '<javascript:x>', 'javascript:x'],
    ['text that is the address', '[file:///x](file:///x)', 'file:///x'],
    ['no text', 'a [](file:///x) b', 'a file:///x b'],
    [
      'direction marks in a web address',
      '[x](https://m.example/&#x202e;x)',
      'x (https://m.example/%E2%80%AEx)',
    ],
    [
      'mail that attaches',
      '[x](mailto:a@m.example?attach=/etc/passwd)',
      'x (mailto:a@m.example?attach=/etc/passwd)',
    ],
    [
      'mail with a line break',
      '[x](mailto:a@m.example%0ABcc:b@m.example)',
      'x (mailto:a@m.example%0ABcc:b@m.example)',
    ],
    ['nothing', '[x]()', 'x'],
  ])('%s', (_why, markdown, text) => {
    expect(seen(markdown)).toEqual([text, []]);
  });

  it('a link without text shows its address', () => {
    const links = [['https://m.example/x', 'https://m.example/x']];
    for (const text of ['', ' ', '&#x200b;', '<b></b>', '<!-- x -->'])
      expect(seen(`[${text}](https://m.example/x)`)).toEqual(['https://m.example/x', links]);
    expect(seen('[](mailto:desk@m.example)')[0]).toBe('mailto:desk@m.example');
  });
});

describe('a link that says another place than it leads to says where it leads', () => {
  it.each([
    ['an address', 'https://bank.example'],
    ['a host name', 'bank.example'],
    ['a host name with a slash', 'bank.example/'],
    ['with a path and a port', 'https://bank.example:443/login?x=1#y'],
    ['a mail address', 'desk@bank.example'],
    ['within a sentence', 'Log in at bank.example today'],
    ['in brackets', '(bank.example)'],
    ['in quotation marks', '“https://bank.example”.'],
    ['a name of which it is a part', 'evil.example.bank.example'],
    ['a name that is a part of it', 'example.evil'],
    ['user name', 'https://bank.example@evil.example/'],
    ['user name and password', 'https://bank.example:x@evil.example/'],
    ['numbers', '127.0.0.1'],
    ['another spelling of its own', 'https://%65vil.example/'],
    ['marks', '**bank**.`example`'],
    ['escapes', 'bank\\.example'],
    ['entities', 'bank&#46;example'],
    ['tags', 'bank<b></b>.exam<i>ple</i>'],
    ['zero-width characters', 'ba\u200Bnk\u2060.ex\u00ADample'],
    ['full-width letters and dots', 'ｂａｎｋ．ｅｘａｍｐｌｅ'],
    ['an ideographic full stop', 'bank。example'],
    ['a one-dot leader', 'bank․example'],
    ['an image', '![bank.example](https://i.example/x.png)'],
    ['an address without a dot', 'http://localhost/'],
    ['letters of another script', 'https://bаnk.example'],
    ['behind Chinese text', '登录bank.example'],
    ['a scheme it does not have', 'file://bank.example/'],
  ])('%s', (_why, text) => {
    const { text: drawn, links } = draw(`Go [${text}](https://evil.example/x) now`);
    expect(drawn).toMatch(/ \(evil\.example\) now$/);
    expect(links.map(({ href }) => href)).toEqual(['https://evil.example/x']);
  });

  it.each([
    ['words', 'the tea page', 'https://m.example/x'],
    ['the same address', 'https://m.example/x', 'https://m.example/x'],
    ['the same address without more', 'https://m.example', 'https://m.example/x?y=1#z'],
    ['the host', 'm.example', 'https://m.example/x'],
    ['letter case, `www.` and a final dot', 'WWW.M.Example.', 'http://m.example/x'],
    ['`www.` on the other side', 'm.example', 'https://www.m.example/x'],
    ['full-width letters of the same', 'ｍ.example', 'https://m.example/'],
    ['a host behind the host', 'https://m.example/a,b.example', 'https://m.example/a,b.example'],
    ['a port', 'm.example:8080/x', 'https://m.example:8080/x'],
    ['file names', 'Node.js, notes.txt and config.yaml', 'https://m.example/x'],
    ['versions and abbreviations', 'v1.2.3, U.S. law, e.g. this', 'https://m.example/x'],
    ['the host in its own letters', 'пример.example', 'https://пример.example/'],
    ['the same mail address', 'first.last@m.example', 'mailto:first.last@m.example'],
    ['Chinese sentences', '你好。世界', 'https://m.example/x'],
    ['names with a middle dot', '史蒂夫·乔布斯', 'https://m.example/x'],
  ])('nothing is added: %s', (_why, text, destination) => {
    expect(draw(`[${text}](${destination})`).text).toBe(text);
  });

  it.each([
    ['an autolink', '<https://bank.example@evil.example/>', ' (evil.example)'],
    ['a number of a source', '[\\[1\\]](https://evil.example/)', ' (evil.example)'],
    ['a number of no source', '[[7]](https://evil.example/)', ' (evil.example)'],
    ['a number in other brackets', '[【1】](https://evil.example/)', ' (evil.example)'],
    ['an image as a number', '![\\[1\\]](https://evil.example/i.png)', ' (evil.example)'],
    ['a bare address', 'https://bank.example@evil.example/', ' (evil.example)'],
    ['a reference', '[bank.example][r]\n\n[r]: https://evil.example/', ' (evil.example)'],
    ['a definition that is shown', '[r]: https://bank.example@evil.example/', ' (evil.example)'],
    ['an image', '![bank.example](https://evil.example/i.png)', ' (evil.example)'],
    ['a mail link', '[desk@bank.example](mailto:desk@evil.example)', ' (desk@evil.example)'],
    ['in a table', '| a |\n|---|\n| [bank.example](https://evil.example) |', ' (evil.example)'],
  ])('wherever it stands: %s', (_why, markdown, end) => {
    expect(draw(markdown).text.endsWith(end)).toBe(true);
  });

  it('but not behind the number of the source itself', () => {
    expect(draw('[\\[1\\]](https://a.example/1?utm_source=x)').text).toBe('[1]');
  });

  it.each([
    ['one letter of another script', 'https://bаnk.example/', 'xn--bnk-6cd.example'],
    ['a name all of look-alikes', 'https://сохо.example/', 'xn--n1aahr.example'],
    ['an accent', 'https://bänk.example/', 'xn--bnk-qla.example'],
  ])(
    'a host that is read as another one is shown as the network knows it: %s',
    (_why, address, host) => {
      expect(draw(address).text).toBe(`${address} (${host})`);
      expect(draw(`<${address}>`).text).toBe(`${address} (${host})`);
      expect(draw(`[${address}](${address})`).text).toBe(`${address} (${host})`);
      expect(draw(`[here](${address})`).text).toBe('here');
    },
  );

  it.each([
    'https://пример.example/',
    'https://例え.example/',
    'https://한국.example/',
    'https://مثال.example/',
    'https://xn--bnk-6cd.example/',
  ])('and one that is not stays alone: %s', (address) => {
    expect(draw(address).text).toBe(address);
  });

  it('a letter that looks like a slash', () => {
    const { text, links } = draw('<https://bank.exampleノx.evil.example/>');
    expect(text).toMatch(/ \(bank\.xn--[a-z\d-]+\.evil\.example\)$/);
    expect(links).toHaveLength(1);
    // Behind a bare address it is the text that goes on.
    expect(seen('https://bank.exampleノx.evil.example/')[1]).toEqual(web('https://bank.example'));
  });

  it('a citation is never touched', () => {
    const { text } = renderModelOutput('Wet [1].', { sources });
    expect(text).toBe('Wet [\\[1\\]](https://a.example/1).');
  });
});

describe('images', () => {
  it.each([
    [
      'a remote one is a link',
      '![a field](https://i.example/f.png)',
      'a field',
      [['a field', 'https://i.example/f.png']],
    ],
    [
      'without a description',
      '![](https://i.example/f.png)',
      'image',
      [['image', 'https://i.example/f.png']],
    ],
    [
      'with one that is not seen',
      '![&#x200b;](https://i.example/f.png)',
      'image',
      [['image', 'https://i.example/f.png']],
    ],
    ['embedded', '![chart](data:image/png;base64,iVBORw0KGgo=)', 'chart', []],
    [
      'embedded, without a description',
      'a ![](data:image/png;base64,iVBORw0KGgo=)',
      'a (image)',
      [],
    ],
    ['files', '![a](file:///x.png) ![b](img/x.png) ![c](/x.png)', 'a b c', []],
    ['icons', '![a](icon://http) ![b](icon://https/t.example/x)', 'a b', []],
    [
      'marks in a description',
      '![a **bold** `code` \\* &amp; x](https://i.example/f.png)',
      'a bold code * & x',
      [['a bold code * & x', 'https://i.example/f.png']],
    ],
    [
      'markup in a description',
      '![x &lt;img src=https://t.example/y&gt;](data:x)',
      'x <img src=https://t.example/y>',
      [],
    ],
    [
      'over two lines of a quote',
      '> ![a\n> b](https://i.example/f.png)',
      'a b',
      [['a b', 'https://i.example/f.png']],
    ],
    [
      'in a link',
      '[![badge](https://i.example/b.svg)](https://m.example/x)',
      'badge',
      [['badge', 'https://m.example/x']],
    ],
    [
      'in a link, without a description',
      '[![](https://i.example/b.svg)](https://m.example/x)',
      'https://m.example/x',
      [['https://m.example/x', 'https://m.example/x']],
    ],
  ])('%s', (_why, markdown, text, links) => {
    expect(seen(markdown)).toEqual([text, links]);
  });

  /** The pass alone: what the person's leave changes. */
  const withLeave = (markdown: string): string => {
    const scanned = scan(markdown);
    return applyEdits(markdown, linkPass(scanned, { isOpen: false, drawsImages: true }));
  };

  it.each([
    ['alone', '![a](https://i.example/f.png)'],
    ['among words', 'See ![a](https://i.example/f.png) there'],
    [
      'by reference',
      '![a][f]\n\n[f]: https://i.example/f.png',
      '![a](https://i.example/f.png)\n\n[f]: https://i.example/f.png',
    ],
    ['without title', '![a](https://i.example/f.png "t")', '![a](https://i.example/f.png)'],
    [
      'a caption in which nothing acts',
      '![&lt;img src="https://t.example/y"&gt;](https://i.example/f.png)',
      '![‹img src="https://t.example/y"›](https://i.example/f.png)',
    ],
  ])('are drawn with the person’s leave: %s', (_why, markdown, expected = markdown) => {
    expect(withLeave(markdown)).toBe(expected);
  });

  it.each([
    ['in an item', '- ![a](https://i.example/f.png)'],
    ['in a table', '| a |\n|---|\n| ![a](https://i.example/f.png) |'],
    ['in a heading', '# ![a](https://i.example/f.png)'],
    ['in a quote', '> ![a](https://i.example/f.png)'],
    ['in bold text', '**![a](https://i.example/f.png)**'],
    ['in a link', '[![a](https://i.example/f.png)](https://m.example/)'],
    ['an icon', '![a](icon://https/i.example/f.png)'],
    ['a file', '![a](file:///f.png)'],
    ['a path', '![a](/f.png)'],
    ['embedded', '![a](data:image/png;base64,iVBORw0KGgo=)'],
    ['with a space', '![a](<https://i.example/f .png>)'],
    ['with a size', '![a](https://i.example/f.png?raycast-width=9999&raycast-height=9999)'],
  ])('but not: %s', (_why, markdown) => {
    expect(withLeave(markdown)).not.toContain('![');
    expect(drawPane(withLeave(markdown)).fetches).toEqual([]);
  });
});

describe('for every document', () => {
  const hosts = fc.constantFrom('bank.example', 'evil.example', 'good.example');
  const address = fc
    .tuple(fc.constantFrom('https://', 'http://', 'https://bank.example@', 'file://', ''), hosts)
    .map((parts) => parts.join(''));
  const link = fc.oneof(
    fc.tuple(address, address).map(([text, destination]) => `[${text}](${destination}/x)`),
    address.map((each) => `<${each}>`),
    address.map((each) => `![${each}](${each}/i.png)`),
    address,
  );
  const document = fc
    .array(fc.oneof(link, hostileMarkdown), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.join(' '));

  it('a click goes to the web or to mail, and every link can be read', () => {
    fc.assert(
      fc.property(document, (markdown) => {
        for (const { text, href } of draw(markdown).links) {
          expect(['browser', 'mail']).toContain(clickEffect(href));
          expect(text.trim()).not.toBe('');
        }
      }),
      { numRuns: 40 },
    );
  });

  it('a link that says one host and leads to another is followed by its own', () => {
    fc.assert(
      fc.property(fc.array(link, { minLength: 1, maxLength: 6 }), (parts) => {
        const { text, links } = draw(parts.join('\n\n'));
        for (const each of links) {
          const host = new URL(each.href).hostname;
          const says = /(?:bank|evil|good)\.example/.exec(each.text)?.[0];
          if (says !== undefined && says !== host) expect(text).toContain(`${each.text} (${host})`);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('nothing throws, and an address that is shown is one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.webUrl(), (text, destination) => {
        placeNote(text, destination);
        placeNote(text, text);
        expect(shownAddress(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
