import { connect, createServer, type Socket } from 'node:net';

/** A port of this machine that is closed until a server is put behind it. */
export interface ClosedPort {
  origin: string;
  /** From now on whatever connects is led to this port. */
  open(target: number): Promise<void>;
  /** From now on whatever connects is sent these bytes, and nothing else. */
  greet(bytes: string): Promise<void>;
  close(): Promise<void>;
}

/** Takes a free port and closes it again. */
export async function closedPort(): Promise<ClosedPort> {
  let serve: (socket: Socket) => void = () => undefined;
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((socket) => {
    serve(track(socket));
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => {
        resolve();
      });
    });
  await listen(0);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  const { port } = address;
  await close();
  const listenWith = async (next: typeof serve) => {
    serve = next;
    if (!server.listening) await listen(port);
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    open: (target) =>
      listenWith((socket) => {
        const other = track(connect(target, '127.0.0.1'));
        socket.pipe(other).pipe(socket);
        socket.on('close', () => other.destroy());
      }),
    greet: (bytes) =>
      listenWith((socket) => {
        socket.end(bytes);
      }),
    close: () => (server.listening ? close() : Promise.resolve()),
  };
}
