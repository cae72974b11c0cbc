import type { PagePort, SearchPort } from '../../lib/types';
import type { Preferences, SearchProvider } from '../preferences';
import type { ServerPorts } from '../providers/server';
import type { After } from '../session/frames';
import { withLimit } from './limit';
import {
  answerRequest,
  cannotCallTools,
  checkModel,
  checkServer,
  judgeAnswer,
  judgeToolCall,
  listen,
  nothingHeard,
  toolRequest,
  type Heard,
} from './model-steps';
import { cleanText, secretsOf } from './secrets';
import { STEP_IDS, type Finding, type SetupStep, type StepId } from './steps';
import { checkFetch, checkSearch } from './web-steps';

/** Milliseconds of a step that waits for the network only. Slower is as good as not there for somebody who waits for an answer. */
const STEP_MS = 20_000;

/** Milliseconds of a step in which a model writes: it may have to be loaded first, and a CPU needs its time. */
const MODEL_STEP_MS = 60_000;

export interface CheckOptions extends ServerPorts {
  search: SearchPort;
  /** Who searches, as the preferences decide it. */
  searchService: SearchProvider;
  fetchPage: PagePort;
  settings: Preferences;
  /** True if the model is the one that is asked at the moment, and not the one of the preferences. */
  isChosen?: boolean | undefined;
  now: () => number;
  after: After;
  signal: AbortSignal;
  /** Told all steps each time one has changed; a new list each time. */
  onStep: (steps: readonly SetupStep[]) => void;
}

/**
 * Tries everything an answer needs, one after the other, and says what is wrong. A server that does not answer leaves out the
 * steps that need it; search and page reading are tried all the same, unless the web is off in the preferences.
 *
 * Never rejects. Ends at once when `signal` fires: the step that ran, and those that waited, are `skipped`. No text of a step holds
 * a secret of the preferences.
 */
export async function checkSetup(options: CheckOptions): Promise<readonly SetupStep[]> {
  const { search, searchService, fetchPage, settings, now, after, signal, onStep } = options;
  const secrets = secretsOf(settings);
  let steps = initialSteps();

  function put(id: StepId, change: Omit<SetupStep, 'id'>): void {
    steps = steps.map((step) => (step.id === id ? { id, ...change } : step));
    onStep(steps);
  }

  function skip(ids: StepId[], said: string): void {
    for (const id of ids) put(id, { state: 'skipped', said });
  }

  /** Runs one step; gives what the next ones need of it, or undefined. */
  async function step<T>(
    id: StepId,
    ms: number,
    run: (signal: AbortSignal) => Promise<{ finding: Finding; next?: T }>,
    late: () => Finding,
  ): Promise<T | undefined> {
    if (signal.aborted) {
      skip([id], STOPPED);
      return undefined;
    }
    const startedAt = now();
    put(id, { state: 'running', said: '' });
    const ending = await withLimit({ ms, after, signal }, run);
    if (ending.kind === 'stopped') {
      skip([id], STOPPED);
      return undefined;
    }
    const finding: Finding =
      ending.kind === 'done'
        ? ending.value.finding
        : ending.kind === 'late'
          ? late()
          : {
              state: 'failed',
              said: `Something went wrong in Lam: ${ending.message}`,
              advice: 'Report it with this check if it comes back.',
            };
    put(id, { ...cleaned(finding, secrets), ms: now() - startedAt });
    return ending.kind === 'done' ? ending.value.next : undefined;
  }

  /** A step in which the model writes: judged by what there is when it ends or is late. */
  async function ask(
    id: 'answer' | 'tools',
    model: string,
    judge: (heard: Heard, times: { startedAt: number; seconds?: number }) => Finding,
  ): Promise<boolean> {
    const heard = nothingHeard();
    const startedAt = now();
    const request = id === 'answer' ? answerRequest(model) : toolRequest(model);
    await step(
      id,
      MODEL_STEP_MS,
      async (limited) => {
        await listen(options, request, { heard, now, signal: limited });
        return { finding: judge(heard, { startedAt }) };
      },
      () => judge(heard, { startedAt, seconds: MODEL_STEP_MS / 1000 }),
    );
    return steps.find((each) => each.id === id)?.state !== 'failed';
  }

  async function checkModels(): Promise<void> {
    const listed = await step(
      'server',
      STEP_MS,
      (limited) => checkServer(options, limited),
      () => tooLate('The model server did not answer'),
    );
    if (listed === undefined) {
      skip(['model', 'answer', 'tools'], signal.aborted ? STOPPED : 'Needs the model server.');
      return;
    }
    const model = await step(
      'model',
      STEP_MS,
      () => Promise.resolve(checkModel(options, listed.models)),
      () => tooLate('No model was chosen'),
    );
    if (model === undefined) {
      skip(['answer', 'tools'], signal.aborted ? STOPPED : 'Needs a model.');
      return;
    }
    const { id, canCallTools } = model;
    const answers = await ask('answer', id, (heard, times) =>
      judgeAnswer(heard, settings, { model: id, ...times }),
    );
    if (!answers) skip(['tools'], 'Needs a model that answers.');
    else if (canCallTools === false)
      await step(
        'tools',
        STEP_MS,
        () => Promise.resolve({ finding: cannotCallTools(id) }),
        () => cannotCallTools(id),
      );
    else
      await ask('tools', id, (heard, times) =>
        judgeToolCall(heard, settings, { model: id, ...times }),
      );
  }

  onStep(steps);
  await checkModels();
  if (!settings.webTools) {
    skip(['search', 'fetch'], signal.aborted ? STOPPED : 'The preference Web is off.');
    return steps;
  }
  const found = await step(
    'search',
    STEP_MS,
    (limited) => checkSearch(search, searchService, limited),
    () => tooLate('The search did not answer', search.remedy),
  );
  await step(
    'fetch',
    STEP_MS,
    async (limited) => ({ finding: await checkFetch(fetchPage, found ?? [], limited) }),
    () => tooLate('No page came'),
  );
  return steps;
}

/** All steps, none begun. */
function initialSteps(): SetupStep[] {
  return STEP_IDS.map((id) => ({ id, state: 'waiting', said: '' }));
}

const STOPPED = 'The check was stopped.';

function tooLate(
  what: string,
  advice = 'Check the network connection, and run it again.',
): Finding {
  return { state: 'failed', said: `${what} within ${STEP_MS / 1000} seconds.`, advice };
}

function cleaned({ said, advice, ...finding }: Finding, secrets: readonly string[]): Finding {
  return {
    ...finding,
    said: cleanText(said, secrets),
    ...(advice === undefined ? {} : { advice: cleanText(advice, secrets) }),
  };
}
