import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import type { PrivateEngine } from './private-engine.js';

/** Inner half: from a socket file, visible in both networks, to a port of the engine's network. */
const inner = `
const { connect, createServer } = require('node:net');
const [socket, port] = process.argv.slice(1);
createServer((near) => {
  const far = connect(Number(port), '127.0.0.1');
  near.pipe(far); far.pipe(near);
  for (const one of [near, far]) one.on('error', () => { near.destroy(); far.destroy(); });
}).listen(socket, () => process.stdout.write('ready'));
`;

/** Byte relay from this network to a port in an engine's. */
export class TlsRelay {
  private constructor(
    readonly port: number,
    private readonly server: Server,
    private readonly child: ChildProcess,
  ) {}

  static async open(engine: PrivateEngine, port: number): Promise<TlsRelay> {
    const socket = path.join(engine.directory, `relay-${port}.sock`);
    const [command, ...args] = engine.commandInside(process.execPath, ['-e', inner, socket, String(port)]);
    const child = spawn(command ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const server = createServer((near) => {
      const far = connect(socket);
      near.pipe(far);
      far.pipe(near);
      const end = () => {
        near.destroy();
        far.destroy();
      };
      near.on('error', end);
      far.on('error', end);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TlsRelay((server.address() as AddressInfo).port, server, child);
  }

  close(): void {
    this.child.kill();
    this.server.close();
  }
}
