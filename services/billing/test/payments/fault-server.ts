import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Fault of one request. `lose_answer`: executes, then disconnects. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
    }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'never' }
  | { readonly kind: 'lose_answer' }
  | { readonly kind: 'garbage' };

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** Injected faults come first, one per request whose path contains `path`. */
export class FaultServer {
  readonly received: ReceivedRequest[] = [];
  readonly #faults: { readonly path: string; readonly fault: Fault }[] = [];
  readonly #server: Server;
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(answer: (request: ReceivedRequest) => Answer) {
    this.#server = createServer((request, response) => {
      void readBody(request).then((body) => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        const received: ReceivedRequest = {
          method: request.method ?? '',
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body,
        };
        this.received.push(received);
        this.#answer(received, response, answer);
      });
    });
  }

  static async start(answer: (request: ReceivedRequest) => Answer): Promise<FaultServer> {
    const started = new FaultServer(answer);
    await new Promise<void>((resolve) => {
      started.#server.listen(0, '127.0.0.1', resolve);
    });
    return started;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  inject(path: string, ...faults: readonly Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ path, fault })));
  }

  /** Without the faults that have not come yet. */
  heal(): void {
    this.#faults.length = 0;
  }

  requestsTo(path: string, method = 'POST'): ReceivedRequest[] {
    return this.received.filter((request) => request.method === method && request.path.includes(path));
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: ReceivedRequest, response: ServerResponse, answer: (request: ReceivedRequest) => Answer): void {
    const index = this.#faults.findIndex(({ path }) => request.path.includes(path));
    const fault = index === -1 ? undefined : this.#faults.splice(index, 1)[0]?.fault;
    switch (fault?.kind) {
      case 'never':
        return;
      case 'status':
        for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
        return send(response, { status: fault.status, json: fault.json ?? { error: { message: 'injected' } } });
      case 'garbage':
        response.writeHead(200, { 'content-type': 'application/json' }).end('<html>not json');
        return;
      case 'lose_answer':
        answer(request);
        response.destroy();
        return;
      case 'late': {
        const done = answer(request);
        this.#timers.add(setTimeout(() => send(response, done), fault.ms));
        return;
      }
      case undefined:
        return send(response, answer(request));
    }
  }
}

function send(response: ServerResponse, { status, json }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
