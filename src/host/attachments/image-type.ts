interface ImageType {
  /** `image/png` and the like. */
  mediaType: string;
  /** What the name of a copy ends in. */
  ending: string;
}

/** The formats that every model server takes: [how the first bytes begin, as latin1, and what stands at byte 8]. */
const TYPES: readonly (readonly [start: string, then: string, type: ImageType])[] = [
  ['\x89PNG\r\n\x1a\n', '', { mediaType: 'image/png', ending: 'png' }],
  ['\xff\xd8\xff', '', { mediaType: 'image/jpeg', ending: 'jpg' }],
  ['GIF87a', '', { mediaType: 'image/gif', ending: 'gif' }],
  ['GIF89a', '', { mediaType: 'image/gif', ending: 'gif' }],
  ['RIFF', 'WEBP', { mediaType: 'image/webp', ending: 'webp' }],
];

/** An image by its first bytes, never by its name; undefined = none that is sent. */
export function imageType(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return TYPES.find(([start, then]) => head.startsWith(start) && head.startsWith(then, 8))?.[2];
}
