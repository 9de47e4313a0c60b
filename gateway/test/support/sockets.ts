import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { waitUntil } from '@panel/kit/testing';
import { type ClientOptions, WebSocket } from 'ws';

export interface Message {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Records its messages. */
export class TestSocket {
  readonly messages: Message[] = [];
  closeCode: number | null = null;
  closeReason = '';
  readonly socket: WebSocket;
  readonly headers: Promise<Record<string, unknown>>;

  constructor(url: string, protocols: string[], options: ClientOptions) {
    this.socket = new WebSocket(url.replace('http', 'ws'), protocols, options);
    this.headers = new Promise((resolve) => this.socket.once('upgrade', ({ headers }) => resolve(headers)));
    this.socket.on('message', (data) => this.messages.push(JSON.parse((data as Buffer).toString()) as Message));
    this.socket.on('close', (code, reason) => {
      this.closeCode = code;
      this.closeReason = reason.toString();
    });
    this.socket.on('error', () => (this.closeCode ??= -1));
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  of(type: string): Message[] {
    return this.messages.filter((message) => message.type === type);
  }

  lines(): string[] {
    return this.of('console_output').map(({ message }) => String(message));
  }

  async open(): Promise<this> {
    await waitUntil('an open socket', () => this.socket.readyState !== WebSocket.CONNECTING);
    if (this.socket.readyState !== WebSocket.OPEN) throw new Error(`the socket did not open: ${this.closeCode}`);
    return this;
  }

  async until(what: string, condition: () => boolean, timeoutMs?: number): Promise<void> {
    await waitUntil(what, condition, timeoutMs);
  }

  async closed(timeoutMs?: number): Promise<number | null> {
    await waitUntil('the socket to close', () => this.closeCode !== null, timeoutMs);
    return this.closeCode;
  }
}

export function openSocket(base: string, serverId: string, token: string, options: ClientOptions = {}): TestSocket {
  const headers = { authorization: `Bearer ${token}`, ...options.headers };
  return new TestSocket(`${base}/api/v1/servers/${serverId}/ws`, [], { ...options, headers });
}

/** HTTP response of a refused upgrade. */
export async function refusedUpgrade(
  base: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      path,
      agent: false,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        ...headers,
      },
    });
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the upgrade was accepted'));
    });
    request.on('error', reject);
    request.end();
  });
}
