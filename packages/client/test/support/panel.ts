import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server in the place of a panel: it answers what the test says and remembers what it was asked. */
export class FakePanel {
  readonly asked: Asked[] = [];
  readonly #server: Server;
  #answer: (asked: Asked, response: ServerResponse) => void = (_asked, response) => response.writeHead(500).end();

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const asked = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
        this.asked.push(asked);
        this.#answer(asked, response);
      });
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get baseUrl(): string {
    const bound = this.#server.address();
    return `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
  }

  get server(): Server {
    return this.#server;
  }

  answer(how: (asked: Asked, response: ServerResponse) => void): void {
    this.#answer = how;
  }
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}) {
  json(response, status, { error: { code, message: 'no', details: {} } }, headers);
}

export function tokens(access: string, refresh: string, expiresIn = 900) {
  return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: expiresIn };
}

/** What a promise was rejected with; fails when it was not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const nothing = Symbol('nothing');
  const failure = await promise.then(
    () => nothing,
    (error: unknown) => error,
  );
  if (failure === nothing) throw new Error('it did not fail');
  return failure;
}
