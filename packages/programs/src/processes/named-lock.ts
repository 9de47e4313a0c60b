import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Takes a name for this process, until it ends or the server is closed: a listening socket is the lock, because the
 * kernel takes it away with its process, also after a kill -9, and there are no stale locks. Linux has names outside the
 * file system for it (`\0…`); elsewhere the name is a socket file. Throws EADDRINUSE when another one has it.
 */
export async function takeName(name: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  server.listen(name);
  await once(server, 'listening');
  return server;
}
