/**
 * Proves that each wall of eslint.config.js still stands: writes a file with one violation for a moment, lints it, and
 * prints the rule that caught it. Exits 1 when a wall is down. Guards can fail silently: `no-cycle` did without its
 * parser settings, and an unresolved import passes every path rule, so the imported modules must exist.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { ESLint } from 'eslint';

const PATHS = 'import-x/no-restricted-paths';

/** label, file, its one line, the rule that must catch it (undefined: nothing may). */
const probes = [
  ['lib -> host', 'src/lib/agent/probe.ts', "export * from '../../host/session';", PATHS],
  ['agent -> render', 'src/lib/agent/probe-render.ts', "export * from '../render';", PATHS],
  ['type-only too', 'src/lib/render/probe-type.ts', "export type * from '../agent';", PATHS],
  ['host -> views', 'src/host/probe.ts', "export * from '../views/commands';", PATHS],
  ['bundles -> views', 'src/bundles/probe.ts', "export * from '../views/commands';", PATHS],
  ['host -> bundles', 'src/host/probe-bundle.ts', "export * from '../bundles/web';", PATHS],
  ['past the lazy door', 'src/host/probe-web.ts', "export * from './web/http';", PATHS],
  [
    'past it from a folder',
    'src/host/session/probe-web.ts',
    "export type * from '../web/search';",
    PATHS,
  ],
  ['the lazy door', 'src/host/probe-lazy.ts', "export * from './web/lazy-web';", undefined],
  [
    'past the server door',
    'src/host/probe-server.ts',
    "export * from './providers/failures';",
    PATHS,
  ],
  [
    'past the check door',
    'src/views/probe-check.tsx',
    "export * from '../host/setup/check';",
    PATHS,
  ],
  [
    'the server door',
    'src/host/probe-lazy-server.ts',
    "export * from './providers/lazy-server';",
    undefined,
  ],
  ['past the search door', 'src/host/probe-search.ts', "export * from './library/ranking';", PATHS],
  ['text -> tools', 'src/lib/code/probe.ts', "export * from '../tools';", PATHS],
  [
    'view behind a door',
    'src/views/probe-door.tsx',
    "export * from '../lib/render/stream';",
    PATHS,
  ],
  [
    'agent behind the tools door',
    'src/lib/agent/probe-door.ts',
    "export * from '../tools/web-search';",
    PATHS,
  ],
  [
    'vicinae in lib',
    'src/lib/tools/probe-api.ts',
    "export { showToast } from '@vicinae/api';",
    'no-restricted-imports',
  ],
  [
    'fetch in lib',
    'src/lib/tools/probe-fetch.ts',
    "export const x = (): Promise<Response> => fetch('https://a.example');",
    'no-restricted-globals',
  ],
  [
    'clock in lib',
    'src/lib/tools/probe-clock.ts',
    'export const x = (): number => Date.now();',
    'no-restricted-properties',
  ],
  [
    'new Date in lib',
    'src/lib/tools/probe-date.ts',
    'export const x = (): Date => new Date();',
    'no-restricted-syntax',
  ],
  [
    'the whole of zod',
    'src/lib/tools/probe-zod.ts',
    "import { z } from 'zod';\nexport const x = z;",
    'no-restricted-imports',
  ],
  [
    'backtracking',
    'src/lib/render/probe-regexp.ts',
    'export const x = (t: string): boolean => /^(?:\\d+\\s*,?\\s*)+$/.test(t);',
    'regexp/no-super-linear-backtracking',
  ],
  [
    'storage in a view',
    'src/views/probe-storage.tsx',
    "export { LocalStorage } from '@vicinae/api';",
    'no-restricted-imports',
  ],
  [
    'view through the door',
    'src/views/probe-silent.tsx',
    "export * from '../lib/render';",
    undefined,
  ],
  [
    'foreign title',
    'src/views/probe-title.tsx',
    "import { List } from '@vicinae/api';\nexport const X = ({ t }: { t: string }) => <List.Item title={t} />;",
    'lam/plain-text',
  ],
  [
    'foreign accessory',
    'src/views/probe-accessory.tsx',
    'import { List } from \'@vicinae/api\';\nexport const X = ({ t }: { t: string }) => <List.Item title="a" accessories={[{ text: t }]} />;',
    'lam/plain-text',
  ],
  [
    'foreign spread',
    'src/views/probe-spread.tsx',
    "import { List } from '@vicinae/api';\nexport const X = (p: { title: string }) => <List.Item {...p} />;",
    'lam/plain-text',
  ],
  [
    'foreign template',
    'src/views/probe-template.tsx',
    "import { List } from '@vicinae/api';\nexport const X = ({ t }: { t: string }) => <List.Section title={`${t}!`} />;",
    'lam/plain-text',
  ],
  [
    'foreign placeholder',
    'src/views/probe-placeholder.tsx',
    "import { List } from '@vicinae/api';\nexport const X = ({ t }: { t: string }) => <List searchBarPlaceholder={t} />;",
    'lam/plain-text',
  ],
  [
    'foreign toast',
    'src/host/probe-toast.ts',
    "import { showToast } from '@vicinae/api';\nexport const x = (t: string) => showToast({ title: t });",
    'lam/plain-text',
  ],
  [
    'foreign alert',
    'src/views/probe-alert.ts',
    "import { confirmAlert } from '@vicinae/api';\nexport const x = (t: string) => confirmAlert({ title: 'a', message: t });",
    'lam/plain-text',
  ],
  [
    'foreign alert action',
    'src/views/probe-alert-action.ts',
    "import { confirmAlert } from '@vicinae/api';\nexport const x = (t: string) => confirmAlert({ title: 'a', primaryAction: { title: t } });",
    'lam/plain-text',
  ],
  [
    'inert title',
    'src/views/probe-inert.tsx',
    "import { List } from '@vicinae/api';\nimport { inertText } from '../lib/render';\nexport const X = ({ t }: { t: string }) => <List.Item title={inertText(t)} />;",
    undefined,
  ],
  [
    'words of ours',
    'src/views/probe-words.ts',
    "import { confirmAlert } from '@vicinae/api';\nexport const x = (a: boolean) => confirmAlert({ title: a ? 'a' : 'b', primaryAction: { title: 'Delete' } });",
    undefined,
  ],
];

