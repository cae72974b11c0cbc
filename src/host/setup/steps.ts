/** What is checked, in this order. */
export const STEP_IDS = ['server', 'model', 'answer', 'tools', 'search', 'fetch'] as const;

export type StepId = (typeof STEP_IDS)[number];

/** What a row shows. */
export const STEP_TITLES = {
  server: 'Model server',
  model: 'Model',
  answer: 'Answer',
  tools: 'Tool calls',
  search: 'Search',
  fetch: 'Reading a page',
} as const satisfies Record<StepId, string>;

/** What one step has shown. Texts are plain: one line, without secrets. */
export interface Finding {
  /** `warning`: Lam works, but less well than it could. */
  state: 'ok' | 'warning' | 'failed';
  /** What was found, or what is wrong and, where that is all there is to say, what to do. */
  said: string;
  /** One sentence more about what to do. */
  advice?: string | undefined;
  /** A command for a terminal that puts it right. */
  command?: string | undefined;
  /** True when it is put right in the preferences. */
  isPreference?: boolean | undefined;
}

/** One row of the check. */
export interface SetupStep extends Omit<Finding, 'state'> {
  id: StepId;
  state: 'waiting' | 'running' | 'skipped' | Finding['state'];
  /** Milliseconds it took; only of a step that ran to its end. */
  ms?: number;
}

/** The check as far as it is. */
export interface SetupProgress {
  steps: readonly SetupStep[];
  /** All of it as Markdown, for an issue or a mail. No secrets. */
  report: string;
  /** False while steps wait or run. */
  isDone: boolean;
}
