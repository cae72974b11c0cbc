import { useEffect, type ReactNode } from 'react';

import { ErrorBoundary } from './error-boundary';

/** What is put on top of another view. `onGone` is called when it has left the screen. */
export function Pushed({ onGone, children }: { onGone: () => void; children: ReactNode }) {
  useEffect(() => onGone, [onGone]);
  return <ErrorBoundary>{children}</ErrorBoundary>;
}
