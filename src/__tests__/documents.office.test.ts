import { describe, expect, it } from 'vitest';

import {
  docxFile,
  epubFile,
  odtFile,
  wordParagraph,
  wordTable,
  type DocxOptions,
} from './support/office-files';
import { readOffice } from './support/read-office';

async function textOf(bytes: Uint8Array, kind: 'docx' | 'odt' | 'epub'): Promise<string> {
  const reading = await readOffice(bytes, kind);
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  return reading.text;
}

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

describe('a Word document', () => {
  it.each<[name: string, body: string | DocxOptions, text: string]>([
    ['paragraphs', wordParagraph('Один.') + wordParagraph('二。'), 'Один.\n\n二。'],
    ['empty paragraphs', wordParagraph('a') + '<w:p/>' + wordParagraph('b'), 'a\n\nb'],
    ['runs of one word', `<w:p>${run('Ne')}${run('bel')}</w:p>`, 'Nebel'],
    [
      'headings by what the style is, whatever it is called',
      wordParagraph('Titel', { style: 'Titel' }) +
        wordParagraph('Eins', { style: 'berschrift1' }) +
        wordParagraph('Zwei', { style: 'berschrift2' }) +
        wordParagraph('Geerbt', { style: 'Eigene' }) +
        wordParagraph('Text', { style: 'Standard' }),
      '# Titel\n\n# Eins\n\n## Zwei\n\n## Geerbt\n\nText',
    ],
    [
      'a heading by its own level',
      `<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr>${run('Drei')}</w:p>`,
      '### Drei',
    ],
    [
      'lists',
      [
        wordParagraph('a', { list: 1 }),
        wordParagraph('b', { list: 1, level: 1 }),
        wordParagraph('c', { list: 1 }),
        wordParagraph('Text'),
        wordParagraph('eins', { list: 2 }),
        wordParagraph('innen', { list: 2, level: 1 }),
        wordParagraph('zwei', { list: 2 }),
        wordParagraph('innen', { list: 2, level: 1 }),
      ].join(''),
      '- a\n   - b\n- c\n\nText\n\n1. eins\n   1. innen\n2. zwei\n   1. innen',
    ],
    ['no list of id 0', wordParagraph('a', { list: 0 }), 'a'],
    [
      'a table',
      wordTable([
        ['Tee', 'Preis'],
        ['grün|weiß', '3'],
        ['', ''],
      ]) + wordParagraph('Ende'),
      '| Tee | Preis |\n| --- | --- |\n| grün\\|weiß | 3 |\n\nEnde',
    ],
    [
      'a table without a head, with a wide cell',
      '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>' +
        `${wordParagraph('weit')}</w:tc><w:tc>${wordParagraph('c')}${wordParagraph('d')}</w:tc></w:tr></w:tbl>`,
      '|  |  |  |\n| --- | --- | --- |\n| weit |  | c; d |',
    ],
    ['a table of one column', wordTable([['a'], ['b']]), 'a\n\nb'],
    [
      'a table in a table',
      `<w:tbl><w:tr><w:tc>${wordTable([['x', 'y']])}</w:tc><w:tc>${wordParagraph('b')}</w:tc></w:tr></w:tbl>`,
      '|  |  |\n| --- | --- |\n| x, y | b |',
    ],
    [
      'line breaks, tabs and hyphens',
      '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>' +
        `${run('a')}<w:r><w:tab/></w:r>${run('b')}<w:r><w:br/></w:r>${run('c')}<w:r><w:noBreakHyphen/><w:softHyphen/></w:r>${run('d')}<w:r><w:br w:type="page"/></w:r></w:p>`,
      'a b\nc\u2011d',
    ],
    [
      'footnotes, in the order of the text',
      {
        body: `<w:p>${run('Nebel')}<w:r><w:footnoteReference w:id="5"/></w:r>${run(' und Tee')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
        footnotes: [
          `<w:footnote w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>`,
          `<w:footnote w:id="2"><w:p>${run('Zwei.')}</w:p></w:footnote>`,
          `<w:footnote w:id="5"><w:p>${run('Fünf,')}</w:p><w:p>${run('zweizeilig.')}</w:p></w:footnote>`,
        ].join(''),
      },
      'Nebel[^1] und Tee[^2]\n\n[^1]: Fünf, zweizeilig.\n\n[^2]: Zwei.',
    ],
    [
      'links to the web, and the words of others',
      {
        body: `<w:p><w:hyperlink r:id="a">${run('hier')}</w:hyperlink>${run(' und ')}<w:hyperlink r:id="b">${run('dort')}</w:hyperlink>${run(' und ')}<w:hyperlink w:anchor="x">${run('oben')}</w:hyperlink></w:p>`,
        links: { a: 'https://a.example/?x=1&y', b: 'file:///etc/passwd' },
      },
      '[hier](https://a.example/?x=1&y) und dort und oben',
    ],
    [
      'tracked changes, as accepted',
      `<w:p><w:ins>${run('neu')}</w:ins><w:del><w:r><w:delText>alt</w:delText></w:r></w:del><w:moveFrom>${run('weg')}</w:moveFrom>${run(' da')}</w:p>`,
      'neu da',
    ],
    [
      'a text box once, and the words of a picture',
      `<w:p>${run('Text')}<w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr="Ein Berg"/><wps:txbx><w:txbxContent>${wordParagraph('Kasten')}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback>${wordParagraph('Kasten')}</mc:Fallback></mc:AlternateContent></w:r></w:p>`,
      'Kasten\n\nText(Image: Ein Berg)',
    ],
    [
      'fields without their code',
      `<w:p><w:r><w:instrText>PAGE</w:instrText></w:r>${run('7')}</w:p>`,
      '7',
    ],
    ['entities', wordParagraph('a < b & c'), 'a < b & c'],
  ])('%s', async (_name, body, text) => {
    expect(await textOf(docxFile(typeof body === 'string' ? { body } : body), 'docx')).toBe(text);
  });

  it('whose text has another name than usual', async () => {
    const relations =
      '<Relationships><Relationship Id="1" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/word/document2.xml"/></Relationships>';
    const other = `<w:document><w:body>${wordParagraph('hier', { style: 'berschrift1' })}</w:body></w:document>`;
    const parts = [
      { name: '_rels/.rels', data: relations },
      { name: 'word/document2.xml', data: other },
    ];
    expect(await textOf(docxFile({ body: '', parts }), 'docx')).toBe('# hier');
  });

  it('without anything but its text', async () => {
    const broken = ['_rels/.rels', 'word/styles.xml', 'word/numbering.xml', 'docProps/core.xml'];
    const parts = broken.map((name) => ({ name, data: '<<<' }));
    const bytes = docxFile({ body: wordParagraph('da', { style: 'berschrift1', list: 1 }), parts });
    expect(await textOf(bytes, 'docx')).toBe('da');
  });
});

const p = (text: string): string => `<text:p>${text}</text:p>`;
const item = (...inner: string[]): string => `<text:list-item>${inner.join('')}</text:list-item>`;
const cell = (text: string, more = ''): string =>
  `<table:table-cell${more}>${p(text)}</table:table-cell>`;

describe('an OpenDocument text', () => {
  it.each<[name: string, body: string, text: string]>([
    ['paragraphs', p('Один.') + p('') + p('二。'), 'Один.\n\n二。'],
    [
      'headings and a title',
      '<text:p text:style-name="P1">Titel</text:p><text:h text:outline-level="1">Eins</text:h><text:h text:outline-level="9">Tief</text:h>',
      '# Titel\n\n# Eins\n\n###### Tief',
    ],
    [
      'white space as it is meant',
      p('a  \n b<text:s text:c="3"/>c<text:tab/>d<text:line-break/>e<text:soft-page-break/>f'),
      'a b c d\nef',
    ],
    [
      'lists',
      `<text:list text:style-name="L1">${item(p('a'), `<text:list>${item(p('b'))}</text:list>`)}${item(p('c'), p('mehr'))}</text:list>` +
        `<text:list text:style-name="L2">${item(p('eins'))}${item(p('zwei'), `<text:list>${item(p('innen'))}</text:list>`)}</text:list>`,
      '- a\n   - b\n- c\n\nmehr\n\n1. eins\n2. zwei\n   1. innen',
    ],
    [
      'a table with a head',
      `<table:table><table:table-header-rows><table:table-row>${cell('Tee')}${cell('Preis')}</table:table-row></table:table-header-rows>` +
        `<table:table-row>${cell('grün', ' table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row>` +
        `<table:table-row>${cell('x', ' table:number-columns-repeated="2"')}${cell('', ' table:number-columns-repeated="16000"')}</table:table-row></table:table>`,
      '| Tee | Preis |\n| --- | --- |\n| grün |  |\n| x | x |',
    ],
    [
      'notes, also in a list',
      `<text:list text:style-name="L1">${item(p(`a<text:note><text:note-citation>1</text:note-citation><text:note-body>${p('Note')}${p('eins.')}</text:note-body></text:note> b`))}</text:list>`,
      '- a[^1] b\n\n[^1]: Note eins.',
    ],
    [
      'links to the web, and the words of others',
      p(
        '<text:a xlink:href="https://a.example/(x)">hier</text:a> und <text:a xlink:href="../b.odt">dort</text:a>',
      ),
      '[hier](<https://a.example/(x)>) und dort',
    ],
    [
      'neither comments nor what was deleted',
      `<text:tracked-changes><text:deletion>${p('alt')}</text:deletion></text:tracked-changes>${p(`da<office:annotation>${p('Kommentar')}</office:annotation>`)}`,
      'da',
    ],
    [
      'the words of a picture',
      p(
        'Sieh <draw:frame><draw:image/><svg:title>Berg</svg:title><svg:desc>im Nebel</svg:desc></draw:frame>',
      ),
      'Sieh (Image: Berg im Nebel)',
    ],
  ])('%s', async (_name, body, text) => {
    expect(await textOf(odtFile({ body }), 'odt')).toBe(text);
  });

  it('behind a password', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const parts = [{ name: 'META-INF/manifest.xml', data: manifest }];
    expect(await readOffice(odtFile({ body: p('x'), parts }), 'odt')).toEqual({
      kind: 'protected',
      message: 'It is protected by a password.',
    });
  });
});

describe('a book', () => {
  it('has its chapters in reading order', async () => {
    const chapters = [
      '<h1>Eins</h1><p>Der <em>Nebel</em>.</p>',
      '<h2>二</h2><ul><li>茶</li></ul>',
      '<p/>',
    ];
    expect(await textOf(epubFile({ chapters }), 'epub')).toBe(
      '# Eins\n\nDer *Nebel*.\n\n## 二\n\n- 茶',
    );
  });

  it.each<[name: string, chapter: string, text: string]>([
    ['elements closed in themselves', '<p>a<a id="x"/>b</p><div/><script/><p>c</p>', 'ab\n\nc'],
    ['no table of contents', '<nav><ol><li>Eins</li></ol></nav><p>Text</p>', 'Text'],
    [
      'links to the web only',
      '<p><a href="2.xhtml">zwei</a> <a href="https://a.example/">w</a></p>',
      'zwei [w](https://a.example/)',
    ],
    ['entities of HTML', '<p>a&nbsp;b&mdash;c</p>', 'a b—c'],
    ['broken markup', '<p>a<b>b</p><p>c', 'a**b**\n\nc'],
  ])('with %s', async (_name, chapter, text) => {
    const words = await textOf(epubFile({ chapters: [chapter] }), 'epub');
    expect(words.replaceAll('\u00a0', ' ')).toBe(text);
  });

  it('whose parts have other charsets, names with blanks and a package in no folder', async () => {
    const parts = [
      {
        name: 'META-INF/container.xml',
        data: '<container><rootfile full-path="book.opf"/></container>',
      },
      {
        name: 'book.opf',
        data: '<package><metadata><dc:title>B</dc:title></metadata><manifest><item id="a" href="in/../my%20text.html#top"/></manifest><spine><itemref idref="a"/><itemref idref="a"/><itemref idref="none"/></spine></package>',
      },
      {
        name: 'my text.html',
        data: Buffer.from(
          '<?xml version="1.0" encoding="iso-8859-1"?><html><body><p>Grün</p></body></html>',
          'latin1',
        ),
      },
    ];
    expect(await readOffice(epubFile({ chapters: [], parts }), 'epub')).toEqual({
      kind: 'read',
      title: 'B',
      text: 'Grün',
      cut: false,
    });
  });

  const encryption = (algorithm: string, uri: string): string =>
    `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="${uri}"/></enc:CipherData></enc:EncryptedData></encryption>`;

  it.each([
    ['its text', 'http://www.w3.org/2001/04/xmlenc#aes128-cbc', 'OEBPS/text/1.xhtml', 'protected'],
    ['its fonts', 'http://www.idpf.org/2008/embedding', 'OEBPS/font.otf', 'read'],
    ['a picture', 'http://www.w3.org/2001/04/xmlenc#aes128-cbc', 'OEBPS/cover.jpg', 'read'],
  ])('of which %s is encrypted', async (_name, algorithm, uri, kind) => {
    const parts = [{ name: 'META-INF/encryption.xml', data: encryption(algorithm, uri) }];
    const reading = await readOffice(epubFile({ chapters: ['<p>x</p>'], parts }), 'epub');
    expect(reading.kind).toBe(kind);
  });
});
