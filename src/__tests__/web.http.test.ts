import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import * as zlib from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';

import {
  createFetcher,
  userAgent,
  type Fetcher,
  type FetcherOptions,
  type FetchResult,
} from '../host/web/http';
import { makeCertificate, makeIssuer } from './support/certificates';
import { startWebServer, type WebServer } from './support/web-server';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function serve(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<WebServer> {
  const server = await startWebServer(listener);
  closers.push(() => server.close());
  return server;
}

/** A TCP server that says what it is told, HTTP or not. */
async function serveRaw(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  );
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // a listening TCP server has an address object
}

function get(
  request: Parameters<Fetcher>[0] | string,
  options: Partial<FetcherOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<FetchResult> {
  const full = typeof request === 'string' ? { url: request } : request;
  return createFetcher({ userAgent: 'Lam-test', ...options })(full, signal);
}

const text = (result: FetchResult): string =>
  result.ok ? Buffer.from(result.bytes).toString() : `${result.reason}: ${result.message}`;
const reason = (result: FetchResult): string => (result.ok ? 'ok' : result.reason);

describe('an ordinary answer', () => {
  it('gives status, address, type, body', async () => {
    const site = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'Text/HTML; charset=utf-8', 'set-cookie': 'a=b' });
      response.end('<p>hello');
    });
    const result = await get(`${site.origin}/a?b=c`, { allowLoopback: [site.hostAndPort] });
    expect(result).toEqual({
      ok: true,
      status: 200,
      url: `${site.origin}/a?b=c`,
      hops: [`${site.origin}/a?b=c`],
      headers: { 'content-type': 'Text/HTML; charset=utf-8' },
      contentType: 'text/html',
      bytes: Buffer.from('<p>hello'),
      cut: false,
    });
  });

  it('asks honestly: user agent, accept, no cookies, no referrer, no kept connection', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const site = await serve((request, response) => {
      seen.push(request.headers);
      if (request.url === '/') response.writeHead(302, { location: '/next', 'set-cookie': 'a=b' });
      response.end();
    });
    await get(
      { url: `${site.origin}/`, accept: 'text/html' },
      { allowLoopback: [site.hostAndPort], userAgent: userAgent('1.2.3'), acceptLanguage: 'de' },
    );
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual({
      host: site.hostAndPort,
      'user-agent': 'Mozilla/5.0 (compatible; Lam/1.2.3; extension of the Vicinae launcher)',
      accept: 'text/html',
      'accept-language': 'de',
      'accept-encoding': 'gzip, deflate, br',
      connection: 'close',
    });
  });

  it.each([204, 304, 404, 429, 500])('status %s is an answer, not a failure', async (status) => {
    const site = await serve((_request, response) => response.writeHead(status).end());
    const result = await get(site.origin, { allowLoopback: [site.hostAndPort] });
    expect(result).toMatchObject({ ok: true, status });
  });
});

