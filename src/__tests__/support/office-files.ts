import { zipFile, type ZipPart } from './zip-files';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** A paragraph of a Word document: in a style, an item of a list (id and level), or neither. */
export function wordParagraph(
  text: string,
  { style, list, level = 0 }: { style?: string; list?: number; level?: number } = {},
): string {
  const properties = [
    style === undefined ? '' : `<w:pStyle w:val="${style}"/>`,
    list === undefined
      ? ''
      : `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`,
  ].join('');
  const head = properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`;
  return `<w:p>${head}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
}

/** A table of a Word document whose first row is its head. */
export function wordTable(rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]): string =>
    row.map((cell) => `<w:tc><w:tcPr/>${wordParagraph(cell)}</w:tc>`).join('');
  const lines = rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join('');
  return `<w:tbl><w:tblPr><w:tblLook w:val="04A0" w:firstRow="1"/></w:tblPr><w:tblGrid/>${lines}</w:tbl>`;
}

/** Headings in the styles of a German Word, list 1 with bullets, list 2 with numbers. */
const STYLES = `${XML}<w:styles ${W}>
<w:style w:type="paragraph" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:basedOn w:val="Standard"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Eigene"><w:name w:val="Eigene"/><w:basedOn w:val="berschrift2"/></w:style>
</w:styles>`;
const NUMBERING = `${XML}<w:numbering ${W}>
<w:abstractNum w:abstractNumId="7">${'<w:lvl><w:start w:val="1"/><w:numFmt w:val="bullet"/></w:lvl>'.repeat(3)}</w:abstractNum>
<w:abstractNum w:abstractNumId="8">${'<w:lvl><w:start w:val="1"/><w:numFmt w:val="decimal"/></w:lvl>'.repeat(3)}</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
</w:numbering>`;

export interface DocxOptions {
  /** What stands in `<w:body>`. */
  body: string;
  title?: string;
  /** What stands in `<w:footnotes>`. */
  footnotes?: string;
  /** Addresses of links, by the ids that `<w:hyperlink r:id>` names. */
  links?: Record<string, string>;
  /** Parts that take the place of those of the same name, or come on top. */
  parts?: readonly ZipPart[];
}

/** A Word document with the parts that Word writes. */
export function docxFile({ body, title, footnotes, links = {}, parts = [] }: DocxOptions): Buffer {
  const relations = Object.entries(links).map(
    ([id, target]) =>
      `<Relationship Id="${id}" Type="${RELATIONS}/hyperlink" Target="${escapeXml(target)}" TargetMode="External"/>`,
  );
  const wrap = (inner: string): string =>
    `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
  return zipFile(
    replaced(
      [
        { name: '[Content_Types].xml', data: `${XML}<Types/>` },
        {
          name: '_rels/.rels',
          data: wrap(
            `<Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="word/document.xml"/>`,
          ),
        },
        {
          name: 'word/document.xml',
          data: `${XML}<w:document ${W} ${R}><w:body>${body}<w:sectPr/></w:body></w:document>`,
        },
        { name: 'word/_rels/document.xml.rels', data: wrap(relations.join('')) },
        { name: 'word/styles.xml', data: STYLES },
        { name: 'word/numbering.xml', data: NUMBERING },
        ...(footnotes === undefined
          ? []
          : [
              {
                name: 'word/footnotes.xml',
                data: `${XML}<w:footnotes ${W}>${footnotes}</w:footnotes>`,
              },
            ]),
        {
          name: 'docProps/core.xml',
          data: `${XML}<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${escapeXml(title ?? '')}</dc:title></cp:coreProperties>`,
        },
      ],
      parts,
    ),
  );
}

interface OdtOptions {
  /** What stands in `<office:text>`. */
  body: string;
  title?: string;
  parts?: readonly ZipPart[];
}

/** An OpenDocument text with the parts that LibreOffice writes; list style `L1` has bullets, `L2` numbers. */
export function odtFile({ body, title, parts = [] }: OdtOptions): Buffer {
  const levels = (element: string, more = ''): string =>
    [1, 2, 3].map((level) => `<text:${element} text:level="${level}"${more}/>`).join('');
  return zipFile(
    replaced(
      [
        { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text', isStored: true },
        {
          name: 'content.xml',
          data:
            `${XML}<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="ta" xmlns:xlink="x" xmlns:draw="d" xmlns:svg="s" xmlns:style="st">` +
            `<office:automatic-styles><style:style style:name="P1" style:parent-style-name="Title"/>` +
            `<text:list-style style:name="L1">${levels('list-level-style-bullet')}</text:list-style>` +
            `<text:list-style style:name="L2">${levels('list-level-style-number', ' style:num-format="1"')}</text:list-style>` +
            `</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
        },
        { name: 'styles.xml', data: `${XML}<office:document-styles/>` },
        {
          name: 'meta.xml',
          data: `${XML}<office:document-meta xmlns:dc="d"><office:meta><dc:title>${escapeXml(title ?? '')}</dc:title></office:meta></office:document-meta>`,
        },
        { name: 'META-INF/manifest.xml', data: `${XML}<manifest:manifest/>` },
      ],
      parts,
    ),
  );
}

interface EpubOptions {
  title?: string;
  /** What stands in the `<body>` of each chapter, in reading order. */
  chapters: readonly string[];
  parts?: readonly ZipPart[];
}

/** A book whose files lie in `OEBPS/`; the first chapter is `OEBPS/text/1.xhtml`. */
export function epubFile({ title = '', chapters, parts = [] }: EpubOptions): Buffer {
  const items = chapters.map(
    (_, n) =>
      `<item id="c${n + 1}" href="text/${n + 1}.xhtml" media-type="application/xhtml+xml"/>`,
  );
  const spine = chapters.map((_, n) => `<itemref idref="c${n + 1}"/>`);
  return zipFile(
    replaced(
      [
        { name: 'mimetype', data: 'application/epub+zip', isStored: true },
        {
          name: 'META-INF/container.xml',
          data: `${XML}<container><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
        },
        // Last chapter first: the order of the list of parts is not the order of the book.
        ...chapters
          .map((body, n) => ({
            name: `OEBPS/text/${n + 1}.xhtml`,
            data: `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`,
          }))
          .reverse(),
        {
          name: 'OEBPS/content.opf',
          data:
            `${XML}<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="d"><dc:title>${escapeXml(title)}</dc:title></metadata>` +
            `<manifest>${items.reverse().join('')}</manifest><spine>${spine.join('')}</spine></package>`,
        },
      ],
      parts,
    ),
  );
}

function replaced(own: readonly ZipPart[], others: readonly ZipPart[]): ZipPart[] {
  const names = new Set(others.map(({ name }) => name));
  return [...own.filter(({ name }) => !names.has(name)), ...others];
}
