import { createRequire } from 'node:module';
import * as z from 'zod/mini';

import type { SniffHtmlCharset } from './charset';

const ModuleSchema = z.object({
  sniffHtmlCharset: z.custom<(bytes: Uint8Array) => unknown>(
    (value) => typeof value === 'function',
  ),
});
const CharsetSchema = z.optional(z.string());

/**
 * The sniffer in `assets/charset.js`, whose tables of encodings only pages without a charset in their header need. The
 * file is loaded with the first such page. Never throws: a file that is missing or broken declares nothing, so that the
 * page is read by the charset its bytes suggest.
 */
export function loadCharsetSniffer(assetsPath: string): SniffHtmlCharset {
  let loaded: ((bytes: Uint8Array) => unknown) | undefined;
  return (bytes) => {
    try {
      loaded ??= load(assetsPath);
      return CharsetSchema.parse(loaded(bytes));
    } catch {
      loaded = () => undefined;
      return undefined;
    }
  };
}

function load(assetsPath: string): (bytes: Uint8Array) => unknown {
  const loaded: unknown = createRequire(`${assetsPath}/`)('./charset.js');
  return ModuleSchema.parse(loaded).sniffHtmlCharset;
}