describe('what is refused before connecting', () => {
  it.each([
    ['http://127.0.0.1:9/', 'refused'],
    ['http://2130706433/', 'refused'],
    ['http://0x7f.1/', 'refused'],
    ['http://0177.0.0.1/', 'refused'],
    ['http://127。0。0。1/', 'refused'],
    ['http://[::1]/', 'refused'],
    ['http://[::ffff:127.0.0.1]/', 'refused'],
    ['http://[64:ff9b::7f00:1]/', 'refused'],
    ['http://169.254.169.254/latest/meta-data/', 'refused'],
    ['http://192.168.0.1/', 'refused'],
    ['https://10.0.0.1/', 'refused'],
    ['http://localhost/', 'refused'],
    ['http://LOCALHOST.:8080/', 'refused'],
    ['http://app.localhost/', 'refused'],
    ['http://printer.local/', 'refused'],
    ['http://metadata.google.internal/', 'refused'],
    ['http://user:secret@host.example/', 'refused'],
    ['http://user@host.example/', 'refused'],
    ['ftp://host.example/', 'refused'],
    ['file:///etc/passwd', 'refused'],
    ['javascript:alert(1)', 'refused'],
    ['data:text/html,hi', 'refused'],
    ['not an address', 'bad-url'],
    ['/relative', 'bad-url'],
    ['http://', 'bad-url'],
    ['http://[fe80::1%25eth0]/', 'bad-url'],
    [`http://host.example/${'a'.repeat(9_000)}`, 'bad-url'],
    ['', 'bad-url'],
  ])('%s → %s', async (url, expected) => {
    const resolve = (): Promise<never> => Promise.reject(new Error('must not be asked'));
    expect(reason(await get(url, { resolve }))).toBe(expected);
  });

  it.each([
    'http://[::10.0.0.1]/',
    'http://[64:ff9b::192.168.0.1]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[2002:a00:1::]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[2606:4700::5efe:10.0.0.1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://0x7f000001/',
    'http://127.1/',
    'http://0300.0250.1/',
    'http://3232235521/',
    'http://127.0.0.1./',
    'http://0/',
    'http://①②⑦.⓪.⓪.①/',
    'http://loc\u00ADalhost/',
    'http://ＬＯＣＡＬＨＯＳＴ/',
    'http://localhost../',
    'http://host.example@127.0.0.1/',
  ])('%s → refused', async (url) => {
    const resolve = (): Promise<never> => Promise.reject(new Error('must not be asked'));
    expect(reason(await get(url, { resolve }))).toBe('refused');
  });

  it('does not repeat the secret of an address', async () => {
    const result = await get('http://user:secret@host.example/');
    expect(text(result)).not.toContain('secret');
  });

  it.each([
    [[{ address: '127.0.0.1', family: 4 }]],
    [[{ address: '::1', family: 6 }]],
    [
      [
        { address: '93.184.215.14', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    ],
    [[{ address: '::ffff:192.168.0.1', family: 6 }]],
  ])('a name whose DNS answer holds a private address: %j', async (answers) => {
    const result = await get('http://rebind.example/', { resolve: () => Promise.resolve(answers) });
    expect(reason(result)).toBe('refused');
  });

  it('a name that resolves to nothing, or not at all', async () => {
    expect(text(await get('http://no.example/', { resolve: () => Promise.resolve([]) }))).toBe(
      'no-site: There is no site at no.example.',
    );
    const fail = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('x'), { code: 'EAI_AGAIN' }));
    expect(reason(await get('http://no.example/', { resolve: fail }))).toBe('network');
  });

  it('connects to the address that was checked', async () => {
    const site = await serve((request, response) => response.end(request.headers.host));
    let asked = 0;
    const result = await get(`http://site.example:${new URL(site.origin).port}/`, {
      resolve: () => {
        asked += 1;
        return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
      },
      allowAddress: (ip) => ip === '127.0.0.1',
    });
    expect(text(result)).toBe(`site.example:${new URL(site.origin).port}`);
    expect(asked).toBe(1);
  });

  it('connects to the address that was checked, when the name has others a moment later', async () => {
    const seen: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      seen.push(request.socket.localAddress);
      response.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    closers.push(
      () =>
        new Promise((resolve) =>
          server.close(() => {
            resolve();
          }),
        ),
    );
    const { port } = server.address() as AddressInfo; // a listening TCP server has an address object
    let asked = 0;
    const options: Partial<FetcherOptions> = {
      // A name server that gives a good address to whoever checks, and a bad one to whoever connects.
      resolve: () => {
        asked += 1;
        return Promise.resolve([{ address: asked === 1 ? '127.0.0.2' : '127.0.0.3', family: 4 }]);
      },
      allowAddress: (ip) => ip === '127.0.0.2',
    };
    const url = `http://rebind.example:${port}/`;
    expect(text(await get(url, options))).toBe('ok');
    expect(seen).toEqual(['127.0.0.2']);
    expect(reason(await get(url, options))).toBe('refused');
    expect(seen).toEqual(['127.0.0.2']);
    expect(asked).toBe(2);
  });

  it('looks the name up again for a redirect to the same host', async () => {
    const site = await serve((_request, response) =>
      response.writeHead(302, { location: '/again' }).end(),
    );
    let asked = 0;
    const result = await get(`http://rebind.example:${new URL(site.origin).port}/`, {
      resolve: () => {
        asked += 1;
        return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
      },
      allowAddress: (ip) => ip === '127.0.0.1',
    });
    const { port } = new URL(site.origin);
    expect(text(result)).toBe(
      `refused: rebind.example:${port} redirects elsewhere: rebind.example:${port} is on this machine or a private network, which is not read.`,
    );
    expect(asked).toBe(2);
  });

  it.each([0, 1, 2])(
    'one private address among three, at place %i, and nothing is sent',
    async (place) => {
      let met = 0;
      const site = await serve((_request, response) => {
        met += 1;
        response.end();
      });
      const answers = ['127.0.0.1', '127.0.0.1', '127.0.0.1'].map((address, n) => ({
        address: n === place ? '192.168.0.1' : address,
        family: 4,
      }));
      const result = await get(`http://many.example:${new URL(site.origin).port}/`, {
        resolve: () => Promise.resolve(answers),
        allowAddress: (ip) => ip === '127.0.0.1',
      });
      expect(reason(result)).toBe('refused');
      expect(met).toBe(0);
    },
  );

  it.each([21, 22, 25, 6667, 10080])('port %i, which belongs to another service', async (port) => {
    const resolve = (): Promise<never> => Promise.reject(new Error('must not be asked'));
    expect(text(await get(`http://host.example:${port}/`, { resolve }))).toBe(
      `refused: Port ${port} of host.example belongs to another service than the web and is not asked.`,
    );
    // Unless the person says that a server is there.
    const trusted = [`host.example:${port}`];
    const result = await get(`http://host.example:${port}/`, {
      trusted,
      resolve: () => Promise.resolve([]),
    });
    expect(reason(result)).toBe('no-site');
  });

  it('a trailing dot is no other host: neither for refusal nor for a certificate', async () => {
    const resolve = (): Promise<{ address: string; family: number }[]> =>
      Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    expect(reason(await get('http://127.0.0.1.:9/', { resolve }))).toBe('refused');
    expect(reason(await get('http://127.0.0.1..:9/', { resolve }))).toBe('refused');
    const issuer = makeIssuer();
    const asked: string[] = [];
    const certificate = makeCertificate({ name: 'dot.example', issuer });
    const server = createTlsServer(
      {
        ...certificate,
        SNICallback: (name, done) => {
          asked.push(name);
          done(null);
        },
      },
      (_request, response) => response.end('ok'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(
      () =>
        new Promise((resolve) =>
          server.close(() => {
            resolve();
          }),
        ),
    );
    const { port } = server.address() as AddressInfo; // a listening TCP server has an address object
    const result = await get(`https://dot.example.:${port}/`, {
      resolve,
      allowAddress: () => true,
      ca: issuer.cert,
    });
    expect(text(result)).toBe('ok');
    expect(asked).toEqual(['dot.example']);
  });

  it('allowLoopback is exact, and holds for loopback only', async () => {
    const site = await serve((_request, response) => response.end('ok'));
    const other = await serve((_request, response) => response.end('secret'));
    const options = { allowLoopback: [site.hostAndPort, '10.0.0.1:80', 'lan.example:80'] };
    expect(reason(await get(site.origin, options))).toBe('ok');
    expect(reason(await get(other.origin, options))).toBe('refused');
    expect(reason(await get('http://10.0.0.1/', options))).toBe('refused');
    const resolve = (): Promise<{ address: string; family: number }[]> =>
      Promise.resolve([{ address: '10.0.0.1', family: 4 }]);
    expect(reason(await get('http://lan.example/', { ...options, resolve }))).toBe('refused');
  });

  it('trusted reads a server under a local name', async () => {
    const site = await serve((_request, response) => response.end('mine'));
    const { port } = new URL(site.origin);
    const options = {
      trusted: [`search.local:${port}`],
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    };
    expect(text(await get(`http://search.local:${port}/`, options))).toBe('mine');
    expect(reason(await get(`http://other.local:${port}/`, options))).toBe('refused');
  });
});

describe('redirects', () => {
  it('are followed and listed', async () => {
    const site = await serve((request, response) => {
      if (request.url === '/1') response.writeHead(301, { location: '2?x=1' }).end('old');
      else if (request.url === '/2?x=1') response.writeHead(307, { location: '/3#part' }).end();
      else response.end('here');
    });
    const result = await get(`${site.origin}/1#top`, { allowLoopback: [site.hostAndPort] });
    expect(text(result)).toBe('here');
    expect(result).toMatchObject({
      url: `${site.origin}/3#part`,
      hops: [`${site.origin}/1#top`, `${site.origin}/2?x=1#top`, `${site.origin}/3#part`],
    });
  });

  it('five are followed, six are not', async () => {
    const site = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('end');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const options = { allowLoopback: [site.hostAndPort] };
    expect(text(await get(`${site.origin}/5`, options))).toBe('end');
    expect(reason(await get(`${site.origin}/6`, options))).toBe('too-many-redirects');
  });

  it.each([
    ['http://127.0.0.1:1/', 'refused'],
    ['//127.0.0.1:1/', 'refused'],
    ['//localhost/', 'refused'],
    ['http://[::ffff:127.0.0.1]:1/', 'refused'],
    ['http://2130706433:1/', 'refused'],
    ['http://169.254.169.254/', 'refused'],
    ['http://user:pw@host.example/', 'refused'],
    ['file:///etc/passwd', 'refused'],
    ['ftp://host.example/', 'refused'],
    ['http://[broken', 'bad-url'],
  ])('to %s → %s', async (location, expected) => {
    const site = await serve((_request, response) => response.writeHead(302, { location }).end());
    const result = await get(site.origin, { allowLoopback: [site.hostAndPort] });
    expect(reason(result)).toBe(expected);
  });

  it('to a name with a private address is refused', async () => {
    const site = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://inside.example/' }).end(),
    );
    const result = await get(site.origin, {
      allowLoopback: [site.hostAndPort],
      resolve: () => Promise.resolve([{ address: '192.168.0.9', family: 4 }]),
    });
    expect(reason(result)).toBe('refused');
  });

  it('without Location, or with 300, are the answer', async () => {
    const site = await serve((request, response) =>
      response.writeHead(request.url === '/a' ? 302 : 300).end('choose'),
    );
    const options = { allowLoopback: [site.hostAndPort] };
    expect(await get(`${site.origin}/a`, options)).toMatchObject({ ok: true, status: 302 });
    expect(await get(`${site.origin}/b`, options)).toMatchObject({ ok: true, status: 300 });
  });

  it('a Location in raw UTF-8 is understood', async () => {
    const place = await serveRaw((socket) => {
      socket.once('data', (data) => {
        socket.end(
          data.toString().startsWith('GET /start')
            ? 'HTTP/1.1 302 Found\r\nLocation: /caf\u00e9\r\nContent-Length: 0\r\n\r\n'
            : `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${data.toString().split(' ')[1] ?? ''}`,
        );
      });
    });
    const result = await get(`http://${place}/start`, { allowLoopback: [place] });
    expect(text(result)).toBe('/caf%C3%A9');
  });
});

describe('compression', () => {
  const words = 'tea on terraces, '.repeat(500);
  it.each([
    ['gzip', zlib.gzipSync(words)],
    ['x-gzip', zlib.gzipSync(words)],
    ['br', zlib.brotliCompressSync(words)],
    ['deflate', zlib.deflateSync(words)],
    ['deflate', zlib.deflateRawSync(words)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(words))],
    ['identity', Buffer.from(words)],
    ['GZIP', zlib.gzipSync(words)],
  ])('%s is undone', async (coding, body) => {
    const site = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(body),
    );
    const result = await get(site.origin, { allowLoopback: [site.hostAndPort] });
    expect(text(result)).toBe(words);
    expect(result).toMatchObject({ cut: false });
  });

  it.each([
    ['gzip', zlib.gzipSync(Buffer.alloc(20_000_000))],
    ['br', zlib.brotliCompressSync(Buffer.alloc(20_000_000))],
    ['deflate', zlib.deflateSync(Buffer.alloc(20_000_000))],
    ['gzip, gzip', zlib.gzipSync(zlib.gzipSync(Buffer.alloc(20_000_000)))],
  ])('a %s bomb stops at the cap', async (coding, body) => {
    const site = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(body),
    );
    const options = { allowLoopback: [site.hostAndPort] };
    const cut = await get({ url: site.origin, maxBytes: 10_000 }, options);
    expect(cut).toMatchObject({ ok: true, cut: true });
    expect(cut.ok && cut.bytes.length <= 10_000).toBe(true);
    const failed = await get({ url: site.origin, maxBytes: 10_000, onCap: 'fail' }, options);
    expect(reason(failed)).toBe('too-large');
  });

  it.each([
    ['gzip', Buffer.from('this is not gzip at all')],
    ['zstd', Buffer.from('?')],
    ['gzip, gzip, gzip', Buffer.from('?')],
  ])('%s that cannot be undone is a failure', async (coding, body) => {
    const site = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(body),
    );
    expect(reason(await get(site.origin, { allowLoopback: [site.hostAndPort] }))).toBe('network');
  });

  it('a compressed body that ends early is cut, though the server sent all it had', async () => {
    const whole = Array.from({ length: 5_000 }, (_, line) => `line ${line}\n`).join('');
    for (const [coding, body] of [
      ['gzip', zlib.gzipSync(whole)],
      ['deflate', zlib.deflateSync(whole)],
      ['br', zlib.brotliCompressSync(whole)],
    ] as const) {
      const site = await serve((_request, response) =>
        response
          .writeHead(200, { 'content-encoding': coding })
          .end(body.subarray(0, body.length - 9)),
      );
      const result = await get(site.origin, { allowLoopback: [site.hostAndPort] });
      expect(result).toMatchObject({ ok: true, cut: true });
      expect(whole.startsWith(text(result))).toBe(true);
      expect(text(result).length).toBeGreaterThan(1_000);
    }
  });

  it('an empty compressed body is empty', async () => {
    const site = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    );
    const result = await get(site.origin, { allowLoopback: [site.hostAndPort] });
    expect(result).toMatchObject({ ok: true, cut: false });
  });
});

