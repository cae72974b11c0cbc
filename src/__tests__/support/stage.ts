import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startModelServer, type ModelServer, type Step } from './model-server';
import { openPane, type OpenPaneOptions, type Pane } from './pane';
import { startWebSite, type WebSite } from './web-site';

/** Everything around one person at one launcher: a model server, a web site, a folder, and the panes that were opened. */
export interface Stage {
  model: ModelServer;
  site: WebSite;
  /** The extension's folder; shared by all launches on this stage. */
  supportPath: string;
  /** Launches a command of the built bundle with its preferences set to this stage's servers. */
  open(options?: Partial<OpenPaneOptions>): Promise<Pane>;
  /** Ends every pane and server and removes the folder. */
  close(): Promise<void>;
}

export interface StageOptions {
  bundleDir: string;
  /** What the model does; made from the origin of the web site, whose port is not known before. */
  steps?: (origin: string) => readonly Step[];
  dialect?: 'openai' | 'ollama';
  /** Over the preferences that lead to this stage's servers. */
  preferences?: Record<string, unknown>;
}

/** Starts the servers. The caller closes the stage. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { bundleDir, dialect = 'openai' } = options;
  const site = await startWebSite();
  const model = await startModelServer({
    dialect,
    steps: options.steps?.(site.origin) ?? [],
    models: [{ id: 'test-model', capabilities: ['completion', 'tools'] }],
  });
  const supportPath = mkdtempSync(join(tmpdir(), 'lam-stage-'));
  const storage = new Map<string, unknown>();
  const panes: Pane[] = [];
  return {
    model,
    site,
    supportPath,
    async open(more = {}) {
      const pane = await openPane({
        bundleDir,
        supportPath,
        storage,
        timeoutMs: 30_000,
        ...more,
        env: { LAM_TEST_ALLOW_ORIGINS: site.hostAndPort, ...more.env },
        preferences: {
          modelServer: dialect === 'ollama' ? 'ollama' : 'openai-compatible',
          address: model.baseUrl,
          searxngUrl: site.searchUrl,
          ...options.preferences,
          ...more.preferences,
        },
      });
      panes.push(pane);
      return pane;
    },
    async close() {
      await Promise.all(panes.map((pane) => pane.kill()));
      await Promise.all([model.close(), site.close()]);
      rmSync(supportPath, { recursive: true, force: true });
    },
  };
}
