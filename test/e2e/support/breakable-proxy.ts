import { connect, createServer, type Server, type Socket } from 'node:net';

export interface BreakableProxy {
  readonly port: number;
  refuse(): Promise<void>;
  /** Stops traffic without closing connections. */
  hang(): void;
  /** Restores traffic; closes hung connections. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

type Endpoint = { readonly host: string; readonly port: number } | { readonly path: string };

/** On a free port, or in front of a socket file at the path `at`. */
export async function startBreakableProxy(target: Endpoint, at: number | string = 0): Promise<BreakableProxy> {
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => !isHanging && to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const port = await listen(server, at);
  const refuse = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    drop();
    await closed;
  };
  return {
    port,
    refuse,
    hang: () => {
      isHanging = true;
    },
    mend: async () => {
      isHanging = false;
      drop();
      if (!server.listening) await listen(server, typeof at === 'string' ? at : port);
    },
    close: async () => (server.listening ? refuse() : drop()),
  };
}

async function listen(server: Server, at: number | string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    if (typeof at === 'string') server.listen(at);
    else server.listen(at, '127.0.0.1');
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
