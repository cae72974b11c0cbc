import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';

import { makeConversation, makeSource, makeToolCall, makeTurn } from './support/builders';
import { ask, drawn, everyExchange, questions, shown, untilTurn } from './support/chat-pane';
import { words } from './support/model-server';
import type { Pane } from './support/pane';
import { drawPane } from './support/pane-model';
import { stages } from './support/stages';
import { putConversation, putRecord } from './support/store-files';
import { startWebServer, type WebServer } from './support/web-server';

const stage = stages();

/** Everything that makes the launcher load, open or end without being asked, with `pixel` as the address to load. */
const traps = (pixel: string): string[] => [
  `![seen](${pixel})`,
  `![seen][ref]\n\n[ref]: ${pixel}`,
  `<img src=${pixel}>`,
  `<img src="${pixel}" onerror="x()">`,
  `text <b>bold <img src='${pixel}'></b> text`,
  `<div><p>block</p><img src="${pixel}"></div>`,
  `<style>@import url("${pixel}");</style>`,
  `<link rel=stylesheet type="text/css" href="${pixel}">`,
  `<table background="${pixel}"><tr><td background="${pixel}">cell</td></tr></table>`,
  `<span style="background-image:url(${pixel})">styled</span>`,
  `- item ![seen](${pixel})\n- <img src="${pixel}">`,
  `> ![seen](${pixel})\n> <img src="${pixel}">`,
  `| a | b |\n|---|---|\n| ![seen](${pixel}) | <img src=${pixel}> |`,
  `\`\`\`<img src="${pixel}">\ncode\n\`\`\``,
  '![x](icon://http)',
  '![x](icon://builtin)',
  `![x](icon://http/${pixel.slice('http://'.length)})`,
  `<img src="icon://http/${pixel.slice('http://'.length)}">`,
  `![x](icon://builtin/star?fallback=icon://http/${pixel.slice('http://'.length)})`,
  '[run](javascript:alert(1)) [server](vicinae://kill) [file](file:///etc/hostname) [path](/etc/hostname)',
  '<a href="javascript:alert(1)">run</a> <javascript:alert(1)> <vicinae://kill>',
  `[8] [9]\n\n[8]: javascript:alert(1)\n[9]: ${pixel}`,
  `[^1]: <img src=${pixel}>`,
  `$\\text{<img src=${pixel}>}$`,
  `<img src="${pixel}`, // never closed, at the very end
];

/** A paragraph as three pieces of a stream. */
function inThree(text: string): string[] {
  const third = Math.ceil(text.length / 3);
  return [`\n\n${text.slice(0, third)}`, text.slice(third, 2 * third), text.slice(2 * third)];
}

/** What must hold for everything that was ever on screen. */
function expectHarmless(pane: Pane): void {
  expect(pane.crash).toBeNull();
  expect(pane.rejections).toEqual([]);
  expect(pane.hazards()).toMatchObject({ fetches: [], crashes: [] });
  const drawings = [...new Set(pane.frames.map(({ markdown }) => markdown))].map(drawPane);
  const targets = new Set(drawings.flatMap(({ links }) => links.map(({ href }) => href)));
  expect([...targets].filter((href) => !/^(?:https?|mailto):/.test(href))).toEqual([]);
}

