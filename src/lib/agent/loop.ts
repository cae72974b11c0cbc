import {
  carrySources,
  createSourceList,
  numberedSources,
  spentNumbers,
  type SourceList,
} from '../citations';
import { MAX_FINAL_ANSWER_MS, MAX_ROUNDS, MAX_TURN_MS } from '../constants';
import { citeReminder, toolSpecs } from '../tools';
import type { Failure } from '../types';
import {
  earlierAttachments,
  partlyNotice,
  takeAttachments,
  withoutEarlierImages,
} from './attachments';
import { createBudget } from './budget';
import { announce } from './carried';
import { createCallMemory, runCalls } from './calls';
import { openingMessages, withInstruction, withoutCalls } from './conversation';
import { createDeadline } from './deadline';
import { createJoiner } from './joiner';
import type { LoopMessage } from './message';
import type { AgentOptions } from './options';
import { withoutTools, withoutWeb } from './prompt';
import type { Ending, Recorder } from './recorder';
import { runRound, type Round, type RoundListener } from './round';
import { hasSearch, searchFirst, searchesLeft } from './search-first';
import { createServerSources, type ServerSources } from './server-sources';

/** One turn from its first request to its end. */
export async function runTurn(options: AgentOptions, recorder: Recorder): Promise<Ending> {
  const { sources, ...opening } = open(options, recorder);
  const serverSources = createServerSources(recorder, sources);
  const ending = await runRounds(options, recorder, opening, serverSources);
  const response = serverSources.settle();
  return response === undefined ? ending : { ...ending, response };
}

/**
 * Rounds until the turn ends. The natural exits: the model answers without calls; the person stops; the server fails; the
 * time for the final answer is over.
 */
async function runRounds(
  options: AgentOptions,
  recorder: Recorder,
  opening: Pick<Opened, 'messages' | 'attached'>,
  serverSources: ServerSources,
): Promise<Ending> {
  const { ports, model, resume, about, web = true } = options;
  const { emit } = recorder;
  const specs = toolSpecs(ports, { web });
  const offeredNames = specs.map(({ name }) => name);
  let { messages } = opening;
  const text = createJoiner(recorder.turn().response, resume !== undefined);
  const reasoning = createJoiner(recorder.turn().reasoning ?? '', false);
  const memory = createCallMemory(messages);
  const budget = createBudget(about?.contextTokens);
  const listener: RoundListener = {
    text: (chunk: string) => {
      const added = text.push(chunk);
      if (added !== '') emit({ type: 'text-delta', text: added });
    },
    reasoning: (chunk: string) => {
      const added = reasoning.push(chunk);
      if (added !== '') emit({ type: 'reasoning-delta', text: added });
    },
    source: serverSources.take,
    usage: (usage) => {
      budget.learn(usage);
      emit({ type: 'usage-report', usage });
    },
  };
  const instructions: string[] = [];
  let tools = specs.length > 0;
  /** The model knows no tools: what was looked up stands in the question. */
  let plain = about?.canCallTools === false || specs.length === 0;
  let repeats = 0;
  let toolRounds = 0;
  let nudged = false;
  let halved = false;
  let saidPartly = false;
  let overtime = false;
  let deadline = createDeadline(options.signal, ports.after, MAX_TURN_MS);

  const answerNow = (instruction: string) => {
    tools = false;
    instructions.push(instruction);
  };
  const callContext = () => ({
    ports,
    sources: serverSources.list(),
    signal: deadline.signal,
    memory,
    offered: offeredNames,
    emit,
  });
  const position = () => recorder.turn().toolCalls.length;
  const goOnWithoutTools = async () => {
    tools = false;
    plain = true;
    // A question about what was attached is seldom one that a search with its words would help.
    const searches = opening.attached ? [] : searchesLeft(specs, recorder.turn().toolCalls);
    if (searches.length > 0)
      messages = [
        ...messages,
        ...(await searchFirst(options.question, searches, { ...callContext(), position })),
      ];
    const facts = {
      numbered: serverSources.list().all().length > 0,
      searched: hasSearch(recorder.turn().toolCalls.filter(({ isError }) => !isError)),
      attached: opening.attached,
    };
    messages = [
      { role: 'system', content: withoutTools(options.system, facts) },
      ...messages.slice(1),
    ];
  };
  /** After `deadline` fired: how the turn ends, or undefined if the model is asked once more. */
  const timeUp = (answered: boolean): Ending | undefined => {
    if (!deadline.expired()) return { state: 'stopped' };
    emit({ type: 'notice', notice: TIME_NOTICE });
    if (answered) return { state: 'done' };
    if (overtime) return { state: 'failed', failure: { kind: 'silent', message: TIME_FAILURE } };
    overtime = true;
    deadline.dispose();
    deadline = createDeadline(options.signal, ports.after, MAX_FINAL_ANSWER_MS);
    answerNow(FINAL_INSTRUCTION);
    return undefined;
  };

  try {
    if (plain) await goOnWithoutTools();
    for (let number = 1; ; number += 1) {
      emit({ type: 'round-start', round: number, tools });
      serverSources.beginRound();
      const offered = tools ? specs : [];
      const fitted = budget.fit(messages, offered, { plain });
      memory.shortened = fitted.shortened;
      if (fitted.partly.length > 0 && !saidPartly) {
        saidPartly = true;
        emit({ type: 'notice', notice: partlyNotice(fitted.partly) });
      }
      const asked = plain ? withoutCalls(fitted.messages) : fitted.messages;
      const request = {
        model,
        messages: instructions.reduce(withInstruction, asked),
        tools: offered,
      };
      const round = await runRound(ports.provider, request, deadline.signal, listener);
      text.endRound();
      reasoning.endRound();
      const { ending } = round;
      const said = round.text.trim();
      if (ending.kind === 'aborted') {
        const end = timeUp(said !== '');
        if (end) return end;
        continue;
      }
      if (ending.kind === 'failed') {
        const { kind } = ending.failure;
        if (kind === 'context-length' && said === '' && !halved && budget.halve()) {
          halved = true;
          continue;
        }
        // Of the question's own images the person is told; those of earlier ones must not end the conversation.
        const withoutImages = REFUSALS.has(kind) ? withoutEarlierImages(messages) : undefined;
        if (withoutImages && said === '') {
          messages = withoutImages;
          emit({ type: 'notice', notice: IMAGES_NOTICE });
          continue;
        }
        // Some servers send a bare end where a model has nothing to say about what was found.
        const read = messages.some(({ role }) => role === 'tool');
        if (kind === 'empty' && read && said === '' && !nudged) {
          nudged = true;
          answerNow(NUDGE);
          continue;
        }
        if (kind !== 'no-tools' || !tools || number > 1 || said !== '')
          return { state: 'failed', failure: ending.failure };
        await goOnWithoutTools();
        continue;
      }
      if (!tools || round.calls.length === 0) {
        if (said === '' && !nudged && !CUT_REASONS.has(ending.reason)) {
          nudged = true;
          answerNow(NUDGE);
          continue;
        }
        const notice = endNotice(ending.reason, said);
        if (notice !== undefined) emit({ type: 'notice', notice });
        return {
          state: 'done',
          ...(ending.reason === 'length' && said !== '' ? { cut: true } : {}),
        };
      }
      toolRounds += 1;
      const context = callContext();
      const outcome = await runCalls(said, round.calls, { ...context, position: position() });
      messages = [...messages, ...outcome.messages];
      if (outcome.onlyRepeats) repeats += 1;
      if (context.signal.aborted) {
        const end = timeUp(false);
        if (end) return end;
      } else if (toolRounds >= MAX_ROUNDS) {
        emit({ type: 'notice', notice: ROUNDS_NOTICE });
        answerNow(FINAL_INSTRUCTION);
      } else if (repeats >= MAX_REPEAT_ROUNDS) {
        answerNow(FINAL_INSTRUCTION);
      }
    }
  } finally {
    deadline.dispose();
  }
}

