import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands before a server and keeps what it sends, byte by byte. */
export interface Recorder {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  /** Everything the server has sent through all connections so far, in the order of its arrival. */
  recorded(): Buffer;
  close(): Promise<void>;
}

/** Starts to record what the server at `port` of this machine sends. */
export async function startRecorder(port: number): Promise<Recorder> {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    upstream.on('data', (chunk) => chunks.push(chunk));
    client.pipe(upstream);
    upstream.pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The recorder has no port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    recorded: () => Buffer.concat(chunks),
    close() {
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}
