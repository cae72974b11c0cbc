import { Icon } from '@vicinae/api';

import type { TurnState } from '../lib/types';

/**
 * Every icon Lam shows. The package types more names than the launcher has pictures for (Document, Globe, Gear and
 * others draw nothing, without an error), so only names found in both are here, and nothing else names an icon.
 */
export const ICONS = {
  ask: Icon.SpeechBubble,
  attach: Icon.Paperclip,
  back: Icon.Reply,
  book: Icon.Book,
  check: Icon.WrenchScrewdriver,
  chosen: Icon.CheckCircle,
  conversations: Icon.BulletPoints,
  copy: Icon.CopyClipboard,
  delete: Icon.Trash,
  duplicate: Icon.NewDocument,
  documents: Icon.Folder,
  earlier: Icon.ArrowLeft,
  edit: Icon.Pencil,
  evidence: Icon.MagnifyingGlass,
  export: Icon.Download,
  hide: Icon.EyeDisabled,
  import: Icon.Upload,
  later: Icon.ArrowRight,
  model: Icon.ComputerChip,
  new: Icon.Plus,
  noText: Icon.BlankDocument,
  open: Icon.Text,
  pin: Icon.Pin,
  preferences: Icon.Cog,
  quote: Icon.QuoteBlock,
  resume: Icon.Play,
  restore: Icon.Undo,
  retry: Icon.ArrowClockwise,
  server: Icon.Plug,
  show: Icon.Eye,
  source: Icon.Link,
  stop: Icon.Stop,
  trash: Icon.Tray,
  unpin: Icon.PinDisabled,
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
