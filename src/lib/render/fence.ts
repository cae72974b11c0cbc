import type { Scan } from '../code';

/** A code fence that is open at the end of a text: its character and the length of its run. */
export interface Fence {
  marker: string;
  length: number;
}

/** The top-level fence that a piece opens in its first line and does not close. */
export function openFence({ text, tree }: Scan): Fence | undefined {
  const code = tree.children.find((child) => child.type !== 'linePrefix');
  if (code?.type !== 'codeFenced' || text.lastIndexOf('\n', code.start - 1) >= 0) return undefined;
  const fences = code.children.filter((child) => child.type === 'codeFencedFence');
  const run = fences[0]?.children.find((child) => child.type === 'codeFencedFenceSequence');
  if (fences.length !== 1 || !run) return undefined;
  return { marker: text.charAt(run.start), length: run.end - run.start };
}

/** Whether `line` (without its line ending) closes `fence`: at most three spaces before it, spaces and tabs behind it. */
export function closesFence(line: string, fence: Fence): boolean {
  const run = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return run !== undefined && run.startsWith(fence.marker) && run.length >= fence.length;
}