const made = [];
const put = (file, code) => {
  if (existsSync(file)) throw new Error(`${file} exists already`);
  const folder = dirname(file);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    made.push(folder);
  }
  writeFileSync(file, `${code}\n`);
};

let down = 0;
const report = (label, expected, found) => {
  const stands = expected === undefined ? found.length === 0 : found.includes(expected);
  if (!stands) down++;
  console.log(`${stands ? 'ok  ' : 'DOWN'} ${label.padEnd(30)} ${found.join(', ') || 'silent'}`);
};

const files = probes.map(([, file]) => file);
try {
  for (const [, file, code] of probes) put(file, code);
  const results = await new ESLint().lintFiles(files);
  for (const [label, file, , expected] of probes) {
    const result = results.find((each) => each.filePath.endsWith(file));
    const rules = new Set(result?.messages.map((message) => message.ruleId ?? message.message));
    // Re-exports without types trip other rules too; only the walls are looked at here.
    const walls = [...rules].filter((rule) =>
      /^(?:import-x\/|no-restricted-|regexp\/|lam\/)/.test(rule),
    );
    report(label, expected, walls);
  }
} finally {
  for (const file of files) rmSync(file, { force: true });
  for (const folder of made) rmdirSync(folder);
}

const stray = 'src/lib/probe-stray.ts';
try {
  put(stray, 'export const x = 1;');
  const { stderr } = spawnSync(process.execPath, ['-e', "require('./eslint.config.js')"], {
    encoding: 'utf8',
  });
  const refusal = stderr.includes('belongs to no room') ? ['belongs to no room'] : [];
  report('unhoused file', 'belongs to no room', refusal);
} finally {
  rmSync(stray, { force: true });
}

console.log(down === 0 ? 'all walls stand' : `${down} walls are down`);
process.exitCode = down === 0 ? 0 : 1;
