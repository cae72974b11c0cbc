import { open } from '@vicinae/api';

/** Opens an address or a local file with the default application. The caller has checked that it may be opened. */
export function openTarget(target: string): Promise<void> {
  return open(target);
}
