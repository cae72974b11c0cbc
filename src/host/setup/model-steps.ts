import type { ChatRequest, Failure, FailureKind, ModelInfo, RequestedCall } from '../../lib/types';
import type { Preferences } from '../preferences';
import type { ServerPorts } from '../providers/server';
import { DIALECTS, parseBaseUrl } from '../providers/base-url';
import { parseJson } from '../providers/lenient';
import { FIRST_MODEL, remedyFor } from './first-run';
import { cutTo, shownAddress } from './secrets';
import type { Finding } from './steps';

/** UTF-16 units of an answer after which it is clear that the model answers. */
const ENOUGH_CHARS = 200;

/** Code points of an answer that are shown: the model was asked for one word. */
const SHOWN_ANSWER_CHARS = 40;

/** Longest model name that is shown, in code points. */
const SHOWN_NAME_CHARS = 80;

/** The word that the model is asked to hand to the tool. */
const WORD = 'lighthouse';

const TOOL = {
  name: 'repeat_word',
  description: 'Repeats one word. Call it with the word you were given.',
  parameters: {
    type: 'object',
    properties: { word: { type: 'string', description: 'The word to repeat.' } },
    required: ['word'],
  },
};

/** A finding, and what the following steps need of it; without it they are left out. */
interface Step<T> {
  finding: Finding;
  next?: T;
}

interface ModelPorts extends ServerPorts {
  settings: Preferences;
  /** See `CheckOptions`. */
  isChosen?: boolean | undefined;
}

const name = (model: string) => cutTo(model, SHOWN_NAME_CHARS);

/** A failure in the words of the provider, with the command that puts it right. */
function failed(failure: Failure, settings: Preferences): Finding {
  const { description, command, actions } = remedyFor(failure, settings);
  const isPreference = actions[0] === 'preferences';
  return { state: 'failed', said: description, command, isPreference };
}

/** What servers answer that have no list of models but may well have the model. */
const WITHOUT_LIST: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'wrong-address',
  'not-json',
  'bad-request',
  'server-error',
]);

/** Whether the server answers. A model that is set is asked even when the server cannot list what it has. */
export async function checkServer(
  { server, settings }: ModelPorts,
  signal: AbortSignal,
): Promise<Step<{ models?: ModelInfo[] }>> {
  const listed = await server.listModels(signal);
  if (listed.ok)
    return {
      finding: { state: 'ok', said: `${serverName(settings)} answers.` },
      next: { models: listed.models },
    };
  const finding = failed(listed.failure, settings);
  const mayAnswer = settings.model !== '' && WITHOUT_LIST.has(listed.failure.kind);
  return mayAnswer
    ? {
        finding: {
          ...finding,
          state: 'warning',
          said: `Its models cannot be listed: ${finding.said}`,
        },
        next: {},
      }
    : { finding };
}

function serverName({ modelServer, address }: Preferences): string {
  const parsed = parseBaseUrl(address, DIALECTS[modelServer]);
  const kinds = { ollama: 'Ollama', 'openai-compatible': 'The server', anthropic: 'The server' };
  return `${kinds[modelServer]} at ${parsed.ok ? parsed.address.origin : shownAddress(address)}`;
}

/** Which model is asked, and whether the server has it. */
export function checkModel(
  { chooseModel, settings, isChosen = false }: ModelPorts,
  models: readonly ModelInfo[] | undefined,
): Step<ModelInfo> {
  const { model: wanted, modelServer } = settings;
  if (models === undefined)
    return {
      finding: {
        state: 'warning',
        said: `${name(wanted)} is ${isChosen ? 'chosen in the chat' : 'set in the preferences'}; whether the server has it shows the next step.`,
      },
      next: { id: wanted },
    };
  const chosen = chooseModel(models, wanted === '' ? undefined : wanted);
  if (!chosen.ok) return { finding: failed(chosen.failure, settings) };
  const { model } = chosen;
  const about = models.find(({ id }) => id === model);
  const count = `${models.length} model${models.length === 1 ? '' : 's'}`;
  if (about === undefined) {
    const { description, command } = remedyFor(
      {
        kind: 'model-not-found',
        message:
          models.length === 0
            ? `The server lists no models; ${name(model)} is set in the preferences.`
            : `The server lists ${count}, but not ${name(model)}.`,
      },
      settings,
    );
    const advice =
      modelServer === 'ollama'
        ? `Get it with \`ollama pull ${name(model)}\`, or correct the preference Model.`
        : 'Correct the preference Model if the next step fails.';
    return {
      finding: { state: 'warning', said: description, advice, command, isPreference: true },
      next: { id: model },
    };
  }
  const why =
    wanted === ''
      ? `of ${count}, as the preference Model is empty`
      : isChosen
        ? 'the one that the chat asks'
        : 'as set in the preferences';
  return { finding: { state: 'ok', said: `${name(model)}, ${why}.` }, next: about };
}

/** What came of a request so far; filled while it runs, so that a limit finds what there is. */
export interface Heard {
  text: string;
  hasReasoned: boolean;
  calls: RequestedCall[];
  failure?: Failure;
  /** Milliseconds since the epoch of the first word of the answer. */
  firstAt?: number;
}

