import * as z from 'zod/mini';

import type { Turn } from '../lib/types';
import { fromAsset } from './asset-file';
import type { TitleFacts } from './title';

type TitleFor = (facts: TitleFacts, turn: Turn, signal: AbortSignal) => Promise<string | undefined>;

const FileSchema = z.object({
  titleFor: z.custom<TitleFor>((value) => typeof value === 'function'),
});

/** Titles from `assets/providers.js`. Without a usable file there is none, and the question stays the title. */
export function lazyTitle(
  assetsPath: string,
  facts: TitleFacts,
): (turn: Turn, signal: AbortSignal) => Promise<string | undefined> {
  return async (turn, signal) => {
    const loaded = fromAsset(assetsPath, 'providers.js', FileSchema, ({ titleFor }) => titleFor);
    return loaded.ok ? await loaded.value(facts, turn, signal) : undefined;
  };
}
