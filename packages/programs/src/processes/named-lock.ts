import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Locks a name until the process ends or the server closes. The lock is a listening socket, which the kernel removes
 * with its process, so none is ever stale. Linux uses an abstract name (`\0…`), other systems a socket file. Throws
 * EADDRINUSE when locked.
 */
export async function takeName(name: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  server.listen(name);
  await once(server, 'listening');
  return server;
}
