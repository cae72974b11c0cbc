import * as z from 'zod/mini';

/**
 * A field that may be missing, null or of another type than documented: anything unusable reads as undefined, so that
 * one odd field never costs the chunk it stands in.
 */
export function maybe<T extends z.ZodMiniType>(schema: T) {
  return z.catch(z.optional(schema), undefined);
}

/** A number of tokens: anything but a whole number above 0 reads as undefined. Some servers say 0, or -1, for "unknown". */
export const tokenCount = maybe(z.int().check(z.positive()));

/** The parsed JSON, or undefined if the text is none. (JSON itself has no undefined.) */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
