import { showToast, Toast } from '@vicinae/api';

import { inertText } from '../lib/render';

/** One short message in the launcher's status bar. It stands two seconds; nothing important may live only there. */
export interface Notice {
  style: 'success' | 'failure';
  title: string;
  message?: string;
}

/** Shows a notice. Never throws and never rejects: a toast that cannot be shown is not worth a crashed command. */
export function notify(notice: Notice): void {
  try {
    showToast({
      style: notice.style === 'success' ? Toast.Style.Success : Toast.Style.Failure,
      title: inertText(notice.title),
      message: notice.message === undefined ? undefined : inertText(notice.message),
    }).catch(() => undefined);
  } catch {
    // The API is gone once the command is being unloaded; there is nobody left to tell.
  }
}

/**
 * Turns a handler that may throw or reject into one that tells the person instead. The launcher ends a command whose
 * handler throws, so every `onAction` goes through here. `label` finishes the sentence "Could not …".
 */
export function guarded(label: string, action: () => unknown): () => void {
  const report = (error: unknown) => {
    notify({
      style: 'failure',
      title: `Could not ${label}`,
      message: error instanceof Error ? error.message : undefined,
    });
  };
  return () => {
    try {
      Promise.resolve(action()).catch(report);
    } catch (error) {
      report(error);
    }
  };
}
