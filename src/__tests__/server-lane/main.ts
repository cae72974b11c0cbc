import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CHECKS, type Check } from './checks';
import { startLlamaServer, type LlamaServer } from './llama-server';
import { modelFile, SERVERS, type ServerName } from './models';
import { startRecorder } from './recorder';
import { findServer, type ServerProgram } from './server-program';

/**
 * The real server lane: Lam's adapters against a real `llama-server` with a model of 400 KB made here. Where no server can be had,
 * it says why and ends well; with SERVER_LANE=required it fails. `--record` renews the wires that the other tests replay.
 */

/** Milliseconds for everything, the download included. */
const LANE_MS = 8 * 60_000;
/** Milliseconds for one check. */
const CHECK_MS = 60_000;
const WIRES = join(__dirname, '../fixtures/wires');

const say = (line: string) => process.stdout.write(`${line}\n`);
const running = new Map<ServerName, LlamaServer>();

async function serverFor(
  name: ServerName,
  program: ServerProgram,
  folder: string,
): Promise<LlamaServer> {
  const known = running.get(name);
  if (known) return known;
  const { args, contextTokens } = SERVERS[name];
  const file = join(folder, `${name}.gguf`);
  writeFileSync(file, modelFile(name));
  const server = await startLlamaServer(program, [
    ...['--model', file, '--ctx-size', String(contextTokens)],
    ...args,
  ]);
  const kill = async () => {
    running.delete(name);
    await server.kill();
  };
  const owned = { ...server, kill };
  running.set(name, owned);
  return owned;
}

async function run(check: Check, server: LlamaServer, record: boolean): Promise<void> {
  const signal = AbortSignal.timeout(CHECK_MS);
  if (check.wire === undefined) {
    await check.run({ origin: server.origin, server, signal });
    return;
  }
  const recorder = await startRecorder(server.port);
  try {
    await check.run({ origin: recorder.origin, server, signal });
    if (!record) return;
    mkdirSync(WIRES, { recursive: true });
    writeFileSync(join(WIRES, `${check.wire}.http`), recorder.recorded());
  } finally {
    await recorder.close();
  }
}

async function lane(folder: string, signal: AbortSignal): Promise<'passed' | 'failed' | 'skipped'> {
  const outcome = await findServer(folder, signal);
  if (!outcome.ok) {
    say(`Skipped: ${outcome.reason}`);
    return 'skipped';
  }
  const { program } = outcome;
  const record = process.argv.includes('--record');
  say(`llama-server ${program.version}`);
  let failed = 0;
  for (const check of CHECKS) {
    try {
      await run(check, await serverFor(check.on, program, folder), record);
      say(`  ✓ ${check.name}`);
    } catch (error) {
      failed += 1;
      say(`  ✗ ${check.name}\n${String(error)}`);
    }
  }
  say(`${CHECKS.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 'passed' : 'failed';
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lam-server-lane-'));
  const stop = new AbortController();
  const clean = async () => {
    stop.abort();
    await Promise.all([...running.values()].map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  const give = async (why: string) => {
    say(`✗ ${why}`);
    await clean();
    process.exit(1);
  };
  const timer = setTimeout(() => void give('The lane took too long.'), LANE_MS);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void give(`Ended by ${signal}.`));
  try {
    const outcome = await lane(folder, stop.signal);
    const isRequired = process.env.SERVER_LANE === 'required';
    if (outcome === 'skipped' && isRequired) say('SERVER_LANE=required does not allow that.');
    if (outcome === 'failed' || (outcome === 'skipped' && isRequired)) process.exitCode = 1;
  } finally {
    clearTimeout(timer);
    await clean();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
