import { createRequire } from 'node:module';
import { resolve } from 'node:path';

import * as z from 'zod/mini';

import type { OfficeReading } from '../../host/web/office-reader';

type ReadOffice = (bytes: Uint8Array, kind: 'docx' | 'odt' | 'epub') => Promise<OfficeReading>;

/** The function of the built `assets/page.js`: its source needs the types of a browser, which tests do without. */
export const { readOffice } = z
  .object({ readOffice: z.custom<ReadOffice>((value) => typeof value === 'function') })
  .parse(createRequire(resolve('assets/page.js'))('./page.js'));
