import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** How to run a `llama-server`. */
export interface ServerProgram {
  command: string;
  /** Stand before the server's own arguments. */
  args: readonly string[];
  /** It looks for its CPU code in the folder it is started in. */
  cwd: string;
  /** What it says of itself. */
  version: string;
}

export type ProgramOutcome = { ok: true; program: ServerProgram } | { ok: false; reason: string };

/**
 * The server, and those libraries that are newer than on most machines. The rest of the server's dependencies (debconf, curl)
 * serve its installation and its download of models.
 */
const PACKAGES = [
  'llama.cpp-tools',
  'libllama0',
  'libggml0',
  'libc6',
  'libgcc-s1',
  'libgomp1',
  'libssl3t64',
  'libstdc++6',
];
const KEYRINGS = ['debian-archive-keyring.pgp', 'debian-archive-keyring.gpg'].map((name) =>
  join('/usr/share/keyrings', name),
);
/** Debian builds the package for more processors; these are the two that people have. */
const PROCESSORS = ['x64', 'arm64'];
/** Milliseconds for one step; the longest, the list of all packages, is 11 MB. */
const STEP_MS = 180_000;
const ask = promisify(execFile);

class StepFailed extends Error {}

/**
 * Finds a server to test with: the one named in the environment variable `LLAMA_SERVER`, else the package of Debian
 * unstable, downloaded into `folder` and unpacked there. Nothing is installed, and neither the package lists nor the settings of
 * this machine are touched.
 *
 * @param signal ends a download that takes too long
 * @returns the program, which has run once to say its version; or, in one sentence, why there is none.
 */
export async function findServer(folder: string, signal: AbortSignal): Promise<ProgramOutcome> {
  const step = stepsUntil(signal);
  const { LLAMA_SERVER: own = '' } = process.env;
  try {
    return {
      ok: true,
      program: await proven(
        step,
        own === ''
          ? await unpacked(folder, step)
          : { command: own, args: [], cwd: existsSync(own) ? dirname(own) : '.' },
      ),
    };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { ok: false, reason: error.message };
  }
}

async function unpacked(folder: string, step: Step): Promise<Omit<ServerProgram, 'version'>> {
  if (process.platform !== 'linux' || !PROCESSORS.includes(process.arch))
    throw new StepFailed(`There is no package for ${process.platform} on ${process.arch}.`);
  const options = aptOptions(folder);
  await step('apt-get', [...options, 'update'], folder);
  await step('apt-get', [...options, 'download', ...PACKAGES], folder);
  const root = join(folder, 'root');
  for (const file of readdirSync(folder))
    if (file.endsWith('.deb')) await step('dpkg-deb', ['-x', file, root], folder);
  return programIn(root);
}

/** Options that keep everything apt writes inside `folder`. */
function aptOptions(folder: string): string[] {
  for (const part of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  const keyring = KEYRINGS.find((file) => existsSync(file));
  const signedBy = keyring === undefined ? '' : `[signed-by=${keyring}] `;
  const list = join(folder, 'unstable.list');
  writeFileSync(list, `deb ${signedBy}${archive()} unstable main\n`);
  return [
    '-qq',
    `Dir::Etc::sourcelist=${list}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${join(folder, 'lists')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    'APT::Update::Error-Mode=any', // otherwise a list that cannot be had is only a warning
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
    'APT::Sandbox::User=', // the user that apt would become cannot read a private temporary folder
  ].flatMap((option) => (option.startsWith('-') ? [option] : ['-o', option]));
}

/** The mirror that this machine uses, without its security archive, which has no unstable. */
function archive(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ];
  for (const file of files) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const found = /^(?:URIs:|deb\b)[^#\n]*?(https?:\/\/[^\s\]]+\/debian)\/?(?:\s|$)/m.exec(text);
    if (found?.[1] !== undefined) return found[1];
  }
  throw new StepFailed('The package sources of this machine name no archive of Debian.');
}

/** The server inside an unpacked system, run by that system's own loader: the C library here may be older. */
function programIn(root: string): Omit<ServerProgram, 'version'> {
  const parent = join(root, 'usr/lib');
  const libraries = readdirSync(parent)
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => join(parent, name));
  for (const folder of libraries) {
    const loader = readdirSync(folder).find((name) => /^ld-linux.*\.so\.\d+$/.test(name));
    const ggml = join(folder, 'ggml');
    const backends = existsSync(ggml) ? readdirSync(ggml).map((name) => join(ggml, name)) : [];
    const [cwd = folder] = backends;
    const path = [folder, join(folder, 'llama'), ...backends].join(':');
    if (loader !== undefined)
      return {
        command: join(folder, loader),
        args: ['--library-path', path, join(root, 'usr/bin/llama-server')],
        cwd,
      };
  }
  throw new StepFailed('The unpacked packages contain no program loader.');
}

async function proven(step: Step, program: Omit<ServerProgram, 'version'>): Promise<ServerProgram> {
  const said = await step(program.command, [...program.args, '--version'], program.cwd);
  return { ...program, version: /^version: (.*)$/m.exec(said)?.[1] ?? 'version unknown' };
}

/** Runs one program to its end and resolves with what it printed. */
type Step = (command: string, args: readonly string[], cwd: string) => Promise<string>;

function stepsUntil(signal: AbortSignal): Step {
  return async (command, args, cwd) => {
    try {
      const { stdout, stderr } = await ask(command, args, { cwd, signal, timeout: STEP_MS });
      return stdout + stderr;
    } catch (error) {
      const name = basename(command);
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        throw new StepFailed(`${name} is not on this machine.`, { cause: error });
      const told = error instanceof Error ? error.message : String(error);
      // Behind the first line, which repeats the command, stands what the program said.
      const [first = '', ...rest] = told.trim().split('\n');
      const said = rest.length > 0 ? rest.slice(-3).join(' ') : first;
      throw new StepFailed(`${name} did not do its part: ${said}`, { cause: error });
    }
  };
}
