import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { messageOf } from '@panel/kit/errors';
import { ConfigError } from '@panel/kit/process';
import ssh2, { type Connection } from 'ssh2';
import { SftpConnection, type SftpConnectionDeps } from './connection.js';
import type { ConnectionPlace } from './connection-limits.js';

/** Until the client's identification string. */
const handshakeMs = 10_000;

/** Without known weaknesses; AES-GCM first, for hardware support. */
const algorithms: ssh2.ServerConfig['algorithms'] = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};

interface Entered {
  readonly socket: Socket;
  readonly place: ConnectionPlace;
  readonly handshakeTimer: NodeJS.Timeout;
}

export class SftpServer {
  readonly #deps: SftpConnectionDeps;
  readonly #ssh: ssh2.Server;
  readonly #net: NetServer;
  /** By address and port. */
  readonly #entered = new Map<string, Entered>();
  readonly #connections = new Set<SftpConnection>();

  constructor(deps: SftpConnectionDeps, hostKey: string) {
    this.#deps = deps;
    this.#ssh = new ssh2.Server({ hostKeys: [hostKey], ident: 'panel', algorithms }, (client, { ip, port }) =>
      this.#accept(client, ip, port),
    );
    this.#ssh.on('error', (error: Error) => deps.log.warn({ err: error }, 'the SFTP server failed'));
    this.#net = createServer({ noDelay: true, keepAlive: true }, (socket) => this.#connect(socket));
  }

  /** Returns the address. Throws ConfigError. */
  async listen(address: string): Promise<string> {
    const at = address.lastIndexOf(':');
    const host = address.slice(0, at);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#net.once('error', reject);
        const bare = host.replace(/^\[(.*)\]$/, '$1');
        this.#net.listen({ host: bare, port: Number(address.slice(at + 1)) }, resolve);
      });
    } catch (error) {
      throw new ConfigError([`SFTP_LISTEN cannot be used (${messageOf(error)})`]);
    }
    const bound = this.#net.address();
    return `${host}:${typeof bound === 'object' && bound ? bound.port : 0}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#net.close(() => resolve()));
    for (const connection of this.#connections) connection.close();
    for (const { socket } of this.#entered.values()) socket.destroy();
    await closed;
  }

  #connect(socket: Socket): void {
    const { counts, metrics } = this.#deps;
    const ip = plainAddress(socket.remoteAddress ?? '');
    socket.on('error', () => socket.destroy());
    const place = counts.enter(ip, () => socket.destroy());
    if (!place) {
      metrics.connections.inc({ result: 'limited' });
      socket.destroy();
      return;
    }
    const key = `${socket.remoteAddress}:${socket.remotePort}`;
    const handshakeTimer = setTimeout(() => socket.destroy(), handshakeMs);
    const entered = { socket, place, handshakeTimer };
    this.#entered.set(key, entered);
    socket.once('close', () => {
      clearTimeout(handshakeTimer);
      if (this.#entered.get(key) === entered) this.#entered.delete(key);
      place.leave();
    });
    this.#ssh.injectSocket(socket);
  }

  #accept(client: Connection, ip: string, port: number): void {
    const entered = this.#entered.get(`${ip}:${port}`);
    if (!entered) {
      client.end();
      return;
    }
    const { socket, place, handshakeTimer } = entered;
    clearTimeout(handshakeTimer);
    const connection = new SftpConnection(this.#deps, { client, socket, place, ip: plainAddress(ip) });
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}

/** Unmaps IPv4, for dual-stack listeners. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:/, '');
}
