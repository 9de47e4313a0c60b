import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Until the process ends or the server closes. A listening socket as lock is never stale, because the kernel removes it
 * with its process. Linux uses an abstract name (`\0…`), other systems a socket file. Throws EADDRINUSE.
 */
export async function takeName(name: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  server.listen(name);
  await once(server, 'listening');
  return server;
}
