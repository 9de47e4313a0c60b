import { WebSocket } from 'ws';

/**
 * Ask for a socket: 101 when it opened (it is closed again), else the status of the answer. Sub-protocols go in as the
 * header a browser would send.
 */
export async function openedOrStatus(
  base: string,
  path: string,
  { 'sec-websocket-protocol': protocols, ...headers }: Record<string, string>,
): Promise<number> {
  const offered = protocols?.split(', ') ?? [];
  const socket = new WebSocket(`${base.replace(/^http/, 'ws')}${path}`, offered, { headers, handshakeTimeout: 10_000 });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.close(1000);
      resolve(101);
    });
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.once('error', reject);
  });
}
