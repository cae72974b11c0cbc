import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { anthropicDialect, ollamaDialect, openAiDialect, type ScriptedModel } from './dialects';
import type { Gate } from './gate';
import type { AnswerStep, ChatRequestRecord, FixedStep, RawStep, Step } from './steps';

const DIALECTS = { openai: openAiDialect, ollama: ollamaDialect, anthropic: anthropicDialect };

export interface ModelServerOptions {
  dialect: keyof typeof DIALECTS;
  /** One for each chat request, in order; or a function that answers every request. Default: none. */
  steps?: readonly Step[] | ((request: ChatRequestRecord) => FixedStep);
  /** What the lists of models show. Default: one model, `scripted`, that can call tools. */
  models?: readonly ScriptedModel[];
  /** Answers for single paths, before anything else; `/v1/models`, `/api/tags`, … */
  routes?: Readonly<Record<string, RawStep>>;
}

/** A model server on this machine that follows a script. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`, without a path. */
  origin: string;
  /** What a person would set as the address: the origin, for the OpenAI dialect with `/v1`. */
  baseUrl: string;
  port: number;
  /** Chat requests in the order of their arrival. */
  readonly requests: readonly ChatRequestRecord[];
  /** Paths of all requests, lists included, in the order of their arrival. */
  readonly paths: readonly string[];
  /** Adds steps to the script. */
  push(...steps: Step[]): void;
  /** Throws if a step was not used, or a chat request had none. */
  assertComplete(): void;
  /** Destroys every socket and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a model server on 127.0.0.1 and a free port. Every chat request takes one step of the script; a request without
 * a step is answered with 500 and reported by `assertComplete`.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const dialect = DIALECTS[options.dialect];
  const models = options.models ?? [{ id: 'scripted' }];
  const respond = typeof options.steps === 'function' ? options.steps : undefined;
  const queue: Step[] = typeof options.steps === 'object' ? [...options.steps] : [];
  const requests: ChatRequestRecord[] = [];
  const paths: string[] = [];
  const complaints: string[] = [];
  const sockets = new Set<Socket>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    paths.push(path);
    const body = await readJson(request);
    const route = options.routes?.[path];
    if (route) {
      await playRaw(route.raw, response);
      return;
    }
    if (path !== dialect.chatPath) {
      const list = dialect.list(path, body, models);
      sendJson(response, list?.status ?? 404, list?.json ?? { error: 'no such path' });
      return;
    }
    const record: ChatRequestRecord = {
      index: requests.length,
      path,
      headers: request.headers,
      body,
      abandoned: false,
      closed: new Promise((resolve) => {
        response.on('close', () => {
          record.abandoned = !response.writableFinished;
          resolve();
        });
      }),
    };
    requests.push(record);
    const next = respond ?? queue.shift();
    if (!next) {
      const complaint = `chat request ${record.index} had no step in the script`;
      complaints.push(complaint);
      sendJson(response, 500, dialect.error(complaint));
      return;
    }
    const step = typeof next === 'function' ? next(record) : next;
    if ('raw' in step) await playRaw(step.raw, response, dialect.contentType);
    else await playAnswer(step, dialect.chunks(step), response, dialect.contentType);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      complaints.push(`the script failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  const origin = `http://127.0.0.1:${address.port}`;

  return {
    origin,
    baseUrl: options.dialect === 'openai' ? `${origin}/v1` : origin,
    port: address.port,
    requests,
    paths,
    push(...steps) {
      queue.push(...steps);
    },
    assertComplete() {
      const problems = [...complaints];
      if (queue.length > 0) problems.push(`${queue.length} step(s) of the script were not used`);
      if (problems.length > 0) throw new Error(`Model server: ${problems.join('; ')}.`);
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}

async function playAnswer(
  step: AnswerStep,
  chunks: readonly (string | Gate)[],
  response: ServerResponse,
  contentType: string,
): Promise<void> {
  await step.holdBefore?.pass();
  if (isGone(response)) return;
  response.writeHead(200, { 'content-type': contentType });
  response.flushHeaders();
  for (const chunk of chunks) {
    if (typeof chunk !== 'string') await chunk.pass();
    else if (step.delayMs) await pause(step.delayMs);
    if (isGone(response)) return;
    if (typeof chunk === 'string') response.write(chunk);
  }
  response.end();
}

async function playRaw(
  raw: RawStep['raw'],
  response: ServerResponse,
  contentType = 'application/json',
): Promise<void> {
  if (raw.reset) response.destroy();
  if (raw.reset || raw.hang === 'before-headers') return;
  response.writeHead(raw.status ?? 200, { 'content-type': contentType, ...raw.headers });
  response.flushHeaders();
  let left = raw.cutAfterBytes ?? Infinity;
  const parts =
    typeof raw.body === 'object' && !(raw.body instanceof Uint8Array) ? raw.body : [raw.body ?? ''];
  for (const part of parts) {
    if (typeof part === 'object' && !(part instanceof Uint8Array)) {
      await part.pass();
      continue;
    }
    for (const bytes of split(Buffer.from(part), raw.splitEvery)) {
      if (isGone(response)) return;
      if (left <= 0) break;
      await written(response, bytes.subarray(0, left));
      left -= bytes.byteLength;
    }
  }
  if (left <= 0) response.destroy();
  else if (raw.hang === undefined) response.end();
}

/** The client has closed the connection. A function, because it changes during every await. */
function isGone(response: ServerResponse): boolean {
  return response.destroyed;
}

function split(bytes: Buffer, size: number | undefined): Buffer[] {
  if (size === undefined || bytes.byteLength === 0) return [bytes];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

/** One write, and a turn of the event loop, so that the pieces leave one by one. */
function written(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => {
      setImmediate(resolve);
    });
  });
}

function sendJson(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += String(chunk);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
