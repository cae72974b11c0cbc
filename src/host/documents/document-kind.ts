import { unmarkedUtf16 } from '../web/local-file';
import { sniffMedia } from '../web/media';

/** What Lam reads of the person's own files. */
export type DocumentKind =
  'text' | 'markdown' | 'html' | 'pdf' | 'docx' | 'odt' | 'epub' | 'code' | 'csv';

/** What a file is: a kind that is read, one that is not (`name` for a sentence: "an image"), or one behind a password. */
type FoundKind = { kind: DocumentKind } | { name: string } | { isProtected: true };

/** What the names of ZIP files promise, where the parts that are looked at do not tell. */
const ZIP_ENDINGS: Record<string, DocumentKind> = { docx: 'docx', odt: 'odt', epub: 'epub' };

/** The kinds in which `sniffMedia` speaks of what is in a ZIP file. */
const ZIP_NAMES: Record<string, DocumentKind> = {
  'a Word document': 'docx',
  'an OpenDocument text': 'odt',
  'an EPUB book': 'epub',
};

const ENDINGS: readonly (readonly [DocumentKind, string])[] = [
  ['markdown', 'md markdown mdown mkd mdx qmd rmd'],
  ['html', 'html htm xhtml xht shtml'],
  ['csv', 'csv tsv tab'],
  ['text', 'txt text log org rst adoc asciidoc tex ltx bib srt vtt po pot nfo me eml'],
  [
    'code',
    'js mjs cjs jsx ts mts cts tsx vue svelte astro css scss sass less py pyi pyw ipynb rb erb php java kt kts scala groovy ' +
      'gradle clj cljs c h cc cpp cxx hh hpp hxx m mm cs fs fsx vb go rs swift zig nim d dart lua pl pm r jl hs lhs ml mli elm ' +
      'ex exs erl hrl lisp el scm rkt sh bash zsh fish ps1 bat cmd sql graphql gql proto thrift asm s v sv vhd vhdl tcl ' +
      'json jsonc json5 ndjson jsonl yaml yml toml ini cfg conf properties env xml xsd xsl xslt svg plist cmake mk tf hcl nix ' +
      'dockerfile makefile rakefile gemfile justfile',
  ],
];

const BY_ENDING: ReadonlyMap<string, DocumentKind> = new Map(
  ENDINGS.flatMap(([kind, endings]) =>
    endings.split(' ').map((ending): [string, DocumentKind] => [ending, kind]),
  ),
);

/** In the old Microsoft container, the stream that holds a document behind a password ([MS-OFFCRYPTO]), in UTF-16. */
const ENCRYPTED = Array.from('EncryptedPackage', (char) => `${char}\0`).join('');

/**
 * What a file is: by its content, and where that is text of some sort, by the ending of its name.
 *
 * @param head its first bytes; `ends` the last ones too
 */
export function documentKind(ends: Uint8Array, head: Uint8Array, path: string): FoundKind {
  const ending = endingOf(path);
  const media = sniffMedia(ends, '', { path, charset: unmarkedUtf16(head) });
  if (media.kind === 'pdf') return { kind: 'pdf' };
  if (media.kind === 'binary') {
    const start = Buffer.from(head.subarray(0, 4)).toString('latin1');
    if (start === 'PK\x03\x04') {
      const kind =
        ZIP_NAMES[media.name] ?? (media.name === 'a ZIP archive' ? ZIP_ENDINGS[ending] : undefined);
      return kind === undefined ? media : { kind };
    }
    if (start.startsWith('\xd0\xcf\x11') && holdsEncrypted(ends)) return { isProtected: true };
    return media;
  }
  const named = BY_ENDING.get(ending);
  if (named !== undefined) return { kind: named };
  if (media.kind === 'html') return { kind: 'html' };
  return { kind: media.kind === 'json' || media.kind === 'xml' ? 'code' : 'text' };
}

/** `a/B.tar.GZ` → `gz`, `Makefile` → `makefile`. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return name.slice(name.lastIndexOf('.') + 1);
}

function holdsEncrypted(ends: Uint8Array): boolean {
  return Buffer.from(ends.buffer, ends.byteOffset, ends.length)
    .toString('latin1')
    .includes(ENCRYPTED);
}
