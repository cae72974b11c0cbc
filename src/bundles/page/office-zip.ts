import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';

/** Entries of a container that are looked at. A book with a picture a page has some thousands. */
const MAX_ENTRIES = 20_000;
/** Bytes of all parts that are unpacked, together. A novel is one megabyte of text, five of markup. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Why nothing can be read, in words that follow "It could not be read: " where it is `broken`. */
export class OfficeProblem extends Error {
  readonly kind: 'protected' | 'too-large' | 'broken';

  constructor(kind: OfficeProblem['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A container that is open. */
export interface Parts {
  has: (name: string) => boolean;
  /** The unpacked bytes of a part; nothing if there is none of that name. Throws an `OfficeProblem`. */
  read: (name: string) => Promise<Uint8Array | undefined>;
}

/**
 * Opens a ZIP file that is held in memory. Nothing is written anywhere, so the names of its entries are only names. Bytes are
 * counted while they are unpacked, whatever the directory promises. Throws an `OfficeProblem`.
 */
export async function openParts(bytes: Uint8Array): Promise<Parts> {
  let zip: ZipFile;
  const entries = new Map<string, Entry>();
  try {
    // yauzl refuses the whole file for one strange name if it decodes them.
    zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
      decodeStrings: false,
    });
    let seen = 0;
    for await (const entry of zip.eachEntry()) {
      seen += 1;
      if (seen > MAX_ENTRIES)
        throw new OfficeProblem('too-large', `It has more than ${MAX_ENTRIES} parts.`);
      const name = entry.fileNameRaw.toString('utf8');
      if (!entries.has(name)) entries.set(name, entry);
    }
  } catch (error) {
    throw asProblem(error);
  }
  let spare = MAX_BYTES;
  return {
    has: (name) => entries.has(name),
    async read(name) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      if (entry.isEncrypted())
        throw new OfficeProblem('protected', 'It is protected by a password.');
      try {
        const part = await unpack(zip, entry, spare);
        spare -= part.length;
        return part;
      } catch (error) {
        throw asProblem(error);
      }
    },
  };
}

async function unpack(zip: ZipFile, entry: Entry, most: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  const stream = await zip.openReadStreamPromise(entry);
  // Leaving the loop destroys the stream.
  for await (const piece of stream as AsyncIterable<Buffer>) {
    // a stream without an encoding gives buffers
    size += piece.length;
    if (size > most)
      throw new OfficeProblem(
        'too-large',
        `It unpacks to more than ${MAX_BYTES / 1024 / 1024} MB of text and markup.`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function asProblem(error: unknown): OfficeProblem {
  return error instanceof OfficeProblem
    ? error
    : new OfficeProblem('broken', 'it is damaged or was not copied to its end');
}
