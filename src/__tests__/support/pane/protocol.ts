import * as z from 'zod/mini';

/** One element of a view as the launcher receives it. Function props arrive as handler names (`handler-1`). */
export interface PaneNode {
  type: string;
  props: Record<string, unknown>;
  children: PaneNode[];
}

const PaneNodeSchema: z.ZodMiniType<PaneNode> = z.object({
  type: z.string(),
  props: z.record(z.string(), z.unknown()),
  children: z.array(z.lazy(() => PaneNodeSchema)),
});

/** What a frame's JSON holds: one entry a pushed view, bottom first; `null` while a view draws nothing. */
export const FrameSchema = z.object({ views: z.array(z.nullable(PaneNodeSchema)) });

/** Handed to the worker at its start. */
export const LaunchSchema = z.object({
  projectDir: z.string(),
  bundlePath: z.string(),
  environ: z.record(z.string(), z.unknown()),
  preferences: z.record(z.string(), z.unknown()),
  launchProps: z.record(z.string(), z.unknown()),
});
export type Launch = z.infer<typeof LaunchSchema>;

/** Launcher to command. */
export const ToWorkerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response'), id: z.number(), value: z.unknown() }),
  z.object({ type: z.literal('failure'), id: z.number(), message: z.string() }),
  z.object({
    type: z.literal('activate'),
    call: z.number(),
    handler: z.string(),
    args: z.array(z.unknown()),
    /** Present for search-text events: how many the launcher has sent. */
    eventCount: z.optional(z.number()),
  }),
  z.object({ type: z.literal('pop-view'), call: z.number() }),
  z.object({ type: z.literal('unload') }),
]);
export type ToWorker = z.infer<typeof ToWorkerSchema>;

/** Command to launcher. */
export const FromWorkerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('frame'),
    json: z.string(),
    /** Search-text events the command had seen when this frame was committed; older text must not win. */
    eventCount: z.number(),
  }),
  z.object({
    type: z.literal('request'),
    id: z.number(),
    endpoint: z.string(),
    data: z.unknown(),
  }),
  /** The call's handler ran and what it changed at once has been posted. */
  z.object({ type: z.literal('handled'), call: z.number() }),
  z.object({ type: z.literal('unmounted') }),
]);
export type FromWorker = z.infer<typeof FromWorkerSchema>;
