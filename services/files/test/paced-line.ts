import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pause } from '@panel/kit/async';

/**
 * Limited to `bytesPerSecond`, to interrupt short transfers anywhere. Calls `target` per connection, as its address may
 * change.
 */
export interface PacedLine {
  readonly address: string;
  stop(): void;
}

export async function startPacedLine(target: () => string, bytesPerSecond = 5 * 1024 * 1024): Promise<PacedLine> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((near) => {
    const { hostname, port } = new URL(`tcp://${target()}`);
    const far = keep(connect({ host: hostname, port: Number(port) }));
    keep(near).on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far);
    pass(far, near, bytesPerSecond).catch(() => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function pass(from: Socket, to: Socket, bytesPerSecond: number): Promise<void> {
  let due = performance.now();
  for await (const chunk of from as AsyncIterable<Buffer>) {
    if (!to.write(chunk)) await once(to, 'drain');
    due = Math.max(due, performance.now()) + (chunk.length / bytesPerSecond) * 1000;
    if (due > performance.now()) await pause(due - performance.now());
  }
}