describe('the cap', () => {
  it.each([
    [999, false, 999],
    [1_000, false, 1_000],
    [1_001, true, 1_000],
    [500_000, true, 1_000],
  ])('%s bytes against a cap of 1000: cut %s', async (size, cut, kept) => {
    const site = await serve((_request, response) => response.end(Buffer.alloc(size, 97)));
    const result = await get(
      { url: site.origin, maxBytes: 1_000 },
      { allowLoopback: [site.hostAndPort] },
    );
    expect(result).toMatchObject({ ok: true, cut });
    expect(result.ok && result.bytes.length).toBe(kept);
  });

  it('ends an endless body', async () => {
    const site = await serve((_request, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', more);
      response.on('error', () => undefined);
      more();
    });
    const result = await get(site.origin, { allowLoopback: [site.hostAndPort] });
    expect(result).toMatchObject({ ok: true, cut: true });
  });
});

describe('time and abort', () => {
  it('headers that do not come', async () => {
    const site = await serve(() => undefined);
    const result = await get(site.origin, {
      allowLoopback: [site.hostAndPort],
      headerTimeoutMs: 50,
    });
    expect(text(result)).toBe(`timed-out: ${site.hostAndPort} did not answer in time.`);
  });

  it('a body that drips', async () => {
    const site = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const result = await get(site.origin, {
      allowLoopback: [site.hostAndPort],
      totalTimeoutMs: 150,
    });
    expect(reason(result)).toBe('timed-out');
  });

  it('redirects share one limit', async () => {
    const site = await serve((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 60);
    });
    const result = await get(site.origin, {
      allowLoopback: [site.hostAndPort],
      totalTimeoutMs: 150,
    });
    expect(reason(result)).toBe('timed-out');
  });

  it('a name server that never answers', async () => {
    const resolve = (): Promise<never> => new Promise(() => undefined);
    const result = await get('http://slow.example/', { resolve, headerTimeoutMs: 50 });
    expect(reason(result)).toBe('timed-out');
  });

  it('abort before the start, while waiting, and in the body', async () => {
    const site = await serve((request, response) => {
      if (request.url === '/body') response.write('begin');
    });
    const options = { allowLoopback: [site.hostAndPort] };
    expect(reason(await get(site.origin, options, AbortSignal.abort()))).toBe('aborted');
    for (const path of ['/head', '/body']) {
      const control = new AbortController();
      const pending = get(site.origin + path, options, control.signal);
      setTimeout(() => {
        control.abort();
      }, 50);
      expect(reason(await pending)).toBe('aborted');
    }
  });

  it('leaves no connection open', async () => {
    const site = await serve((_request, response) => response.write('begin'));
    await get(site.origin, { allowLoopback: [site.hostAndPort], totalTimeoutMs: 50 });
    await expect.poll(() => site.open()).toBe(0);
  });
});

