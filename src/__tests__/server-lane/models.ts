import { tinyModel } from './tiny-model';

/** Each server of the lane: the one sentence of its model, and how it is started. */
export const SERVERS = {
  sentence: {
    says: ['The', ' sea', ' is', ' salty', ' because', ' rivers', ' bring', ' it', ' salt', '.'],
    contextTokens: 2_048,
    args: [],
  },
  thinker: {
    says: ['<think>\n', 'Sea', ' water', '?', '\n</think>\n\n', 'Rivers', ' bring', ' it', '.'],
    contextTokens: 2_048,
    args: [],
  },
  caller: {
    says: [
      ...['<tool_call>\n', '{"name": "', 'web_search', '", "arguments": ', '{"query": "', 'why'],
      ...[' is', ' the', ' sea', ' salty', '"}', '}', '\n</tool_call>'],
    ],
    contextTokens: 2_048,
    args: [],
  },
  /** A context that is soon full, answers of eight tokens unless more are asked for, and a key. */
  small: {
    says: ['wave', ' after', ' wave,'],
    forever: true,
    contextTokens: 256,
    args: ['--predict', '8', '--api-key', 'open-sesame'],
  },
  endless: {
    says: ['wave', ' after', ' wave,'],
    forever: true,
    contextTokens: 16_384,
    args: [],
  },
} satisfies Record<string, Parameters<typeof tinyModel>[0] & { args: readonly string[] }>;

export type ServerName = keyof typeof SERVERS;

/** The model file of a server. */
export function modelFile(name: ServerName): Buffer {
  return tinyModel(SERVERS[name]);
}
