import { Icon } from '@vicinae/api';

import type { TurnState } from '../lib/types';

/**
 * Every icon Lam shows. The package types more names than the launcher has pictures for (Document, Globe, Gear and
 * others draw nothing, without an error), so only names found in both are here, and nothing else names an icon.
 */
export const ICONS = {
  ask: Icon.SpeechBubble,
  back: Icon.Reply,
  book: Icon.Book,
  conversations: Icon.BulletPoints,
  copy: Icon.CopyClipboard,
  delete: Icon.Trash,
  hide: Icon.EyeDisabled,
  new: Icon.Plus,
  open: Icon.Text,
  preferences: Icon.Cog,
  resume: Icon.Play,
  retry: Icon.ArrowClockwise,
  server: Icon.Plug,
  show: Icon.Eye,
  source: Icon.Link,
  stop: Icon.Stop,
  waiting: Icon.Hourglass,
  warning: Icon.Warning,
} as const;

/** What a row's icon says about its exchange. */
export const STATE_ICONS: Record<TurnState, Icon> = {
  running: Icon.CircleProgress,
  done: Icon.CheckCircle,
  stopped: Icon.Stop,
  failed: Icon.XMarkCircle,
  interrupted: Icon.Warning,
};