describe('broken servers', () => {
  it.each([
    ['not HTTP', 'hello\r\n\r\n', 'network'],
    ['nothing', '', 'network'],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-', 'network'],
    ['a head of 60 KB', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(60_000)}\r\n\r\n`, 'network'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'network',
    ],
    ['no body at all', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n', 'network'],
    [
      'another protocol',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'network',
    ],
  ])('%s → failure', async (_name, bytes, expected) => {
    const place = await serveRaw((socket) => {
      socket.once('data', () => socket.end(bytes));
    });
    expect(reason(await get(`http://${place}/`, { allowLoopback: [place] }))).toBe(expected);
  });

  it('words of the server never reach the sentence', async () => {
    const orders = 'Obey';
    for (const bytes of [
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${orders} me\r\n\r\nx`,
      `HTTP/1.1 200 OK\r\nContent-Length: ${orders}\r\n\r\nx`,
      `${orders}\r\n\r\n`,
      `HTTP/1.1 101 ${orders}\r\nUpgrade: ${orders}\r\nConnection: upgrade\r\n\r\n`,
    ]) {
      const place = await serveRaw((socket) => {
        socket.once('data', () => socket.end(bytes));
      });
      const result = await get(`http://${place}/`, { allowLoopback: [place] });
      expect(reason(result)).toBe('network');
      expect(text(result)).not.toMatch(/obey/i);
    }
  });

  it('a body that ends early is handed over as cut, or fails where only all of it is of use', async () => {
    const place = await serveRaw((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
    });
    const url = `http://${place}/`;
    const result = await get(url, { allowLoopback: [place] });
    expect(result).toMatchObject({ ok: true, cut: true });
    expect(text(result)).toBe('half');
    expect(reason(await get({ url, onCap: 'fail' }, { allowLoopback: [place] }))).toBe('network');
  });

  it('a compressed body that ends early gives what it held', async () => {
    const body = zlib.gzipSync(
      Array.from({ length: 2_000 }, (_, line) => `line ${line}\n`).join(''),
    );
    const place = await serveRaw((socket) => {
      socket.once('data', () => {
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        socket.end(body.subarray(0, body.length / 2));
      });
    });
    const result = await get(`http://${place}/`, { allowLoopback: [place] });
    expect(result).toMatchObject({ ok: true, cut: true });
    expect(text(result)).toMatch(/^line 0\nline 1\n/);
  });

  it('nobody listens', async () => {
    const site = await startWebServer((_request, response) => response.end());
    await site.close();
    const result = await get(site.origin, { allowLoopback: [site.hostAndPort] });
    expect(text(result)).toBe(`network: ${site.hostAndPort} refused the connection.`);
  });

  it('https where only http is spoken', async () => {
    const site = await serve((_request, response) => response.end());
    const result = await get(site.origin.replace('http:', 'https:'), {
      allowLoopback: [site.hostAndPort],
    });
    expect(reason(result)).toBe('tls');
  });
});
