import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { createImageStore } from '../host/attachments/images';
import { AttachmentSchema } from '../lib/schemas';
import { tempFolders } from './support/temp-folder';

const tempFolder = tempFolders();
const attachmentsFolder = (support: string, id: string) => join(support, 'attachments', id);
const live = (): AbortSignal => new AbortController().signal;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n…', 'latin1');
const JPEG = Buffer.from('\xff\xd8\xff\xe0 JFIF', 'latin1');

function image(name: string, content: Uint8Array = PNG): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, content);
  return path;
}

async function kept(
  store: ReturnType<typeof createImageStore>,
  path: string,
  id = 'tea',
): ReturnType<typeof store.keep> {
  return await store.keep(id, path, live());
}

/** Keeps an image and gives what stands in the record. */
async function attached(store: ReturnType<typeof createImageStore>, path: string, id = 'tea') {
  const outcome = await kept(store, path, id);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.attachment;
}

describe('keeping an image', () => {
  it('copies it for its owner alone, named after its content', async () => {
    const support = tempFolder();
    const path = image('leaf.PNG');
    const attachment = await attached(createImageStore(support), path);
    const copy = expect.stringMatching(/^[0-9a-f]{24}\.png$/) as string;
    expect(attachment).toEqual({
      kind: 'image',
      name: 'leaf.PNG',
      path,
      size: PNG.length,
      mediaType: 'image/png',
      copy,
    });
    expect(AttachmentSchema.safeParse(attachment).success).toBe(true);
    const folder = attachmentsFolder(support, 'tea');
    expect(readdirSync(folder)).toEqual([attachment.copy]);
    const file = join(folder, attachment.copy);
    expect(readFileSync(file).equals(PNG)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const each of [folder, join(support, 'attachments')])
      expect(statSync(each).mode & 0o777).toBe(0o700);
  });

  it('makes one copy of the same image, and one for each conversation', async () => {
    const support = tempFolder();
    const store = createImageStore(support);
    const [one, two] = [image('a.png'), image('b.png')];
    const first = await attached(store, one);
    expect((await attached(store, two)).copy).toBe(first.copy);
    expect((await attached(store, image('c.jpg', JPEG))).copy).not.toBe(first.copy);
    expect((await attached(store, one, 'milk')).copy).toBe(first.copy);
    expect(readdirSync(attachmentsFolder(support, 'tea'))).toHaveLength(2);
    expect(readdirSync(attachmentsFolder(support, 'milk'))).toHaveLength(1);
  });

  it('leaves whole copies when many are made at once', async () => {
    const support = tempFolder();
    const store = createImageStore(support);
    const path = image('a.png');
    const copies = await Promise.all(Array.from({ length: 8 }, () => attached(store, path)));
    expect(new Set(copies.map(({ copy }) => copy)).size).toBe(1);
    expect(readdirSync(attachmentsFolder(support, 'tea'))).toEqual([copies[0]?.copy]);
  });

  it.each<[name: string, path: () => string, message: string]>([
    ['gone', () => join(tempFolder(), 'a.png'), 'a.png is not there any more.'],
    ['a folder', () => tempFolder(), ' is a folder; attach the files in it.'],
    [
      'no image any more',
      () => image('a.png', Buffer.from('Tea')),
      'a.png is no PNG, JPEG, GIF or WebP image any more.',
    ],
    [
      'larger by now',
      () => {
        const path = image('a.png');
        truncateSync(path, 3_932_161);
        return path;
      },
      'a.png is larger than 3.75 MB, the most that model servers take of an image; attach a smaller copy.',
    ],
  ])('says what is wrong with one that is %s', async (_name, path, message) => {
    const support = tempFolder();
    const outcome = await kept(createImageStore(support), path());
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining(message) as string });
    expect(readdirSync(support)).toEqual([]);
  });

  it('says what is wrong with the folder', async () => {
    const support = tempFolder();
    writeFileSync(join(support, 'attachments'), '');
    expect(await kept(createImageStore(support), image('a.png'))).toMatchObject({
      message: expect.stringMatching(
        /^a\.png could not be copied into Lam's folder \((?:ENOTDIR|EEXIST)\)\.$/,
      ) as string,
    });
  });

  it('ends with a stop', async () => {
    const store = createImageStore(tempFolder());
    expect(await store.keep('tea', image('a.png'), AbortSignal.abort())).toEqual({
      ok: false,
      message: 'The reading of a.png was stopped.',
    });
  });
});

describe('reading a copy', () => {
  it('gives what a model server takes, whatever became of the file', async () => {
    const store = createImageStore(tempFolder());
    const path = image('a.jpg', JPEG);
    const attachment = await attached(store, path);
    rmSync(path);
    expect(await store.read('tea', attachment, live())).toEqual({
      ok: true,
      image: { mediaType: 'image/jpeg', data: JPEG.toString('base64') },
    });
  });

  const UNREADABLE = "Lam's copy of the image a.png cannot be read; attach it again.";
  it.each<[name: string, harm: (file: string) => void]>([
    [
      'is gone',
      (file) => {
        rmSync(file);
      },
    ],
    [
      'is empty',
      (file) => {
        writeFileSync(file, '');
      },
    ],
    [
      'is no image',
      (file) => {
        writeFileSync(file, 'Tea');
      },
    ],
    [
      'has grown',
      (file) => {
        truncateSync(file, 3_932_161);
      },
    ],
    [
      'is a link to something else',
      (file) => {
        rmSync(file);
        symlinkSync(image('secret.png'), file);
      },
    ],
    [
      'is a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('says so if it %s', async (_name, harm) => {
    const support = tempFolder();
    const store = createImageStore(support);
    const attachment = await attached(store, image('a.png'));
    harm(join(attachmentsFolder(support, 'tea'), attachment.copy));
    expect(await store.read('tea', attachment, live())).toEqual({ ok: false, message: UNREADABLE });
  });

  it.each<[id: string, copy: string | undefined]>([
    ['tea', undefined],
    ['tea', ''],
    ['tea', '../secret.png'],
    ['tea', '/etc/passwd'],
    ['tea', `${'a'.repeat(24)}.png/../x`],
    ['tea', `${'a'.repeat(24)}.svg`],
    ['..', `${'a'.repeat(24)}.png`],
    ['../conversations', `${'a'.repeat(24)}.png`],
    ['', `${'a'.repeat(24)}.png`],
  ])('follows no name that Lam does not make: %j %j', async (id, copy) => {
    const support = tempFolder();
    writeFileSync(join(support, 'secret.png'), PNG);
    writeFileSync(join(support, `${'a'.repeat(24)}.png`), PNG);
    mkdirSync(attachmentsFolder(support, 'tea'), { recursive: true });
    const attachment = { name: 'a.png', ...(copy === undefined ? {} : { copy }) };
    expect(await createImageStore(support).read(id, attachment, live())).toEqual({
      ok: false,
      message: 'Lam has no copy of the image a.png; attach it again.',
    });
  });

  it('and no conversation that is none gets a copy', async () => {
    const support = tempFolder();
    chmodSync(support, 0o700);
    expect(await kept(createImageStore(support), image('a.png'), '../tea')).toEqual({
      ok: false,
      message: 'a.png belongs to no conversation.',
    });
    expect(readdirSync(support)).toEqual([]);
  });
});
