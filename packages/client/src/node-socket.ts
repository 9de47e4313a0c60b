import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ApiError } from './api-error.js';
import type { OpenSocket } from './socket.js';

const handshakeTimeoutMs = 10_000;

/** Open a socket with `ws`: sends the token as a header, and reads the response of a refused upgrade. */
export const openNodeSocket: OpenSocket = ({ url, token }) => {
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: handshakeTimeoutMs,
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      const finish = (error: unknown) => {
        reject(error);
        socket.terminate();
      };
      readRefusal(response).then(finish, finish);
    });
  });
  return { socket, opened };
};

async function readRefusal(response: IncomingMessage): Promise<ApiError> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  const answer = new Response(null, { status: response.statusCode ?? 500, headers });
  return ApiError.from(answer, parseJson(Buffer.concat(chunks).toString('utf8')));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
