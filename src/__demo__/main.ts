import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildBundle } from '../__tests__/support/build';
import { openPane, type OpenPaneOptions, type Pane } from '../__tests__/support/pane';
import { startModelServer } from '../__tests__/support/model-server';
import { startWebSite } from '../__tests__/support/web-site';

import { playDocuments } from './documents-scene';
import { readOptions, type DemoOptions } from './options';
import { papersScript, putPapers } from './papers';
import { demoScript, QUESTIONS } from './script';
import { follow, heading, hiding, note, showExchange, showRows, type Output } from './screen';

/**
 * Lam's main job, in a launcher without a screen: the built bundle, its agent loop, web tools and pane. A person asks,
 * follows up, closes the window in mid-answer, loses the command in mid-answer, and copies the conversation. Then somebody
 * chooses a folder of documents, asks about it, and looks at the evidence.
 */
const output: Output = {
  write: (text) => {
    process.stdout.write(text);
  },
  isTerminal: process.stdout.isTTY,
};

/** Milliseconds for one answer: a model on a CPU takes minutes. */
const REAL_ANSWER_MS = 10 * 60_000;
const SCRIPTED_ANSWER_MS = 60_000;
/** Milliseconds an answer of the demo's web site takes, so that a person sees what Lam is doing. */
const SITE_PACE_MS = 250;

interface Play {
  open: (more?: Partial<OpenPaneOptions>) => Promise<Pane>;
  questions: Record<keyof typeof QUESTIONS, string>;
  answerMs: number;
}

async function ask(pane: Pane, question: string): Promise<void> {
  note(output, `> ${question}   ↵`);
  await pane.type(question);
  await pane.enter();
}

const answerHasBegun = (pane: Pane, { answerMs }: Play): Promise<unknown> =>
  pane.waitFor(
    () => {
      const { selected, isLoading } = pane.list();
      const words = (selected?.detail ?? '').split('\n\n').slice(1).join(' ').trim();
      return words.length > 20 || !isLoading;
    },
    { label: 'the first words', timeoutMs: answerMs },
  );

async function play(stage: Play): Promise<void> {
  const { open, questions, answerMs } = stage;
  heading(output, 'A question');
  const pane = await open();
  await ask(pane, questions.first);
  await follow(output, pane, answerMs);
  if (pane.list().items[0]?.icon === 'x-mark-circle')
    throw new Error('The question was not answered; see above.');

  heading(output, 'A follow-up');
  await ask(pane, questions.followUp);
  await follow(output, pane, answerMs);

  heading(output, 'The window is closed in mid-answer, and opened again');
  await ask(pane, questions.closed);
  await answerHasBegun(pane, stage);
  const before = pane.list().selected?.detail?.length ?? 0;
  pane.closeWindow();
  note(output, `closed at ${String(before)} characters; the answer goes on`);
  await follow({ ...output, write: () => undefined }, pane, answerMs);
  await pane.reopen();
  note(output, `opened again at ${String(pane.list().selected?.detail?.length ?? 0)} characters`);
  output.write('\n');
  showExchange(output, pane);

  heading(output, 'The launcher unloads the command in mid-answer; it is started again');
  await ask(pane, questions.unloaded);
  await answerHasBegun(pane, stage);
  await pane.unload();
  note(output, 'unloaded');
  const again = await open();
  await again.waitFor(() => again.list().items.length > 0, { label: 'the last conversation' });
  await again.settled();
  showRows(output, again);
  output.write('\n');
  showExchange(output, again);
  output.write('\n');
  if (again.actions()[0]?.title === 'Continue') {
    note(output, '↵ Continue');
    await again.enter();
    await follow(output, again, answerMs);
  }

  heading(output, 'The conversation, copied as Markdown');
  await again.action('Copy Conversation as Markdown');
  await again.waitFor(() => again.clipboard !== null, { label: 'the copy' });
  output.write(`${again.clipboard?.text ?? ''}\n`);
  output.write('\n');
  note(output, `${again.toast?.title ?? ''}.`);
}

type Opener = (preferences: Record<string, unknown>, env: Record<string, string>) => Play['open'];

/** The second scene, with a model server and folders of its own below `folder`. */
async function documentsScene(open: Opener, folder: string): Promise<void> {
  const model = await startModelServer({
    dialect: 'openai',
    steps: papersScript,
    models: [{ id: 'demo-model', capabilities: ['completion', 'tools'] }],
  });
  const supportPath = mkdtempSync(join(folder, 'documents-'));
  const home = mkdtempSync(join(folder, 'home-'));
  try {
    const preferences = {
      modelServer: 'openai-compatible',
      address: model.baseUrl,
      webTools: false,
      titles: 'never',
    };
    const openHere = open(preferences, { HOME: home });
    await playDocuments({
      open: (more = {}) => openHere({ supportPath, ...more }),
      output: hiding(output, home),
      papers: putPapers(home),
      answerMs: SCRIPTED_ANSWER_MS,
    });
    model.assertComplete();
  } finally {
    await model.close();
  }
}

async function main(options: DemoOptions): Promise<void> {
  if (options.kind === 'help') {
    output.write(`${options.usage}\n`);
    return;
  }
  note(output, 'building …');
  const bundleDir = await buildBundle();
  const supportPath = mkdtempSync(join(tmpdir(), 'lam-demo-'));
  const panes: Pane[] = [];
  const open =
    (preferences: Record<string, unknown>, env: Record<string, string>) =>
    async (more: Partial<OpenPaneOptions> = {}): Promise<Pane> => {
      const pane = await openPane({
        bundleDir,
        supportPath,
        preferences,
        env,
        unloadGraceMs: 500,
        timeoutMs: 30_000,
        ...more,
      });
      panes.push(pane);
      return pane;
    };
  try {
    if (options.kind === 'real') {
      const questions = {
        first: options.question,
        followUp: 'Say that again in two sentences.',
        closed: 'What is uncertain or disputed about it?',
        unloaded: 'Give me a longer account of it, with sources.',
      };
      await play({ open: open(options.preferences, {}), questions, answerMs: REAL_ANSWER_MS });
      return;
    }
    const site = await startWebSite({ paceMs: SITE_PACE_MS });
    const model = await startModelServer({
      dialect: 'openai',
      steps: demoScript(site.origin),
      models: [{ id: 'demo-model', capabilities: ['completion', 'tools'] }],
    });
    try {
      const preferences = {
        modelServer: 'openai-compatible',
        address: model.baseUrl,
        searxngUrl: site.searchUrl,
        // A title is a request of its own, which the script has no step for.
        titles: 'never',
      };
      await play({
        open: open(preferences, { LAM_TEST_ALLOW_ORIGINS: site.hostAndPort }),
        questions: QUESTIONS,
        answerMs: SCRIPTED_ANSWER_MS,
      });
      model.assertComplete();
    } finally {
      await Promise.all([model.close(), site.close()]);
    }
    await documentsScene(open, supportPath);
    output.write('\n');
    note(output, 'All of this ran in the built extension; nothing left this machine.');
  } finally {
    await Promise.all(panes.map((pane) => pane.kill()));
    rmSync(supportPath, { recursive: true, force: true });
  }
}

async function run(): Promise<void> {
  try {
    await main(readOptions(process.argv.slice(2), process.env));
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

void run();
