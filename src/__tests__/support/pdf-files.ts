import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** What stands on a page: lines of text, a picture, lines in characters beyond latin1 (CID font), or nothing. */
export type PdfPage = { lines: string[] } | { cid: string[] } | { picture: true } | { blank: true };

export interface PdfOptions {
  pages: PdfPage[];
  title?: string;
  /** Encrypts for this password; empty = opens without asking, as files do that only forbid printing. */
  password?: string;
  /** Compresses the pages. */
  deflate?: boolean;
}

type Body = string | { dict: string; data: Buffer };

/** Points from line to line, and text size. */
const LEADING = 14;
const SIZE = 12;

/**
 * A PDF file of its own making: objects, a cross-reference table and a trailer, as ISO 32000-1 sections 7.5, 7.6 and
 * 9.7 describe them. An empty line makes a gap between paragraphs.
 */
export function pdfFile({ pages, title, password, deflate = false }: PdfOptions): Buffer {
  const objects: Body[] = [];
  const add = (body: Body): number => objects.push(body);
  const catalog = add('');
  const tree = add('');
  const font = add(
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  );
  const cid = cidFont(pages, add);
  const kids = pages.map((page) => {
    const { code, resources } = pageContent(page, { font, cid, add });
    const data = Buffer.from(code, 'latin1');
    const contents = deflate
      ? add({ dict: '/Filter /FlateDecode', data: deflateSync(data) })
      : add({ dict: '', data });
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 595 842] /Resources << ${resources} >> /Contents ${contents} 0 R >>`,
    );
  });
  objects[catalog - 1] = `<< /Type /Catalog /Pages ${tree} 0 R >>`;
  objects[tree - 1] =
    `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`;
  const info = title === undefined ? undefined : add({ dict: 'info', data: utf16(title) });
  return assemble(objects, catalog, { info, password });
}

function pageContent(
  page: PdfPage,
  { font, cid, add }: { font: number; cid: CidFont | undefined; add: (body: Body) => number },
): { code: string; resources: string } {
  if ('blank' in page) return { code: '', resources: '' };
  if ('picture' in page) {
    const image = add({
      dict: '/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8',
      data: Buffer.from([0, 255, 255, 0]),
    });
    return {
      code: 'q 500 0 0 700 40 60 cm /Im1 Do Q',
      resources: `/XObject << /Im1 ${image} 0 R >>`,
    };
  }
  const isCid = 'cid' in page;
  const lines = isCid ? page.cid : page.lines;
  let y = 780;
  const shown = lines.map((line) => {
    const at = y;
    y -= LEADING;
    const text = isCid ? `<${cid?.encode(line) ?? ''}>` : `(${escaped(line)})`;
    return line === '' ? '' : `1 0 0 1 50 ${at} Tm ${text} Tj`;
  });
  return {
    code: `BT /F1 ${SIZE} Tf\n${shown.join('\n')}\nET`,
    resources: `/Font << /F1 ${isCid ? (cid?.number ?? font) : font} 0 R >>`,
  };
}

interface CidFont {
  number: number;
  encode(text: string): string;
}

/** A composite font whose character codes mean nothing but for its ToUnicode table, as most programs write them. */
function cidFont(pages: readonly PdfPage[], add: (body: Body) => number): CidFont | undefined {
  const chars = new Set(
    pages.flatMap((page) => ('cid' in page ? Array.from(page.cid.join('')) : [])),
  );
  if (chars.size === 0) return undefined;
  const codes = new Map(Array.from(chars, (char, index) => [char, hex(index + 1)]));
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
${codes.size} beginbfchar
${Array.from(codes, ([char, code]) => `<${code}> <${utf16(char).subarray(2).toString('hex')}>`).join('\n')}
endbfchar endcmap CMapName currentdict /CMap defineresource pop end end`;
  const toUnicode = add({ dict: '', data: Buffer.from(map) });
  const descriptor = add(
    '<< /Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
  );
  const descendant = add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Own /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} 0 R /DW 1000 /CIDToGIDMap /Identity >>`,
  );
  const number = add(
    `<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${toUnicode} 0 R >>`,
  );
  return {
    number,
    encode: (text) => Array.from(text, (char) => codes.get(char) ?? '0000').join(''),
  };
}

function assemble(
  objects: readonly Body[],
  root: number,
  { info, password }: { info: number | undefined; password: string | undefined },
): Buffer {
  const id = Buffer.from('0123456789abcdef');
  const lock = password === undefined ? undefined : encryption(password, id);
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const put = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  const all: Body[] = lock === undefined ? [...objects] : [...objects, lock.dictionary];
  all.forEach((body, index) => {
    const number = index + 1;
    offsets.push(length);
    put(Buffer.from(`${number} 0 obj\n`));
    if (typeof body === 'string') put(Buffer.from(body, 'latin1'));
    else {
      const data = lock === undefined ? body.data : lock.encrypt(number, body.data);
      if (body.dict === 'info') put(Buffer.from(`<< /Title <${data.toString('hex')}> >>`));
      else {
        put(Buffer.from(`<< ${body.dict} /Length ${data.length} >>\nstream\n`));
        put(data);
        put(Buffer.from('\nendstream'));
      }
    }
    put(Buffer.from('\nendobj\n'));
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const extra =
    (info === undefined ? '' : ` /Info ${info} 0 R`) +
    (lock === undefined ? '' : ` /Encrypt ${all.length} 0 R`);
  const start = length;
  put(
    Buffer.from(
      `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${all.length + 1} /Root ${root} 0 R /ID [<${id.toString('hex')}> <${id.toString('hex')}>]${extra} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** ISO 32000-1 section 7.6.3.3, table 21: what a password is filled up with. */
const PADDING = Buffer.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
  'hex',
);

/** The standard security handler, revision 2: RC4 with 40 bits (algorithms 1 to 4 of section 7.6.3). */
function encryption(
  password: string,
  id: Buffer,
): { dictionary: string; encrypt: (object: number, data: Buffer) => Buffer } {
  const padded = Buffer.concat([Buffer.from(password), PADDING]).subarray(0, 32);
  const permissions = -4;
  const ownerKey = Buffer.concat([Buffer.from('owner'), PADDING]).subarray(0, 32);
  const owner = rc4(md5(ownerKey).subarray(0, 5), padded);
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions);
  const key = md5(Buffer.concat([padded, owner, flags, id])).subarray(0, 5);
  const user = rc4(key, PADDING);
  return {
    dictionary: `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P ${permissions} >>`,
    encrypt: (object, data) => {
      const suffix = Buffer.from([object & 255, (object >> 8) & 255, (object >> 16) & 255, 0, 0]);
      return rc4(md5(Buffer.concat([key, suffix])).subarray(0, 10), data);
    },
  };
}

function md5(data: Buffer): Buffer {
  return createHash('md5').update(data).digest();
}

/** RC4; OpenSSL 3 no longer offers it. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index & 255] ?? 0;
  const swap = (one: number, other: number): void => {
    [state[one & 255], state[other & 255]] = [at(other), at(one)];
  };
  let j = 0;
  for (let i = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let i = 0;
  j = 0;
  return Buffer.from(
    Array.from(data, (byte) => {
      i = (i + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}

function utf16(text: string): Buffer {
  return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}
