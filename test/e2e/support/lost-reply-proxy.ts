import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { deferred } from '@panel/kit/testing';

/** Whether the matching message reaches the database. Its reply never reaches the client. */
export type ProxyMode = 'forward' | 'drop';

interface Rule {
  readonly pattern: Buffer;
  readonly mode: ProxyMode;
  readonly onMatch: () => void;
}

/** Exceeds any pattern, to match across two chunks. */
const retainedBytes = 128;

/** After sending a pattern, a connection receives nothing more, as in a failure before the reply. */
export class LostReplyProxy {
  readonly #server = createServer((client) => this.#serve(client));
  readonly #sockets = new Set<Socket>();
  readonly #rules = new Set<Rule>();

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  /** Proxies the host and port of `url`. The caller closes it. */
  static async start(url: string): Promise<LostReplyProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new LostReplyProxy({ host: hostname, port: Number(port) });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  proxiedUrl(url: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return url.replace(/(\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${port}`);
  }

  /** Resolves once a connection has sent `pattern`. */
  async loseReply(pattern: string | Buffer, mode: ProxyMode = 'forward'): Promise<void> {
    const { promise, resolve } = deferred();
    this.#rules.add({ pattern: Buffer.from(pattern), mode, onMatch: () => resolve() });
    return promise;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(client: Socket): void {
    const target = connect(this.target);
    let isReplyLost = false;
    let isRequestDropped = false;
    let tail = Buffer.alloc(0);
    client.on('data', (chunk) => {
      const received = Buffer.concat([tail, chunk]);
      tail = received.subarray(-retainedBytes);
      const rule = isReplyLost ? undefined : [...this.#rules].find(({ pattern }) => received.includes(pattern));
      if (rule) {
        isReplyLost = true;
        isRequestDropped = rule.mode === 'drop';
        this.#rules.delete(rule);
      }
      if (!isRequestDropped) target.write(chunk);
      rule?.onMatch();
    });
    target.on('data', (chunk) => {
      if (!isReplyLost) client.write(chunk);
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket);
      // Each side ends when the other fails.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** The wire prefix of an insert into a collection (BSON: a string element "insert"). */
export function insertInto(collection: string): Buffer {
  const name = Buffer.from(`${collection}\0`);
  const length = Buffer.alloc(4);
  length.writeInt32LE(name.length);
  return Buffer.concat([Buffer.from('\x02insert\0'), length, name]);
}
