import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { charsetParameter, decodeText, type DecodeOptions } from '../host/web/charset';
import { sniffHtmlCharset as sniffHtml } from '../host/web/html-charset';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

const SHIFT_JIS = Buffer.from([0x93, 0xfa, 0x96, 0x7b]); // 日本
const EUC_KR = Buffer.from([0xc2, 0xf7]); // 차
const GB18030 = Buffer.from([0xb2, 0xe8]); // 茶
const WINDOWS_1251 = Buffer.from([0xf7, 0xe0, 0xe9]); // чай
const KOI8_R = Buffer.from([0xde, 0xc1, 0xca]); // чай

/** 0x80–0x9F as https://encoding.spec.whatwg.org/index-windows-1252.txt lists them; the five unassigned bytes stay controls. */
const C1 = [
  0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
  0x0152, 0x8d, 0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc,
  0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
];

describe('windows-1252', () => {
  it.each(C1.map((codepoint, index) => [index + 0x80, codepoint] as const))(
    'byte %i is U+%i under every label that means it',
    (byte, codepoint) => {
      for (const declared of [
        'windows-1252',
        'cp1252',
        'iso-8859-1',
        'latin1',
        'us-ascii',
        'ASCII',
      ])
        expect(decodeText(Buffer.from([0x61, byte]), { declared, syntax: 'text' })).toBe(
          `a${String.fromCodePoint(codepoint)}`,
        );
    },
  );

  it('keeps 0xA0–0xFF as latin1', () => {
    const bytes = Buffer.from(Array.from({ length: 96 }, (_, index) => 0xa0 + index));
    expect(decodeText(bytes, { declared: 'windows-1252', syntax: 'text' })).toBe(
      bytes.toString('latin1'),
    );
  });
});

describe('where the charset comes from', () => {
  const html = (declared?: string): DecodeOptions =>
    declared === undefined ? { syntax: 'html' } : { syntax: 'html', declared };
  it.each<[string, Buffer, DecodeOptions, string]>([
    ['UTF-8 mark', Buffer.from('\ufeffé'), html('windows-1252'), 'é'],
    ['UTF-16LE mark', utf16le('\ufeffté'), html('utf-8'), 'té'],
    ['UTF-16BE mark', utf16be('\ufeffté'), html('utf-8'), 'té'],
    ['UTF-16 mark in plain text', utf16le('\ufeffté'), { syntax: 'text' }, 'té'],
    ['header', SHIFT_JIS, html('Shift_JIS'), '日本'],
    [
      'header over meta',
      Buffer.concat([ascii('<meta charset=koi8-r>'), WINDOWS_1251]),
      html('windows-1251'),
      '<meta charset=koi8-r>чай',
    ],
    [
      'meta charset',
      Buffer.concat([ascii('<meta charset="windows-1251">'), WINDOWS_1251]),
      html(),
      '<meta charset="windows-1251">чай',
    ],
    [
      'meta http-equiv',
      Buffer.concat([
        ascii('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
        KOI8_R,
      ]),
      html(),
      '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">чай',
    ],
    ['gb2312 means gb18030', GB18030, html('gb2312'), '茶'],
    ['euc-kr', EUC_KR, html('euc-kr'), '차'],
    ['unknown label, valid UTF-8', Buffer.from('é'), html('no-such-charset'), 'é'],
    ['unknown label, not UTF-8', ascii('caf\u00e9'), html('no-such-charset'), 'café'],
    ['a label that decodes to nothing', Buffer.from('é'), html('replacement'), 'é'],
    ['nothing declared, UTF-8', Buffer.from('日本'), html(), '日本'],
    ['nothing declared, not UTF-8', Buffer.from([0x93, 0x61, 0x94, 0x80]), html(), '“a”€'],
    [
      'meta counts for nothing in plain text',
      Buffer.from('<meta charset=koi8-r>é'),
      { syntax: 'text' },
      '<meta charset=koi8-r>é',
    ],
    [
      'XML declaration',
      Buffer.concat([ascii('<?xml version="1.0" encoding="windows-1251"?>'), WINDOWS_1251]),
      { syntax: 'xml' },
      '<?xml version="1.0" encoding="windows-1251"?>чай',
    ],
    [
      'XML declaration that cannot be true',
      Buffer.from('<?xml version="1.0" encoding="utf-16"?>é'),
      { syntax: 'xml' },
      '<?xml version="1.0" encoding="utf-16"?>é',
    ],
    [
      'a meta that breaks the sniffer',
      Buffer.from('<meta http-equiv=x content="charset">é'),
      html(),
      '<meta http-equiv=x content="charset">é',
    ],
  ])('%s', (_name, bytes, options, expected) => {
    expect(decodeText(bytes, options, sniffHtml)).toBe(expected);
  });

  it('a meta far behind the first kilobyte', () => {
    const head = `<script>${'x'.repeat(20_000)}</script><meta charset=shift_jis>`;
    const bytes = Buffer.concat([ascii(head), SHIFT_JIS]);
    expect(decodeText(bytes, { syntax: 'html' }, sniffHtml)).toBe(`${head}日本`);
  });

  it('half a character at a cut is left out', () => {
    const bytes = Buffer.from('tea 茶').subarray(0, -1);
    expect(decodeText(bytes, { syntax: 'text', cut: true })).toBe('tea ');
    expect(decodeText(bytes, { syntax: 'text', declared: 'utf-8', cut: true })).toBe('tea ');
  });
});

describe('when the sniffer is asked', () => {
  it.each<[string, Buffer, DecodeOptions, boolean]>([
    ['HTML that declares nothing outside', Buffer.from('tea'), { syntax: 'html' }, true],
    [
      'HTML under a label nobody knows',
      Buffer.from('tea'),
      { syntax: 'html', declared: 'x' },
      true,
    ],
    [
      'HTML with a charset in its header',
      Buffer.from('a'),
      { syntax: 'html', declared: 'big5' },
      false,
    ],
    ['HTML with a mark', Buffer.from('\ufefftea'), { syntax: 'html' }, false],
    ['XML', Buffer.from('tea'), { syntax: 'xml' }, false],
    ['plain text and JSON', Buffer.from('tea'), { syntax: 'text' }, false],
  ])('%s', (_name, bytes, options, expected) => {
    let asked = false;
    decodeText(bytes, options, () => {
      asked = true;
      return undefined;
    });
    expect(asked).toBe(expected);
  });
});

describe('invariants', () => {
  it('never throws, and UTF-8 comes back whole', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string(),
        fc.constantFrom('html', 'xml', 'text'),
        (bytes, declared, syntax) => {
          expect(typeof decodeText(bytes, { declared, syntax }, sniffHtml)).toBe('string');
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(decodeText(Buffer.from(text), { syntax: 'text' })).toBe(text);
      }),
    );
  });
});

describe('charsetParameter', () => {
  it.each([
    ['text/html; charset=utf-8', 'utf-8'],
    ['text/html;charset="Shift_JIS"', 'Shift_JIS'],
    ["text/html; CHARSET = 'koi8-r'", 'koi8-r'],
    ['text/html; boundary=x; charset=big5; q=1', 'big5'],
    ['text/html', undefined],
    ['text/html; charset=', undefined],
    ['', undefined],
  ])('%s → %s', (value, expected) => {
    expect(charsetParameter(value)).toBe(expected);
  });
});
