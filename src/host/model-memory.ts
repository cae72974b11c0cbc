import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod/mini';

import type { ModelMemory } from './session/models';
import { ensureFolder } from './store/record-file';

const ChoiceSchema = z.object({
  version: z.literal(1),
  /** Kind and address of the server it was chosen for. */
  server: z.string(),
  /** The preference at that moment: whoever changes it later means that. */
  preference: z.string(),
  model: z.string(),
});

/**
 * Keeps the model that was chosen in the window, in `<supportPath>/model.json`. It holds for the server it was chosen for, and
 * until the preference is changed. Written without waiting for the disk: a choice that is lost is made again.
 *
 * @param server kind and address of the model server; holds no secrets
 * @param preference the model that is set; '' = none
 */
export function createModelMemory(options: {
  supportPath: string;
  server: string;
  preference: string;
}): ModelMemory {
  const { supportPath, server, preference } = options;
  const path = join(supportPath, 'model.json');
  return {
    load() {
      try {
        const parsed = z.safeParse(ChoiceSchema, JSON.parse(readFileSync(path, 'utf8')));
        if (!parsed.success) return '';
        const { data } = parsed;
        return data.server === server && data.preference === preference ? data.model : '';
      } catch {
        return '';
      }
    },
    save(model) {
      try {
        if (model === '') {
          unlinkSync(path);
          return;
        }
        ensureFolder(supportPath);
        const text = `${JSON.stringify({ version: 1, server, preference, model })}\n`;
        writeFileAtomic.sync(path, text, { mode: 0o600, fsync: false });
      } catch {
        // The choice holds for this launch all the same.
      }
    },
  };
}
