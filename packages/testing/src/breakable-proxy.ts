import { connect, createServer, type Server, type Socket } from 'node:net';

/** Each fault lasts until `mend`, but those that end connections: these meet the connections of the moment. */
export interface BreakableProxy {
  readonly port: number;
  refuse(): Promise<void>;
  /** Stops traffic without closing connections. */
  hang(): void;
  /** Every piece of traffic arrives this much later. */
  delay(ms: number): void;
  /** Every connection ends in the middle of what is sent next, either way. */
  cut(): void;
  /** What was asked arrives; every connection ends instead of its next answer. */
  loseReplies(): void;
  /** Restores traffic; closes connections. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

type Endpoint = { readonly host: string; readonly port: number } | { readonly path: string };

/** Two sockets that belong together, and what will end them. */
interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
  ending?: 'cut' | 'reply';
}

/** On a free port, or in front of a socket file at the path `at`. */
export async function startBreakableProxy(target: Endpoint, at: number | string = 0): Promise<BreakableProxy> {
  const connections = new Set<Connection>();
  let isHanging = false;
  let delayMs = 0;
  const relay = (connection: Connection, chunk: Buffer, from: Socket, to: Socket) => {
    const { ending, upstream } = connection;
    if (isHanging) return;
    if (ending === 'cut') to.write(chunk.subarray(0, chunk.length / 2), () => to.destroy());
    else if (ending === 'reply' && from === upstream) from.destroy();
    else if (delayMs > 0) setTimeout(() => to.destroyed || to.write(chunk), delayMs);
    else to.write(chunk);
  };
  const server = createServer((client) => {
    const connection = { client, upstream: connect(target) };
    connections.add(connection);
    for (const [from, to] of [
      [client, connection.upstream],
      [connection.upstream, client],
    ] as const) {
      from.on('data', (chunk: Buffer) => relay(connection, chunk, from, to));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        connections.delete(connection);
        to.destroy();
      });
    }
  });
  const drop = () => {
    for (const { client, upstream } of connections) for (const socket of [client, upstream]) socket.destroy();
  };
  const endAll = (ending: Connection['ending']) => {
    for (const connection of connections) connection.ending = ending;
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
    delay: (ms) => {
      delayMs = ms;
    },
    cut: () => endAll('cut'),
    loseReplies: () => endAll('reply'),
    mend: async () => {
      isHanging = false;
      delayMs = 0;
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
