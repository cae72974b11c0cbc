/** A host that runs a built command the way the launcher does, without a screen. */
export { openPane, Pane } from './pane';
export type { OpenPaneOptions, PaneList } from './pane';
export type { PaneHazards } from './hazards';
export type { PaneAlert, PaneClipboard, PaneToast } from './launcher';
export type { MarkdownFrame, MarkdownReset } from './markdown-log';
export type { PaneNode } from './protocol';
export type { PaneAccessory, PaneAction, PaneField, PaneItem } from './tree';
export type { PaneRejection } from './view-stack';
