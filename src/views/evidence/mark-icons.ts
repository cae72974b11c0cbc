import type { Icon } from '@vicinae/api';

import type { RowMark } from '../../host/evidence/lazy-evidence';
import { ICONS, STATE_ICONS } from '../icons';

/** Only a quotation that was found word for word has the tick: everything else is for the reader to judge. */
export const MARK_ICONS: Record<RowMark, Icon> = {
  verified: ICONS.chosen,
  close: ICONS.warning,
  'not-found': STATE_ICONS.failed,
  'not-kept': ICONS.hide,
  passage: ICONS.open,
  'no-passage': ICONS.noText,
  unread: ICONS.source,
  'no-number': ICONS.warning,
  'no-source': ICONS.stop,
};
