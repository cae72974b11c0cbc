import type { CheckedFile } from './port';

const MB = 1024 * 1024;

/** Files of one question. More would leave each with less than a page of what a small model can read. */
export const MAX_FILES = 8;

/** Bytes of a text file: the same as of a web page, ten times what any request holds of it. */
const MAX_TEXT_BYTES = 2 * MB;

/** Bytes of a PDF file: the same as of one on the web. */
const MAX_PDF_BYTES = 16 * MB;

/** Bytes of an image: Anthropic takes 5 MB of base64, where three bytes are four characters. Other servers take more. */
export const MAX_IMAGE_BYTES = (5 * MB * 3) / 4;

/** Bytes of all images of one question: in base64 20 MB, with which a request stays within what servers take (Anthropic: 32). */
const MAX_IMAGES_BYTES = 15 * MB;

/** `3.75 MB` for a sentence. */
function megabytes(bytes: number): string {
  const amount = bytes / MB;
  return `${Number(amount.toFixed(amount < 10 ? 2 : 0))} MB`;
}

const MOST = { text: MAX_TEXT_BYTES, pdf: MAX_PDF_BYTES, image: MAX_IMAGE_BYTES };

const TOO_LARGE = {
  text: 'the most that Lam reads of a text file; attach a part of it',
  pdf: 'the most that Lam reads of a PDF file; attach a part of it',
  image: 'the most that model servers take of an image; attach a smaller copy',
};

/** Bytes that a file of this kind may have. */
export function mostBytes(kind: CheckedFile['kind']): number {
  return MOST[kind];
}

/** One sentence about a file beyond `mostBytes`. */
export function tooLarge(name: string, kind: CheckedFile['kind']): string {
  return `${name} is larger than ${megabytes(MOST[kind])}, ${TOO_LARGE[kind]}.`;
}

/** What is wrong with these files together, in one sentence; undefined = they may be sent. */
export function tooMuch(files: readonly Pick<CheckedFile, 'kind' | 'size'>[]): string | undefined {
  if (files.length > MAX_FILES)
    return `A question takes ${MAX_FILES} files at most, and these are ${files.length}; leave some out.`;
  const images = files.filter(({ kind }) => kind === 'image');
  const bytes = images.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_IMAGES_BYTES)
    return `The ${images.length} images are ${megabytes(bytes)} together, and a question takes ${megabytes(MAX_IMAGES_BYTES)}; attach fewer or smaller ones.`;
  return undefined;
}
