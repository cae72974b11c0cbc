import { notify } from '../../host/toast';
import type { PlainText } from '../../lib/render';
import type { Outcome } from './port';

/**
 * Says what became of something that was done to a conversation; true unless it failed.
 *
 * @param done what is said of a success: a title, and what else there is to know
 * @param failed title of a failure: "Not renamed"
 */
export function told(
  outcome: Outcome,
  done: { title: PlainText; message?: PlainText },
  failed: PlainText,
): boolean {
  switch (outcome.kind) {
    case 'failed':
      notify({ style: 'failure', title: failed, message: outcome.message });
      return false;
    case 'closed':
      return false;
    case 'done':
    case 'deleted':
      notify({ style: 'success', ...done });
      return true;
  }
}
