import { createHash } from 'node:crypto';
import { join } from 'node:path';

import writeFileAtomic from 'write-file-atomic';

import type { Attachment, ChatImage } from '../../lib/types';
import { ensureFolder, isConversationId, storePaths } from '../store/record-file';
import { imageType } from './image-type';
import { MAX_IMAGE_BYTES, tooLarge } from './limits';
import { fileName, withRegularFile } from './regular-file';

/** Only the owner may see them, like the conversations. */
const FILE_MODE = 0o600;

/** Hexadecimal digits of the name: what a conversation attaches never collides by chance in 96 bits. */
const NAME_DIGITS = 24;

/** A copy's name as Lam makes it. Records may come from an import, so a name that could lead elsewhere is not followed. */
const COPY = /^[0-9a-f]{24}\.(?:png|jpg|gif|webp)$/;

/** An image as the turn's record keeps it. */
type KeptImage = Attachment & { kind: 'image'; mediaType: string; copy: string };

type Outcome<T> = ({ ok: true } & T) | { ok: false; message: string };

/** Lam's own copies of attached images. Contract: nothing rejects; `message` is one sentence a person can act on. */
export interface ImageStore {
  /** Copies an image to the conversation. The same image twice is one copy. */
  keep(
    conversationId: string,
    path: string,
    signal: AbortSignal,
  ): Promise<Outcome<{ attachment: KeptImage }>>;
  /** A copy as it is sent. */
  read(
    conversationId: string,
    attachment: Pick<Attachment, 'name' | 'copy'>,
    signal: AbortSignal,
  ): Promise<Outcome<{ image: ChatImage }>>;
}

/** @param supportPath the extension's own folder */
export function createImageStore(supportPath: string): ImageStore {
  const paths = storePaths(supportPath);
  return {
    async keep(conversationId, path, signal) {
      const name = fileName(path);
      if (!isConversationId(conversationId)) return failed(`${name} belongs to no conversation.`);
      const read = await readImage(path, name, signal, false);
      if (!read.ok) return read;
      const { bytes, mediaType, ending } = read;
      const digest = createHash('sha256').update(bytes).digest('hex').slice(0, NAME_DIGITS);
      const copy = `${digest}.${ending}`;
      const folder = paths.attachments(conversationId);
      try {
        ensureFolder(folder);
        await writeFileAtomic(join(folder, copy), Buffer.from(bytes), { mode: FILE_MODE });
      } catch (error) {
        return failed(`${name} could not be copied into Lam's folder (${reasonOf(error)}).`);
      }
      return {
        ok: true,
        attachment: { kind: 'image', name, path, size: bytes.length, mediaType, copy },
      };
    },
    async read(conversationId, { name, copy = '' }, signal) {
      const shown = fileName(name);
      if (!isConversationId(conversationId) || !COPY.test(copy))
        return failed(`Lam has no copy of the image ${shown}; attach it again.`);
      const path = join(paths.attachments(conversationId), copy);
      const read = await readImage(path, shown, signal, true);
      if (!read.ok)
        return failed(`Lam's copy of the image ${shown} cannot be read; attach it again.`);
      const { bytes, mediaType } = read;
      return { ok: true, image: { mediaType, data: Buffer.from(bytes).toString('base64') } };
    },
  };
}

function failed(message: string): { ok: false; message: string } {
  return { ok: false, message };
}

/** Reads an image, by its content: what stands at the path may have changed since it was chosen. */
function readImage(
  path: string,
  name: string,
  signal: AbortSignal,
  isOwn: boolean,
): Promise<Outcome<{ bytes: Uint8Array; mediaType: string; ending: string }>> {
  return withRegularFile<Outcome<{ bytes: Uint8Array; mediaType: string; ending: string }>>(
    path,
    signal,
    async ({ read }) => {
      const bytes = await read(0, MAX_IMAGE_BYTES + 1);
      const type = imageType(bytes);
      if (type === undefined) return failed(`${name} is no PNG, JPEG, GIF or WebP image any more.`);
      if (bytes.length > MAX_IMAGE_BYTES) return failed(tooLarge(name, 'image'));
      return { ok: true, bytes, ...type };
    },
    { isOwn },
  );
}

function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : 'unknown error';
}
