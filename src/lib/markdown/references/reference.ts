import type { DateParts } from './date';

interface Known {
  /** Absent where the page has none of its own. */
  title?: string | undefined;
  /** The day it was read, in UTC. */
  accessed?: DateParts | undefined;
  /** When it says it was published. */
  issued?: DateParts | undefined;
}

/** A cited page or document, as far as it is known. */
export type Reference =
  | (Known & {
      kind: 'web';
      url: string;
      /** As in the address: ASCII, lower case. */ host: string;
    })
  | (Known & { kind: 'document'; fileName: string });
