import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

import type { Certificate } from './certificates';

/** One connection as a hostile server sees it. */
interface Meeting {
  socket: Socket;
  /** Path and query of the request; empty before one was read. */
  path: string;
  /** `127.0.0.1:<port>` of the server. */
  place: string;
  /** Ends the connection with a reset, under TLS too. */
  reset: () => void;
}

/**
 * What a server does with a connection. `atConnect` acts before anything was read, `answer` once the head of a request has
 * arrived, for each connection anew.
 */
export interface Behaviour {
  atConnect?: (meeting: Meeting) => void;
  answer?: (meeting: Meeting) => void;
}

export interface HostileServer {
  /** `127.0.0.1:<port>`. */
  place: string;
  port: number;
  /** Connections so far. */
  met(): number;
  /** Connections open now. */
  open(): number;
  close(): Promise<void>;
}

/** A TCP server on 127.0.0.1, behind TLS if it has a certificate, that behaves as told. */
export async function startHostileServer(
  { atConnect, answer }: Behaviour,
  certificate?: Certificate,
): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  let met = 0;
  let place = '';
  const meet = (socket: Socket): void => {
    socket.on('error', () => undefined); // the client leaves as it likes
    const reset = (): void => {
      // Only the connection below TLS can be reset.
      for (const each of sockets) if (each.remotePort === socket.remotePort) each.resetAndDestroy();
    };
    atConnect?.({ socket, path: '', place, reset });
    if (answer === undefined) {
      socket.resume(); // or the end of the connection would not be seen
      return;
    }
    let head = '';
    const onData = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', onData);
      socket.resume();
      answer({ socket, path: head.split(' ')[1] ?? '', place, reset });
    };
    socket.on('data', onData);
  };
  const server: Server =
    certificate === undefined ? createServer(meet) : createTlsServer(certificate, meet);
  server.on('tlsClientError', () => undefined); // a client that refuses the certificate
  server.prependListener('connection', (socket: Socket) => {
    met += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address object
  place = `127.0.0.1:${port}`;
  return {
    place,
    port,
    met: () => met,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** Writes and closes. */
export const says = (...parts: readonly (string | Uint8Array)[]): Behaviour => ({
  answer: ({ socket }) => socket.end(joined(parts)),
});

/** Writes and leaves the connection open. */
export const holds = (...parts: readonly (string | Uint8Array)[]): Behaviour => ({
  answer: ({ socket }) => socket.write(joined(parts)),
});

/** Writes and resets the connection. */
export const resetsAfter = (text: string): Behaviour => ({
  answer: ({ socket, reset }) => {
    socket.write(text, () => {
      setTimeout(reset, 20); // what was written is read before the reset overtakes it
    });
  },
});

/** Writes `start`, then `piece` again and again, every `everyMs` milliseconds, until the client leaves. */
export const drips = (start: string, piece: string, everyMs = 10): Behaviour => ({
  answer: ({ socket }) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on('close', () => {
      clearInterval(timer);
    });
  },
});

/** Writes `start`, then `piece` as fast as the client takes it, until it leaves. */
export const floods = (start: string, piece: string | Uint8Array): Behaviour => ({
  answer: ({ socket }) => {
    socket.write(start);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  },
});

/** A whole response with a length; `headers` are lines. */
export function response(
  status: string | number,
  headers: readonly string[],
  body: string | Uint8Array = '',
): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status}${typeof status === 'number' ? ' Status' : ''}`, ...headers];
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\nContent-Length: ${bytes.length}\r\n\r\n`, 'latin1'),
    bytes,
  ]);
}

/** An answer of plain text. */
export const text = (body: string | Uint8Array, ...headers: string[]): Behaviour =>
  says(response(200, ['Content-Type: text/plain; charset=utf-8', ...headers], body));

/** An answer that sends the client on; `{place}` stands for the server's own address. */
export const redirects = (location: string, status = 302): Behaviour => ({
  answer: ({ socket, place }) =>
    socket.end(response(status, [`Location: ${location.replaceAll('{place}', place)}`])),
});

function joined(parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  );
}
