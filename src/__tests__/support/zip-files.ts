import { crc32, deflateRawSync } from 'node:zlib';

/** What may be in a ZIP file; the flags make it one that no honest program writes. */
export interface ZipPart {
  name: string;
  data: string | Uint8Array;
  /** Not compressed, as the first part of a book or an OpenDocument file has to be. */
  isStored?: boolean;
  /** The bit that says it is encrypted (APPNOTE section 4.4.4). */
  isEncrypted?: boolean;
  /** What the directory says of its size, whatever is true. */
  claimedSize?: number;
}

/** A ZIP file: local headers and parts, the central directory, its end (APPNOTE sections 4.3.7, 4.3.12 and 4.3.16). */
export function zipFile(parts: readonly ZipPart[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, isStored = false, isEncrypted = false, claimedSize } of parts) {
    const raw = Buffer.from(data);
    const packed = isStored ? raw : deflateRawSync(raw);
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (isEncrypted ? 1 : 0), 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize ?? raw.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    bodies.push(Buffer.from('PK\x03\x04', 'latin1'), common, nameBytes, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, place, nameBytes);
    offset += 4 + common.length + nameBytes.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, listed, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
