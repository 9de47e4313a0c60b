import { WebSocket } from 'ws';

/** 101 for an opened (and closed) socket, else the answer's status. */
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
