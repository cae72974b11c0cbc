import type { DateParts } from './date';
import type { Reference } from './reference';

/** A date of CSL-JSON. */
interface CslDate {
  'date-parts': [number[]];
}

/** The fields of the CSL-JSON schema that Lam knows anything for. */
interface CslItem {
  id: string;
  type: 'webpage' | 'document';
  title?: string;
  'container-title'?: string;
  note?: string;
  URL?: string;
  issued?: CslDate;
  accessed?: CslDate;
}

const date = (parts: DateParts): CslDate => ({
  'date-parts': [parts.filter((part) => part !== undefined)],
});

/** An item of CSL-JSON. The `container-title` of a `webpage` is the site it stands on: its host is what is known of it. */
export function cslItem(reference: Reference, id: string): CslItem {
  const { title, issued, accessed } = reference;
  const known = {
    ...(issued ? { issued: date(issued) } : {}),
    ...(accessed ? { accessed: date(accessed) } : {}),
  };
  const named = title === undefined ? {} : { title };
  if (reference.kind === 'web') {
    const { host, url } = reference;
    return { id, type: 'webpage', ...named, 'container-title': host, URL: url, ...known };
  }
  const { fileName } = reference;
  const isFileTold = fileName !== '' && fileName !== title;
  return { id, type: 'document', ...named, ...(isFileTold ? { note: fileName } : {}), ...known };
}
