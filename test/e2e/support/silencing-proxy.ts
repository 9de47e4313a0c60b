import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { deferred } from '@panel/kit/testing';

/** What becomes of a message that a connection is silenced by. */
export type Fate = 'passed on' | 'dropped';

interface Trap {
  readonly pattern: Buffer;
  readonly fate: Fate;
  readonly sprung: () => void;
}

/** More than any pattern has: one that was cut in two by the network is found all the same. */
const keptBytes = 128;

/**
 * A way to a database on which answers can be lost: the connection that sends the pattern hears nothing any more from then
 * on, as if the network had failed, or the process had been killed, before the answer came.
 */
export class SilencingProxy {
  readonly #server = createServer((client) => this.#serve(client));
  readonly #sockets = new Set<Socket>();
  readonly #traps = new Set<Trap>();

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  /** Stands before the host and port of `url`. The caller closes it. */
  static async before(url: string): Promise<SilencingProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new SilencingProxy({ host: hostname, port: Number(port) });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** `url` with this proxy in the place of its host. */
  instead(url: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return url.replace(/(\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${port}`);
  }

  /** Silence the next connection that sends `pattern`; resolves when one has. */
  async silence(pattern: string | Buffer, fate: Fate = 'passed on'): Promise<void> {
    const { promise, resolve } = deferred();
    this.#traps.add({ pattern: Buffer.from(pattern), fate, sprung: () => resolve() });
    return promise;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(client: Socket): void {
    const target = connect(this.target);
    let isSilent = false;
    let isCut = false;
    let tail = Buffer.alloc(0);
    client.on('data', (chunk) => {
      const seen = Buffer.concat([tail, chunk]);
      tail = seen.subarray(-keptBytes);
      const trap = isSilent ? undefined : [...this.#traps].find(({ pattern }) => seen.includes(pattern));
      if (trap) {
        isSilent = true;
        isCut = trap.fate === 'dropped';
        this.#traps.delete(trap);
      }
      if (!isCut) target.write(chunk);
      trap?.sprung();
    });
    target.on('data', (chunk) => {
      if (!isSilent) client.write(chunk);
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket);
      // A reset of one side is the end of the other; there is nobody else to tell.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** How an insertion into a collection begins on the wire (BSON: a string element called "insert"). */
export function insertInto(collection: string): Buffer {
  const name = Buffer.from(`${collection}\0`);
  const length = Buffer.alloc(4);
  length.writeInt32LE(name.length);
  return Buffer.concat([Buffer.from('\x02insert\0'), length, name]);
}