/** Rounds of nothing but repeated calls: the first may be a slip, after the second the model goes round in circles. */
const MAX_REPEAT_ROUNDS = 2;

type EndReason = Extract<Round['ending'], { kind: 'ended' }>['reason'];

/** What a model server answers that takes no images, or no such ones. */
const REFUSALS: ReadonlySet<Failure['kind']> = new Set(['bad-request', 'server-error']);

interface Opened {
  /** The turn's list, with everything numbered that the model is going to read. */
  sources: SourceList;
  /** What it reads first. */
  messages: LoopMessage[];
  /** Whether the question has files or images. */
  attached: boolean;
}

function open(options: AgentOptions, recorder: Recorder): Opened {
  const { emit, turn } = recorder;
  const { resume, web = true } = options;
  const system = web ? options.system : withoutWeb(options.system);
  const sources = createSourceList(numberedSources(turn()), spentNumbers(turn()));
  const earlier = earlierAttachments(options, sources);
  const { history, question, carried } = carrySources(options.history, options.question, sources);
  const before = turn().carried ?? [];
  const known = new Set(before.map(({ index }) => index));
  const added = [...earlier.carried, ...carried].filter(({ index }) => !known.has(index));
  const offered = [...before, ...added];
  emit({ type: 'turn-start', carried: offered });
  const attached = takeAttachments(options, recorder, sources);
  const shown = new Set(earlier.carried.map(({ index }) => index));
  const messages = openingMessages({
    system,
    history: history.map((each, n) => ({ ...each, attached: earlier.turns[n] ?? NOTHING })),
    announced: announce(
      offered.filter(({ index }) => !shown.has(index)),
      options.ports,
      options.about?.canCallTools !== false,
    ),
    question,
    attached,
    reminder: citeReminder(sources),
    ...(resume ? { resume } : {}),
  });
  const { files, images, notes } = attached;
  return { sources, messages, attached: files.length + images.length + notes.length > 0 };
}

const NOTHING = { files: [], images: [], notes: [] };

/** The server stopped the answer; asking again would end the same way. */
const CUT_REASONS: ReadonlySet<EndReason> = new Set(['length', 'filtered']);

function endNotice(reason: EndReason, said: string): string | undefined {
  switch (reason) {
    case 'length':
      return 'The answer reached the model’s length limit and may be incomplete.';
    case 'filtered':
      return 'The model server’s content filter cut this answer.';
    case 'stop':
    case 'tool-calls':
      return said === ''
        ? 'The model gave no answer; ask again or choose another model.'
        : undefined;
  }
}

const FINAL_INSTRUCTION =
  'No more tool calls are possible in this turn. Answer now with what you have found, and say what is missing.';
const NUDGE = 'You have not answered yet. Answer the question now, in words, without tool calls.';

const ROUNDS_NOTICE = `The model used all ${MAX_ROUNDS} rounds of tool calls and was asked to answer with what it had.`;
const IMAGES_NOTICE =
  'The model server did not accept the request with the images of earlier questions; it was asked without them.';
const TURN_MINUTES = MAX_TURN_MS / 60_000;
const TIME_NOTICE = `The turn took longer than ${TURN_MINUTES} minutes and was brought to an end.`;
const TIME_FAILURE = `The model gave no answer within ${TURN_MINUTES} minutes; ask again, or choose a faster model.`;
