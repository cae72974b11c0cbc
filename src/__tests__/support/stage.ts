import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeDownloads, type Downloads } from './downloads';
import { startModelServer, type ModelServer, type ModelServerOptions } from './model-server';
import type { Step } from './model-server';
import { openPane, type OpenPaneOptions, type Pane } from './pane';
import { startWebSite, type WebSite } from './web-site';

/** Everything around one person at one launcher: a model server, a web site, a folder, and the panes that were opened. */
export interface Stage {
  model: ModelServer;
  site: WebSite;
  /** The extension's folder; shared by all launches on this stage. */
  supportPath: string;
  /** Where its launches export to, which must not be the folder of whoever runs the tests. */
  downloads: Downloads;
  /**
   * Launches a command of the built bundle with its preferences set to this stage's servers. An unloaded thread is given
   * 200 ms, unless a test is about what it does in the launcher's 5 s.
   */
  open: (options?: Partial<OpenPaneOptions>) => Promise<Pane>;
  /** Ends every pane and server and removes the folder. */
  close: () => Promise<void>;
}

export interface StageOptions {
  bundleDir: string;
  /** What the model does; made from the origin of the web site, whose port is not known before. */
  steps?: ((origin: string) => readonly Step[]) | undefined;
  dialect?: ModelServerOptions['dialect'] | undefined;
  /** What the model server lists; default: one model that can call tools. */
  models?: ModelServerOptions['models'];
  /** Answers of the model server for single paths. Looked at for each request, so a test may take one out again. */
  routes?: ModelServerOptions['routes'];
  /** Over the preferences that lead to this stage's servers. */
  preferences?: Record<string, unknown> | undefined;
}

/** Starts the servers. The caller closes the stage. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { bundleDir, dialect = 'openai', routes } = options;
  const site = await startWebSite();
  const model = await startModelServer({
    dialect,
    steps: options.steps?.(site.origin) ?? [],
    models: options.models ?? [{ id: 'test-model', capabilities: ['completion', 'tools'] }],
    ...(routes === undefined ? {} : { routes }),
  });
  const supportPath = mkdtempSync(join(tmpdir(), 'lam-stage-'));
  const home = mkdtempSync(join(tmpdir(), 'lam-home-'));
  const storage = new Map<string, unknown>();
  const panes: Pane[] = [];
  return {
    model,
    site,
    supportPath,
    downloads: makeDownloads(home),
    async open(more = {}) {
      const pane = await openPane({
        bundleDir,
        supportPath,
        storage,
        timeoutMs: 30_000,
        unloadGraceMs: 200,
        ...more,
        env: {
          LAM_TEST_ALLOW_ORIGINS: site.hostAndPort,
          HOME: home,
          XDG_CONFIG_HOME: join(home, '.config'),
          ...more.env,
        },
        preferences: {
          modelServer: dialect === 'openai' ? 'openai-compatible' : dialect,
          address: model.baseUrl,
          searxngUrl: site.searchUrl,
          // A title is a request of its own, which only tests about titles have a step for.
          titles: 'never',
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
      for (const folder of [supportPath, home]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