/** A search service and a page that want to be more than text. */
async function hostileWeb(pixel: string): Promise<WebServer & { paths: string[] }> {
  const paths: string[] = [];
  const title = `<img src=${pixel}> ![t](${pixel}) [1] &lt;b&gt;`;
  const server: WebServer = await startWebServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    paths.push(pathname);
    if (pathname === '/search') {
      const urls = [
        `${server.origin}/page`,
        'javascript:alert(1)',
        'vicinae://kill',
        '/etc/hostname',
        `${server.origin}/"><img src=${pixel}>`,
        `${server.origin}/a)![x](${pixel}`,
        `icon://http/${pixel}`,
      ];
      const results = urls.map((url) => ({ url, title, content: traps(pixel).join('\n') }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ query: '', results }));
      return;
    }
    const escaped = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>${escaped}</title><article><h1>${escaped}</h1>${`<p>A long enough paragraph. <img src="${pixel}"></p>`.repeat(20)}</article>`,
    );
  });
  onTestFinished(() => server.close());
  return Object.assign(server, { paths });
}

describe('hostile text', () => {
  it('from a model, a search and a page loads nothing and ends nothing, at no moment of the stream', async () => {
    let webOrigin = '';
    const { open, model, site } = await stage({
      steps: (origin) => {
        const image = `<img src=${origin}/pixel>`;
        const text = [...words('Cited [1][2].'), ...traps(`${origin}/pixel`).flatMap(inThree)];
        return [
          () => ({
            reasoning: traps(`${origin}/pixel`).join('\n\n'),
            text: `Looking ${image} up.`,
            calls: [
              { name: 'web_search', arguments: { query: `${image} ![q](icon://http)` } },
              { name: 'web_fetch', arguments: { url: `${webOrigin}/page` } },
              { name: image, arguments: { url: image } },
            ],
          }),
          { text, delayMs: 40 }, // half a frame: most cuts are seen
        ];
      },
    });
    const pixel = `${site.origin}/pixel`;
    const web = await hostileWeb(pixel);
    webOrigin = web.origin;
    const pane = await open({
      preferences: { searxngUrl: web.origin, showToolCalls: true, showReasoning: true },
      env: { LAM_TEST_ALLOW_ORIGINS: `${site.hostAndPort},${web.hostAndPort}` },
    });
    await ask(pane, `What is <img src=${pixel}> ![q](icon://http)?`);
    await untilTurn(pane, 'done');
    expect(web.paths).toContain('/search');
    expect(web.paths).toContain('/page');
    const { text, links } = drawn(pane);
    expect(text).toContain('Cited [1][2].');
    expect(links.map(({ href }) => href)).toContain(`${web.origin}/page`);

    for (const title of ['Open Answer', 'Show Whole Conversation', 'Conversations…']) {
      await pane.action(title);
      await pane.waitFor(() => pane.depth === 2, { label: title });
      await pane.settled();
      await pane.back();
    }
    for (const { title, submenu } of pane.actions().filter((each) => each.submenu !== undefined))
      await pane.action(`${submenu ?? ''}/${title}`);
    expect(pane.opened.filter((target) => !target.startsWith(web.origin))).toEqual([]);
    expect(pane.opened.length).toBeGreaterThan(0);
    await pane.action('Copy Conversation as Markdown');
    await pane.waitFor(() => pane.clipboard !== null, { label: 'the copy' });
    await pane.settled();

    expectHarmless(pane);
    expect(site.requests.filter((request) => request.includes('/pixel'))).toEqual([]);
    expect(web.paths.filter((path) => path.includes('pixel'))).toEqual([]);
    model.assertComplete();
  });

  it('from a failing model server stays a sentence', async () => {
    const { open, site } = await stage({
      steps: (origin) => [
        {
          raw: {
            status: 500,
            body: JSON.stringify({
              error: {
                message: `<img src=${origin}/pixel> ![x](icon://http) [go](vicinae://kill)`,
              },
            }),
          },
        },
      ],
    });
    const pane = await open();
    await ask(pane, 'Well?');
    await untilTurn(pane, 'failed');
    expect(drawn(pane).text).toContain('![x](icon://http) [go](vicinae://kill)');
    expect(drawn(pane).links).toEqual([]);
    expectHarmless(pane);
    expect(site.requests).toEqual([]);
  });

  it('from a stored conversation stays text, in the list and in the chat', async () => {
    const { open, site, supportPath } = await stage();
    const pixel = `${site.origin}/pixel`;
    const title = `<img src=${pixel}>`;
    const turns = traps(pixel).map((trap, place) =>
      makeTurn({
        id: `turn-${place}`,
        question: trap,
        response: trap,
        reasoning: trap,
        notice: trap,
        toolCalls: [
          makeToolCall({
            name: trap,
            arguments: { query: trap },
            sources: [
              makeSource({ title: trap, url: pixel }),
              makeSource({ index: 2, title: trap, url: 'javascript:alert(1)' }),
              makeSource({ index: 3, title: trap, url: 'vicinae://kill', kind: 'document' }),
            ],
          }),
        ],
        ...(place % 2 === 0 ? {} : { state: 'failed', error: trap }),
      }),
    );
    putConversation(supportPath, makeConversation({ title, turns }));
    const hostile = new URL('./fixtures/conversations/hostile.json', import.meta.url);
    putRecord(supportPath, 'hostile.json', readFileSync(hostile, 'utf8'));
    putRecord(supportPath, `<img src=x>.json`, '{}');
    const pane = await open({
      command: 'conversations',
      preferences: { showToolCalls: true, showReasoning: true },
    });
    await pane.waitFor(() => pane.list().items.length >= 3, { label: 'the list' });
    await pane.select('tea');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && questions(pane).length === turns.length, {
      label: 'the conversation',
    });
    expect(await everyExchange(pane)).toHaveLength(turns.length);
    await pane.action('Show Whole Conversation');
    await pane.waitFor(() => pane.depth === 3, { label: 'the whole conversation' });
    await pane.settled();
    expectHarmless(pane);
    await pane.back();
    await pane.back();
    await pane.waitFor(() => pane.list().navigationTitle === 'Conversations', {
      label: 'the list',
    });
    await pane.waitFor(() => pane.list().items.some(({ id }) => id === 'hostile'), {
      label: 'the other one',
    });
    await pane.select('hostile');
    await pane.enter();
    await pane.waitFor(() => pane.depth === 2 && shown(pane) !== '', { label: 'the other one' });
    await everyExchange(pane);
    expectHarmless(pane);
    expect(site.requests).toEqual([]);
  });
});
