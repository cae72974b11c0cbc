import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { lazyWeb } from '../host/web/lazy-web';
import { executeTool, failedSearches } from '../lib/tools';
import { NO_SETTINGS, NOW } from './support/search-ports';
import { tempFolders } from './support/temp-folder';
import { startWebSite, type WebSite } from './support/web-site';

const ASSETS = join(import.meta.dirname, '../../assets');
const live = (): AbortSignal => new AbortController().signal;

const tempFolder = tempFolders();

let site: WebSite;
beforeAll(async () => {
  site = await startWebSite();
});
afterAll(() => site.close());

type Options = Parameters<typeof lazyWeb>[0];

const web = (assetsPath: string, more: Partial<Options> = {}) =>
  lazyWeb({
    version: '0.0.0',
    assetsPath,
    allowLoopback: [site.hostAndPort],
    settings: { ...NO_SETTINGS, searxngUrl: site.searchUrl },
    systemLanguage: 'de-DE',
    ollama: { baseUrl: 'http://127.0.0.1:9', apiKey: '' },
    now: () => NOW,
    after: (_ms, run) => {
      queueMicrotask(run);
      return () => undefined;
    },
    ...more,
  });

/** A folder with this as `web.js`. */
function assetsWith(code: string): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'web.js'), code);
  return folder;
}

const MADE = `{
  search: () => Promise.resolve({ ok: true, hits: [{ title: 'Load ' + loads, url: '', content: '' }] }),
  fetchPage: () => Promise.resolve({ ok: false, status: 'blocked', message: 'No.' }),
  readFile: () => Promise.resolve({ ok: false, message: 'Not this one.' }),
  checkFile: () => Promise.resolve({ ok: false, message: 'Nor this one.' }),
}`;
const COUNTED = `globalThis.webLoads = (globalThis.webLoads ?? 0) + 1; const loads = globalThis.webLoads;
exports.createWebPorts = () => (${MADE});`;

describe('the built file', () => {
  it('searches', async () => {
    const outcome = await web(ASSETS).search('growing', live(), { count: 1 });
    expect(outcome).toMatchObject({ ok: true, hits: [{ title: 'Growing tea on Verdel' }] });
    expect(site.requests.at(-1)).toContain('/search?q=growing');
  });

  it('reads a page', async () => {
    const outcome = await web(ASSETS).fetchPage(`${site.origin}/moved`, live());
    expect(outcome).toMatchObject({ ok: true, page: { url: `${site.origin}/growing` } });
  });

  it('reads and checks a local file', async () => {
    const path = join(tempFolder(), 'notes.txt');
    writeFileSync(path, 'Steep for two minutes.');
    const { readFile, checkFile } = web(ASSETS);
    const facts = { kind: 'text', name: 'notes.txt', path, size: 22 };
    expect(await checkFile(path, live())).toEqual({ ok: true, file: facts });
    expect(await readFile(path, live())).toEqual({
      ok: true,
      file: {
        ...facts,
        text: 'Steep for two minutes.',
        version: 'cb7318a72b08cc4d4325d8bf7d91b24f555ff8294c1a8ddd32a1cdc08f3bb3ce', // as sha256sum says
      },
    });
  });

  it('refuses what is on this machine and was not named', async () => {
    const { fetchPage } = web(ASSETS, { allowLoopback: [] });
    expect(await fetchPage(site.origin, live())).toMatchObject({ ok: false, status: 'refused' });
  });

  it('says what is not set up', async () => {
    const settings = { ...NO_SETTINGS, searchProvider: 'brave' as const };
    const { search } = web(ASSETS, { settings });
    expect(await search('tea', live())).toEqual({
      ok: false,
      message: 'Brave is the Search Provider of the preferences, but no Brave Key is set',
    });
    expect(search.remedy).toMatch(/^Set the Brave Key,/);
  });
});