export const nothingHeard = (): Heard => ({ text: '', hasReasoned: false, calls: [] });

/** Asks the model and notes what it says. Ends early once the text is long enough to tell. */
export async function listen(
  { server }: Pick<ModelPorts, 'server'>,
  request: ChatRequest,
  { heard, now, signal }: { heard: Heard; now: () => number; signal: AbortSignal },
): Promise<void> {
  for await (const event of server.stream(request, signal)) {
    switch (event.type) {
      case 'text-delta':
        heard.firstAt ??= now();
        heard.text += event.text;
        break;
      case 'reasoning-delta':
        heard.hasReasoned = true;
        break;
      case 'tool-call':
        heard.calls.push(event.call);
        break;
      case 'error':
        heard.failure = event.failure;
        break;
      case 'source':
      case 'usage':
      case 'end':
        break;
    }
    if (heard.text.length > ENOUGH_CHARS) return;
  }
}

/** One word is asked for: whether text streams. */
export const answerRequest = (model: string): ChatRequest => ({
  model,
  messages: [
    { role: 'user', content: 'This is a test of the connection. Answer with the one word: ready' },
  ],
  tools: [],
});

/**
 * What the answer says about the model.
 *
 * @param startedAt milliseconds since the epoch at which it was asked
 * @param seconds the limit that was reached; absent if it answered to the end
 */
export function judgeAnswer(
  heard: Heard,
  settings: Preferences,
  { model, startedAt, seconds }: { model: string; startedAt: number; seconds?: number | undefined },
): Finding {
  const text = heard.text.trim();
  if (text !== '') {
    const first = ((heard.firstAt ?? startedAt) - startedAt) / 1000;
    const said = `${name(model)} began to answer after ${first.toFixed(1)} s: “${cutTo(text, SHOWN_ANSWER_CHARS)}”`;
    if (heard.failure) return { ...failed(heard.failure, settings), state: 'warning' };
    return { state: 'ok', said };
  }
  if (heard.failure) return failed(heard.failure, settings);
  if (heard.hasReasoned)
    return {
      state: 'warning',
      said:
        seconds === undefined
          ? `${name(model)} thought and then wrote no answer.`
          : `${name(model)} was still thinking after ${seconds} seconds.`,
      advice: 'It works, but a smaller model, or one that does not think first, answers sooner.',
    };
  return seconds === undefined
    ? {
        state: 'failed',
        said: `${name(model)} sent an empty answer.`,
        advice: 'Run the check again, or choose another model in the preferences.',
        isPreference: true,
      }
    : {
        state: 'failed',
        said: `${name(model)} sent nothing for ${seconds} seconds.`,
        advice: 'A large model may still be loading: run the check again, or choose a smaller one.',
      };
}

/** The tiny tool is offered, and the model told to call it. */
export const toolRequest = (model: string): ChatRequest => ({
  model,
  messages: [
    {
      role: 'user',
      content: `This is a test. Call the tool ${TOOL.name} with the word "${WORD}". Do not answer yourself.`,
    },
  ],
  tools: [TOOL],
});

/** Said by the server's list: nothing needs to be asked. */
export const cannotCallTools = (model: string): Finding => ({
  state: 'warning',
  said: `${name(model)} cannot call tools, so Lam searches with your question before it answers, and cannot read pages on its own.`,
  advice: TOOLS_ADVICE,
  isPreference: true,
});

const TOOLS_ADVICE = `For better answers choose a model that can call tools, such as ${FIRST_MODEL}.`;

/** What the model made of the tool. Parameters as in `judgeAnswer`. */
export function judgeToolCall(
  heard: Heard,
  settings: Preferences,
  { model, seconds }: { model: string; seconds?: number | undefined },
): Finding {
  const { failure, calls, text } = heard;
  if (calls.length > 0) {
    const isProper = calls.some((call) => call.name === TOOL.name && wordOf(call) === WORD);
    return isProper
      ? { state: 'ok', said: `${name(model)} calls tools properly.` }
      : {
          state: 'warning',
          said: `${name(model)} called a tool, but not the right one with the word it was given.`,
          advice: TOOLS_ADVICE,
          isPreference: true,
        };
  }
  if (failure?.kind === 'no-tools')
    return {
      ...failed(failure, settings),
      state: 'warning',
      advice: 'Until then Lam searches with your question before the model answers.',
      isPreference: true,
    };
  if (failure) return failed(failure, settings);
  if (seconds !== undefined && text.trim() === '')
    return {
      state: 'warning',
      said: `${name(model)} had not called the tool after ${seconds} seconds.`,
      advice: 'Run the check again, or choose a smaller model.',
    };
  return {
    state: 'warning',
    said: `${name(model)} answered without calling the tool, so it may answer without searching.`,
    advice: TOOLS_ADVICE,
    isPreference: true,
  };
}

function wordOf({ arguments: given }: RequestedCall): string {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (typeof value !== 'object' || value === null || !('word' in value)) return '';
  return typeof value.word === 'string' ? value.word.trim().toLowerCase() : '';
}
