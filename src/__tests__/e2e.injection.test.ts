import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';

import { ask, drawn, sourceEntries, untilTurn } from './support/chat-pane';
import { INJECTIONS, type Injection } from './support/injections';
import { words } from './support/model-server';
import { stages } from './support/stages';
import { startWebServer } from './support/web-server';

const stage = stages();

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.nullish(z.string()) })),
});

/** A page with the attempt as its text; nobody may ask its server for anything else. */
async function serveAttempt({ text }: Injection) {
  const paths: string[] = [];
  const server = await startWebServer((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(text.replaceAll('{pixel}', pixel));
  });
  const pixel = `${server.origin}/pixel`;
  onTestFinished(() => server.close());
  return { ...server, pixel, paths };
}

/** Every leak, and of the other kinds each sixth: all of them are tried on the tools themselves. */
const rows = INJECTIONS.filter(({ answer }, n) => answer !== undefined || n % 6 === 0);

describe('a page that wants to be more than text', () => {
  it.each(rows.map((injection) => [injection.name, injection] as const))(
    '%s',
    async (_, injection) => {
      const web = await serveAttempt(injection);
      const page = `${web.origin}/page`;
      const answer = (injection.answer ?? 'Tea is hot [1].').replaceAll('{pixel}', web.pixel);
      const { open, model } = await stage({
        steps: () => [
          { calls: [{ name: 'web_fetch', arguments: { url: page } }] },
          { text: words(answer) },
        ],
      });
      const pane = await open({
        preferences: { showToolCalls: true, showReasoning: true },
        env: { LAM_TEST_ALLOW_ORIGINS: web.hostAndPort },
      });
      await ask(pane, 'What is tea?');
      await untilTurn(pane, 'done');

      // One page was read, and nothing else was asked for, by the tools or by the pane.
      expect(web.paths).toEqual(['/page']);
      expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
      model.assertComplete();
      expect(model.requests).toHaveLength(2);
      // The model read it as one tool result in one fence.
      const { messages } = Request.parse(model.requests[1]?.body);
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
      const result = messages.at(-1)?.content ?? '';
      const word = /^<<<PAGE TEXT (\S+)$/m.exec(result)?.[1] ?? 'no fence';
      expect(result.split(word)).toHaveLength(4);
      expect(result.match(/^[[【［]\d/gmu)).toEqual(['[1']);
      expect(result).toMatch(/\n\nNumbers you may cite: \[1\]\. [^\n]+$/);
      // What is drawn leads to the page, or where the answer itself says; the list under it is not the answer's.
      const { links } = drawn(pane);
      for (const { href } of links) {
        if (href === page) continue;
        expect(href.startsWith(web.pixel)).toBe(true);
      }
      const sources = sourceEntries(pane);
      expect(sources).toEqual([expect.stringMatching(/^\[1\] page/)]);
      expect(links.at(-1)).toMatchObject({ text: '[1]', href: page });
      if (injection.answer === undefined)
        expect(links.map(({ href }) => href)).toEqual([page, page]);
    },
  );
});
