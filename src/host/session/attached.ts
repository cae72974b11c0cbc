import type { Attachments, HistoryTurn } from '../../lib/agent';
import { MAX_REQUEST_IMAGES } from '../../lib/constants';
import type { Attachment, ChatImage, ModelInfo, Turn } from '../../lib/types';
import { readingFile } from './activity';
import type { Core } from './core';
import type { Run } from './run';
import { wasRead } from './turns';

/** What goes along with questions. Nothing here rejects. */
interface Attached {
  /**
   * The files of the question, read to their end. Documents that were read for an earlier variant are not read again.
   * `message`: why one cannot be read, one sentence.
   */
  readFor: (
    current: Run,
  ) => Promise<{ ok: true; attachments: Attachments } | { ok: false; message: string }>;
  /** Earlier exchanges as the model reads them: with their images, the newest first as long as a request takes them. */
  history: (
    turns: readonly Turn[],
    about: ModelInfo | undefined,
    signal: AbortSignal,
  ) => Promise<HistoryTurn[]>;
}

export function createAttached(core: Core): Attached {
  const { ports } = core;

  async function readFor(
    current: Run,
  ): Promise<{ ok: true; attachments: Attachments } | { ok: false; message: string }> {
    const { attachments = [] } = current.turn();
    const { signal } = current.controller;
    const { id } = core.state().conversation;
    const files: Attachments['files'][number][] = [];
    const images: ChatImage[] = [];
    for (const attachment of attachments) {
      if (attachment.kind === 'image') {
        const kept = await keepImage(current, attachment, id);
        const loaded = kept.ok ? await ports.images.read(id, kept.attachment, signal) : kept;
        if (!loaded.ok) return loaded;
        images.push(loaded.image);
      } else if (!wasRead(current.turn(), attachment)) {
        current.say(readingFile(attachment.name));
        core.frames.now();
        const read = await ports.files.readFile(attachment.path, signal);
        if (!read.ok) return read;
        if (read.file.kind === 'image')
          return { ok: false, message: `${attachment.name} has become an image; attach it again.` };
        files.push(read.file);
      }
    }
    return { ok: true, attachments: { files, images } };
  }

  /** Lam's own copy of an image, made with the first question about it. */
  async function keepImage(
    current: Run,
    attachment: Attachment,
    id: string,
  ): Promise<{ ok: true; attachment: Attachment } | { ok: false; message: string }> {
    const { signal } = current.controller;
    if (attachment.copy !== undefined && (await ports.images.read(id, attachment, signal)).ok)
      return { ok: true, attachment };
    const kept = await ports.images.keep(id, attachment.path, signal);
    if (kept.ok) current.keep(attachment, kept.attachment);
    return kept;
  }

  async function history(
    turns: readonly Turn[],
    about: ModelInfo | undefined,
    signal: AbortSignal,
  ): Promise<HistoryTurn[]> {
    const { id } = core.state().conversation;
    let room = about?.canSeeImages === false ? 0 : MAX_REQUEST_IMAGES;
    const read: HistoryTurn[] = [];
    for (const turn of [...turns].reverse()) {
      const images: ChatImage[] = [];
      for (const attachment of turn.attachments ?? []) {
        if (attachment.kind !== 'image' || room <= 0) continue;
        // A copy that is gone costs the model the picture, and nobody the question.
        const loaded = await ports.images.read(id, attachment, signal);
        if (loaded.ok) images.push(loaded.image);
        room -= 1;
      }
      read.unshift(images.length === 0 ? turn : { ...turn, images });
    }
    return read;
  }

  return { readFor, history };
}