describe('before the first call', () => {
  it('nothing is loaded, and scope and remedy are known', () => {
    const { search } = web(assetsWith('globalThis.webWasLoaded = true;'), {
      settings: NO_SETTINGS,
    });
    expect(search.scope).toBe('Wikipedia');
    expect(search.remedy).toMatch(/^Check the network,/);
    expect(globalThis).not.toHaveProperty('webWasLoaded');
  });

  it('a search of the web has no scope, and both are what a copy of the port has', () => {
    const { search } = web(ASSETS);
    expect({ ...search }).toEqual({
      remedy: "Check the SearXNG Address in Lam's preferences.",
    });
    expect(search.scope).toBeUndefined();
  });
});

describe('a file that cannot be used', () => {
  const END = '; reinstall Lam, or run npm run prepare';
  it.each<[string, string | undefined, string]>([
    ['is missing', undefined, "Lam's web tools are missing (assets/web.js)"],
    [
      'fails',
      'throw new Error("Out of order\\nRequire stack")',
      'cannot be loaded (assets/web.js: Out of order)',
    ],
    ['throws no error', 'throw 7', 'cannot be loaded (assets/web.js: 7)'],
    [
      'was cut off',
      'exports.createWebPorts = () => {',
      'cannot be loaded (assets/web.js: Unexpected end of input)',
    ],
    ['is another file', 'exports.other = 1', 'do not belong to this version (assets/web.js)'],
    ['is empty', '', 'do not belong to this version (assets/web.js)'],
    ['exports nothing', 'module.exports = null', 'do not belong to this version (assets/web.js)'],
    [
      'has no function',
      'exports.createWebPorts = 1',
      'do not belong to this version (assets/web.js)',
    ],
    [
      'makes nothing',
      'exports.createWebPorts = () => undefined',
      'do not belong to this version (assets/web.js)',
    ],
    [
      'makes half',
      'exports.createWebPorts = () => ({ search() {} })',
      'do not belong to this version (assets/web.js)',
    ],
    [
      'fails to make',
      'exports.createWebPorts = () => { throw new Error("x") }',
      'cannot be loaded (assets/web.js: x)',
    ],
    [
      'says a lot',
      `throw new Error('x'.repeat(500))`,
      `cannot be loaded (assets/web.js: ${'x'.repeat(100)})`,
    ],
  ])('because it %s: each call says what to do', async (_name, code, said) => {
    const { search, fetchPage, readFile, checkFile } = web(
      code === undefined ? tempFolder() : assetsWith(code),
    );
    const found = await search('tea', live());
    const message = found.ok ? '' : found.message;
    expect(message.endsWith(`${said}${END}`)).toBe(true);
    expect(await fetchPage(site.origin, live())).toEqual({
      ok: false,
      status: 'unreadable',
      message: `${message}.`,
    });
    const sentence = { ok: false, message: `${message}.` };
    expect(await readFile('/notes.txt', live())).toEqual(sentence);
    expect(await checkFile('/notes.txt', live())).toEqual(sentence);
    const ports = { search, fetchPage, boundary: () => 'word' };
    const { content, isError } = await executeTool('web_search', { query: 'tea' }, ports);
    const call = { name: 'web_search', arguments: { query: 'tea' }, result: content, isError };
    expect(failedSearches([call], search.remedy)).toBe(`No search worked: ${message}.`);
  });

  it('is a folder', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'web.js'));
    expect(await web(folder).search('tea', live())).toMatchObject({ ok: false });
  });

  it('is looked for again by the next call, and remembered once it was there', async () => {
    const folder = tempFolder();
    const { search, fetchPage, readFile, checkFile } = web(folder);
    expect(await search('tea', live())).toMatchObject({ ok: false });
    expect(search.remedy).toBeUndefined();
    writeFileSync(join(folder, 'web.js'), COUNTED);
    const found = { ok: true, hits: [{ title: 'Load 1', url: '', content: '' }] };
    expect(await search('tea', live())).toEqual(found);
    expect(search.remedy).toBe("Check the SearXNG Address in Lam's preferences.");
    rmSync(join(folder, 'web.js'));
    expect(await search('tea', live())).toEqual(found);
    expect(await fetchPage(site.origin, live())).toMatchObject({ status: 'blocked' });
    expect(await readFile('/a', live())).toMatchObject({ message: 'Not this one.' });
    expect(await checkFile('/a', live())).toMatchObject({ message: 'Nor this one.' });
  });
});
