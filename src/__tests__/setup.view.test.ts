import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  createGate,
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from './support/model-server';
import { openPane, type Pane } from './support/pane';

/** A command that is nothing but the view, wired as the chat wires it, with a web that is not there. */
const COMMAND = `
import { environment, getPreferenceValues } from '@vicinae/api';
import { useState } from 'react';
import { readPreferences } from './src/host/preferences';
import { lazyModelServer } from './src/host/providers/lazy-server';
import { lazySetup } from './src/host/setup/lazy-setup';
import { SetupView } from './src/views/setup-view';

const { assetsPath, vicinaeVersion } = environment;
const { preferences, problems } = readPreferences(getPreferenceValues());
const { modelServer: kind, address, apiKey } = preferences;
const check = lazySetup({
  assetsPath,
  ...lazyModelServer({ assetsPath, kind, address, apiKey }),
  search: () => Promise.resolve({ ok: true, hits: [{ title: 'A', url: 'https://a.example/', content: '' }] }),
  searchService: 'searxng',
  fetchPage: (url) => Promise.resolve({ ok: true, page: { title: '<img src=x>', url, text: 'Text' } }),
  now: Date.now,
  after: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); },
  facts: { lam: '1.2.3', vicinae: vicinaeVersion, node: '22', preferences, problems },
});
export default function Command() {
  return <SetupView check={check} />;
}
`;

let bundleDir: string;
let supportPath: string;
const panes: Pane[] = [];
const servers: ModelServer[] = [];

beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'lam-setup-'));
  await build({
    bundle: true,
    stdin: { contents: COMMAND, loader: 'tsx', resolveDir: process.cwd(), sourcefile: 'chat.tsx' },
    external: ['react', '@vicinae/api'],
    format: 'cjs',
    outfile: join(bundleDir, 'chat.js'),
    platform: 'node',
    jsx: 'automatic',
  });
  writeFileSync(
    join(bundleDir, 'package.json'),
    JSON.stringify({ name: 'lam', author: 'lam', commands: [{ name: 'chat', mode: 'view' }] }),
  );
  symlinkSync(join(process.cwd(), 'assets'), join(bundleDir, 'assets'));
});
afterAll(() => {
  rmSync(bundleDir, { recursive: true, force: true });
});
beforeEach(() => {
  supportPath = mkdtempSync(join(tmpdir(), 'lam-support-'));
});
afterEach(async () => {
  await Promise.all(panes.splice(0).map((pane) => pane.kill()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
  rmSync(supportPath, { recursive: true, force: true });
});

async function serve(options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  const server = await startModelServer({ dialect: 'openai', ...options });
  servers.push(server);
  return server;
}

async function launch(preferences: Record<string, unknown>): Promise<Pane> {
  const pane = await openPane({ bundleDir, supportPath, unloadGraceMs: 200, preferences });
  panes.push(pane);
  return pane;
}

const openAi = (server: ModelServer) => ({
  modelServer: 'openai-compatible',
  address: server.baseUrl,
  apiKey: 'secret-key-77',
});
const WELL = [
  { text: 'Ready' },
  { calls: [{ name: 'repeat_word', arguments: { word: 'lighthouse' } }] },
];
const titles = (pane: Pane) => pane.actions().map(({ title }) => title);
const icons = (pane: Pane) => pane.list().items.map(({ icon }) => icon);
const untilDone = (pane: Pane) =>
  pane.waitFor(() => pane.list().items.length > 0 && !pane.list().isLoading);

describe('Check Setup', () => {
  it('fills its rows while it runs', async () => {
    const gate = createGate();
    const server = await serve({ steps: [{ text: ['Ready', gate, '.'] }, WELL[1] ?? {}] });
    const pane = await launch(openAi(server));
    await gate.reached;
    await pane.waitFor(() => pane.list().navigationTitle === 'Checking: Answer…');
    expect(pane.list().isLoading).toBe(true);
    expect(icons(pane)).toEqual([
      'check-circle',
      'check-circle',
      'circle-progress',
      'hourglass',
      'hourglass',
      'hourglass',
    ]);
    expect(titles(pane)).toContain('Stop');
    gate.open();
    await untilDone(pane);
    expect(pane.list()).toMatchObject({ navigationTitle: 'Check Setup: everything works' });
    expect(pane.list().items.map(({ title }) => title)).toEqual([
      'Model server',
      'Model',
      'Answer',
      'Tool calls',
      'Search',
      'Reading a page',
    ]);
    expect(new Set(icons(pane))).toEqual(new Set(['check-circle']));
    server.assertComplete();
  });

  it('explains the selected step, in which nothing foreign acts', async () => {
    const pane = await launch(openAi(await serve({ steps: WELL })));
    await untilDone(pane);
    await pane.select(5);
    const detail = await pane.waitFor(() => pane.list().selected?.detail);
    expect(detail).toContain('### Reading a page: works');
    expect(detail).toContain('Read 4 characters');
    expect(detail).not.toContain('<img');
  });

  it('copies a report without the key, and stays', async () => {
    const server = await serve({ steps: WELL });
    const pane = await launch(openAi(server));
    await untilDone(pane);
    expect(titles(pane)[0]).toBe('Copy Report');
    await pane.action('Copy Report');
    await pane.waitFor(() => pane.toast?.title === 'Report copied');
    expect(pane.clipboard?.text).toContain('Lam 1.2.3, Vicinae v0.26.3, Node 22');
    expect(pane.clipboard?.text).toContain(`- address: ${server.baseUrl}`);
    expect(pane.clipboard?.text).not.toContain('secret-key');
  });

  it('offers what puts the step right', async () => {
    const pane = await launch({ address: 'http://127.0.0.1:9' }); // discard: nothing listens
    await untilDone(pane);
    expect(pane.list().navigationTitle).toBe('Check Setup: 1 of 6 does not work');
    expect(icons(pane)).toEqual([
      'x-mark-circle',
      'stop',
      'stop',
      'stop',
      'check-circle',
      'check-circle',
    ]);
    expect(titles(pane)[0]).toBe('Copy Command');
    await pane.action('Copy Command');
    await pane.waitFor(() => pane.toast?.title === 'Command copied');
    expect(pane.clipboard?.text).toBe('ollama serve');
    expect(titles(pane)).toEqual([
      'Copy Command',
      'Copy Report',
      'Run Again',
      'Back to Chat',
      'Preferences',
    ]);
  });

  it('puts the preferences first where they put it right', async () => {
    const pane = await launch({ modelServer: 'openai-compatible' });
    await untilDone(pane);
    expect(titles(pane).slice(0, 2)).toEqual(['Preferences', 'Copy Report']);
  });

  it('runs again', async () => {
    const server = await serve({ steps: WELL });
    const pane = await launch(openAi(server));
    await untilDone(pane);
    server.push(...WELL);
    await pane.action('Run Again');
    await pane.waitFor(() => server.requests.length === 4);
    await untilDone(pane);
    expect(pane.list().navigationTitle).toBe('Check Setup: everything works');
    server.assertComplete();
  });

  it('stops, and says what was left out', async () => {
    const gate = createGate();
    const server = await serve({ steps: [{ text: 'Ready', holdBefore: gate }] });
    const pane = await launch(openAi(server));
    await gate.reached;
    await pane.action('Stop');
    await untilDone(pane);
    expect(pane.list().navigationTitle).toBe('Check Setup: 2 of 6 steps checked');
    expect(icons(pane).slice(2)).toEqual(['stop', 'stop', 'stop', 'stop']);
    await server.requests[0]?.closed;
    expect(server.requests[0]?.abandoned).toBe(true);
    gate.open();
  });
});
