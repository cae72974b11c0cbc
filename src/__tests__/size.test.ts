import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { expect, inject, it } from 'vitest';

/** Bytes of a command's bundle. The launcher reads and parses all of it at every launch (docs/performance.md). */
const MAX_COMMAND_BYTES = 650_000;

/** Bytes of the web tools: the first search or fetch of a launch loads them on the thread that draws; 120 KB take some 45 ms of processor time there. Twice that would be seen. */
const MAX_WEB_BYTES = 150_000;

const COMMANDS = ['chat.js', 'conversations.js'];

it.each(COMMANDS)('%s stays small enough to load at every launch', (file) => {
  const { size } = statSync(join(inject('bundleDir'), file));
  expect(size).toBeGreaterThan(100_000); // it is the whole command, not a stub that loads it from somewhere else
  expect(size).toBeLessThanOrEqual(MAX_COMMAND_BYTES);
});

it('documents.js, which has no chat in it, is a small part of that', () => {
  const { size } = statSync(join(inject('bundleDir'), 'documents.js'));
  expect(size).toBeGreaterThan(30_000);
  expect(size).toBeLessThanOrEqual(100_000);
});

it.each(COMMANDS)('%s has nothing in it that only a search or a fetch needs', (file) => {
  const text = readFileSync(join(inject('bundleDir'), file), 'utf8');
  const web = readFileSync(join(inject('bundleDir'), 'assets/web.js'), 'utf8');
  for (const mark of ['html.duckduckgo.com', 'srsearch', 'ipv4Mapped', 'windows-1252']) {
    expect(web).toContain(mark);
    expect(text).not.toContain(mark);
  }
});

/** Bytes of the agent loop with the tools, the grammar of markers and what finds the evidence of an answer: the first question of a launch loads it on the thread that draws. */
const MAX_AGENT_BYTES = 290_000;

/** Bytes of the model servers and Check Setup; every launch loads them, after its first frame. */
const MAX_PROVIDERS_BYTES = 150_000;

it.each(COMMANDS)('%s has nothing in it that only a model server or the check needs', (file) => {
  const text = readFileSync(join(inject('bundleDir'), file), 'utf8');
  const providers = readFileSync(join(inject('bundleDir'), 'assets/providers.js'), 'utf8');
  for (const mark of ['anthropic-version', 'num_ctx', 'stream_options', 'repeat_word']) {
    expect(providers).toContain(mark);
    expect(text).not.toContain(mark);
  }
});

it.each([
  ['assets/page.js', 'the page reader', 100_000, Infinity],
  ['assets/pdf.js', 'the PDF reader', 1_000_000, Infinity],
  ['assets/web.js', 'search and page reading', 50_000, MAX_WEB_BYTES],
  ['assets/agent.js', 'the agent loop', 100_000, MAX_AGENT_BYTES],
  ['assets/providers.js', 'the model servers', 50_000, MAX_PROVIDERS_BYTES],
  ['assets/library.js', 'the search of conversations', 30_000, 80_000],
  ['assets/documents.js', 'the reading and search of documents', 80_000, 200_000],
  ['assets/evidence.js', 'the evidence of an answer', 200_000, 540_000],
])('%s is a file of its own, with %s in it', (file, _content, least, most) => {
  const { size } = statSync(join(inject('bundleDir'), file));
  expect(size).toBeGreaterThan(least);
  expect(size).toBeLessThanOrEqual(most);
});
