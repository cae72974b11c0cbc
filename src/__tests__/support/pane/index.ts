/** A host that runs a built command the way the launcher does, without a screen. */
export { openPane, Pane } from './pane';
export { checkShortcuts } from './action-check';
export type { OpenPaneOptions, PaneForm, PaneList } from './pane';
export type { PaneDropdown, PaneOption } from './dropdown';
export type { PaneField } from './form-state';
export type { PaneHazards } from './hazards';
export type { PaneAlert, PaneClipboard, PaneToast } from './launcher';
export type { MarkdownFrame, MarkdownReset } from './markdown-log';
export type { PaneNode } from './protocol';
export type { PaneAccessory, PaneAction, PaneItem } from './tree';
export type { PaneRejection } from './view-stack';
