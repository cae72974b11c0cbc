import { parseArgs } from 'node:util';

/** What `npm run demo` was asked to do. */
export type DemoOptions =
  | { kind: 'scripted' }
  | { kind: 'help'; usage: string }
  | {
      kind: 'real';
      preferences: Record<string, string>;
      question: string;
    };

const USAGE = `npm run demo
    plays the main job against a model server and a web site of its own: no key, no network

npm run demo -- --provider ollama|openai [--base-url URL] [--model NAME] [--searxng URL] "question"
    does the same against a real server; the key is read from LAM_API_KEY`;

/** Reads the command line. Throws an `Error` whose message is for the person who typed it. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): DemoOptions {
  const { values, positionals } = parse(args);
  if (values.help === true) return { kind: 'help', usage: USAGE };
  if (Object.keys(values).length === 0 && positionals.length === 0) return { kind: 'scripted' };
  if (values.provider !== 'ollama' && values.provider !== 'openai')
    throw new Error(`--provider must be ollama or openai.\n\n${USAGE}`);
  if (values.provider === 'openai' && values['base-url'] === undefined)
    throw new Error(`--provider openai needs --base-url.\n\n${USAGE}`);
  const question = positionals.join(' ').trim();
  if (question === '') throw new Error(`There is no question.\n\n${USAGE}`);
  return {
    kind: 'real',
    question,
    preferences: {
      modelServer: values.provider === 'ollama' ? 'ollama' : 'openai-compatible',
      address: values['base-url'] ?? '',
      model: values.model ?? '',
      searxngUrl: values.searxng ?? '',
      apiKey: env['LAM_API_KEY'] ?? '',
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        provider: { type: 'string' },
        'base-url': { type: 'string' },
        model: { type: 'string' },
        searxng: { type: 'string' },
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, {
      cause: error,
    });
  }
}
