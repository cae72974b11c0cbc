import * as z from 'zod/mini';

import type { ChatEvent, Failure } from '../../lib/types';
import type { ModelServer } from './models';
import { fromAsset, type Loaded } from '../asset-file';
import type { ModelServerOptions, ServerPorts } from './server';

export type { ModelServer } from './models';

const isFunction = (value: unknown): boolean => typeof value === 'function';

const PortsSchema = z.object({
  server: z.object({
    stream: z.custom<ModelServer['stream']>(isFunction),
    listModels: z.custom<ModelServer['listModels']>(isFunction),
  }),
  chooseModel: z.custom<ServerPorts['chooseModel']>(isFunction),
});

const FileSchema = z.object({
  createModelServer: z.custom<(options: ModelServerOptions) => unknown>(isFunction),
});

/**
 * The model server of the preferences, from `assets/providers.js`: the file is loaded with the first question or the first
 * look at the list of models, which is after the first frame.
 *
 * The contract is that of `ModelServer`: without a usable file every stream is one `error` event and every list a failure that
 * says what to do, and the next use looks again.
 */
export function lazyModelServer({
  assetsPath,
  ...options
}: ModelServerOptions & { assetsPath: string }): ServerPorts {
  let ports: ServerPorts | undefined;
  const loaded = (): Loaded<ServerPorts> => {
    if (ports !== undefined) return { ok: true, value: ports };
    const outcome = fromAsset(assetsPath, 'providers.js', FileSchema, ({ createModelServer }) => {
      const made = PortsSchema.safeParse(createModelServer(options));
      return made.success ? made.data : undefined;
    });
    if (outcome.ok) ports = outcome.value;
    return outcome;
  };
  return {
    server: {
      stream(request, signal) {
        const outcome = loaded();
        return outcome.ok
          ? outcome.value.server.stream(request, signal)
          : failedStream(outcome.failure);
      },
      async listModels(signal) {
        const outcome = loaded();
        return outcome.ok ? await outcome.value.server.listModels(signal) : outcome;
      },
    },
    chooseModel(models, wanted) {
      const outcome = loaded();
      return outcome.ok ? outcome.value.chooseModel(models, wanted) : outcome;
    },
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- the contract is an AsyncIterable
async function* failedStream(failure: Failure): AsyncGenerator<ChatEvent> {
  yield { type: 'error', failure };
}
