import type { Failure } from '../../lib/types';
import type { Preferences } from '../preferences';

/**
 * The model that a newcomer is told to get: it calls tools, answers in most languages, is a download of some 2.5 GB and runs
 * on a laptop without a graphics card.
 */
export const FIRST_MODEL = 'qwen3:4b';

/** What a person can do about a failure, by the action that does it. */
type RemedyAction = 'copyCommand' | 'preferences' | 'checkServer';

/** A failure of the model server for somebody who has just installed Lam. */
export interface Remedy {
  /** A few words for a heading. */
  title: string;
  /** What is wrong and what to do, plain text of a few sentences. */
  description: string;
  /** What to run in a terminal; safe to paste there. */
  command?: string;
  /** What puts it right, most likely first. */
  actions: RemedyAction[];
}

/** Preferences that decide what a failure means. */
export type RemedySettings = Pick<Preferences, 'modelServer' | 'address' | 'model'>;

/** Where keys are made, by the host of the server. */
const KEY_PAGES: Record<string, string> = {
  'api.anthropic.com': 'console.anthropic.com/settings/keys',
  'api.openai.com': 'platform.openai.com/api-keys',
  'openrouter.ai': 'openrouter.ai/settings/keys',
  'api.groq.com': 'console.groq.com/keys',
  'api.mistral.ai': 'console.mistral.ai/api-keys',
};

/** Names of models that a shell takes as they are; another one is not put on the clipboard. */
const SAFE_NAME = /^\w[\w.:/-]{0,120}$/;

/**
 * What to say and to offer when the model server is not ready. Pure. The failure's own sentences come first; what is added is
 * what somebody needs who has never set this up.
 */
export function remedyFor(failure: Failure, settings: RemedySettings): Remedy {
  const { message } = failure;
  const isOllama = settings.modelServer === 'ollama';
  const own = failure.title;
  switch (failure.kind) {
    case 'not-running':
      return isOllama && isOnThisMachine(settings.address)
        ? {
            title: own ?? 'Ollama is not running',
            description: `${message} Not installed yet? Get it at ollama.com/download, then a model with \`ollama pull ${settings.model === '' ? FIRST_MODEL : settings.model}\`.`,
            command: 'ollama serve',
            actions: ['checkServer', 'copyCommand', 'preferences'],
          }
        : {
            title: own ?? 'No model server answers',
            description: message,
            actions: ['checkServer', 'preferences'],
          };
    case 'no-model':
      return isOllama
        ? {
            title: own ?? 'Ollama has no model yet',
            description: message,
            command: `ollama pull ${FIRST_MODEL}`,
            actions: ['copyCommand', 'checkServer', 'preferences'],
          }
        : {
            title: own ?? 'No model to talk to',
            description: message,
            actions: ['preferences', 'checkServer'],
          };
    case 'model-not-found':
      return isOllama && SAFE_NAME.test(settings.model)
        ? {
            title: own ?? 'The model is not there',
            description: message,
            command: `ollama pull ${settings.model}`,
            actions: ['copyCommand', 'checkServer', 'preferences'],
          }
        : {
            title: own ?? 'The model is not there',
            description: message,
            actions: ['preferences', 'checkServer'],
          };
    case 'unauthorized':
      return {
        title: own ?? 'The API key was refused',
        description: message + keyPage(settings),
        actions: ['preferences', 'checkServer'],
      };
    case 'wrong-address':
    case 'not-json':
      return {
        title: own ?? 'No model server at this address',
        description: message + addressExamples(settings),
        actions: ['preferences', 'checkServer'],
      };
    case 'rate-limited':
      return {
        title: own ?? 'Too many requests',
        description: message,
        actions: ['checkServer', 'preferences'],
      };
    case 'no-tools':
    case 'context-length':
    case 'bad-request':
    case 'server-error':
    case 'not-a-stream':
    case 'stream-error':
    case 'cut':
    case 'silent':
    case 'empty':
    case 'aborted':
      return {
        title: own ?? 'The model server has a problem',
        description: message,
        actions: ['checkServer', 'preferences'],
      };
  }
}

function isOnThisMachine(address: string): boolean {
  return address.trim() === '' || /(?:^|\/\/|@)(?:127\.|localhost|\[::1\])/i.test(address);
}

function keyPage({ modelServer, address }: RemedySettings): string {
  const host =
    address.trim() === '' && modelServer === 'anthropic'
      ? 'api.anthropic.com'
      : /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?([^/:?#]+)/i.exec(address.trim())?.[1];
  const page = KEY_PAGES[host?.toLowerCase() ?? ''];
  return page === undefined ? '' : ` Keys are made at ${page}.`;
}

/** Nothing is set yet: a person may not know what such an address looks like. */
function addressExamples({ modelServer, address }: RemedySettings): string {
  if (modelServer !== 'openai-compatible' || address.trim() !== '') return '';
  return ' Usual addresses: LM Studio http://127.0.0.1:1234/v1, llama.cpp http://127.0.0.1:8080/v1, OpenRouter https://openrouter.ai/api/v1.';
}
