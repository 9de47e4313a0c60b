import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Parsed if JSON. */
  readonly body: Envelope;
  readonly ms: number;
}

export interface Envelope {
  readonly data?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string; readonly message: string; readonly details: Record<string, unknown> };
}

export interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly json?: unknown;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly from?: string;
}

/** No path normalisation, only Host and Content-Length added. */
export async function send(base: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { hostname, port } = new URL(base);
  const headers: Record<string, string | string[]> = { ...sent.headers };
  const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
  if (sent.token !== undefined) headers['authorization'] = `Bearer ${sent.token}`;
  if (sent.json !== undefined) headers['content-type'] ??= 'application/json';
  if (body !== undefined) headers['content-length'] = `${Buffer.byteLength(body)}`;
  const method = sent.method ?? (body === undefined ? 'GET' : 'POST');
  const options = { hostname, port, path, method, headers, agent: false as const, localAddress: sent.from };
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, headers: received, text, body: parse(text), ms: performance.now() - begin });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function parse(text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** A success's `data`. Throws otherwise, with the answer. */
export async function dataOf<T>(base: string, path: string, sent: Sent = {}): Promise<T> {
  const answer = await send(base, path, sent);
  if (answer.status > 299) throw new Error(`${sent.method ?? ''} ${path}: ${answer.status} ${answer.text}`);
  return answer.body.data as T;
}

export interface RawConnection {
  /** All received text. */
  text(): string;
  write(bytes: string | Buffer): void;
  /** Milliseconds from opening to end. Rejects after `timeoutMs`. */
  ended(timeoutMs: number): Promise<number>;
  destroy(): void;
}

export function openRaw(base: string): RawConnection {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port) });
  const begin = performance.now();
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  // A reset is one kind of end.
  const end = new Promise<number>((resolve) => {
    for (const event of ['end', 'error', 'close'] as const) socket.on(event, () => resolve(performance.now() - begin));
  });
  return {
    text: () => text,
    write: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    ended: async (timeoutMs) => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`the connection is still open after ${timeoutMs} ms`)), timeoutMs);
      });
      return Promise.race([end, late]).finally(() => clearTimeout(timer));
    },
    destroy: () => socket.destroy(),
  };
}

/** Writes bytes to a new connection, and returns its answer after the end. */
export async function exchange(base: string, bytes: string | Buffer, timeoutMs = 5_000): Promise<string> {
  const raw = openRaw(base);
  raw.write(bytes);
  try {
    await raw.ended(timeoutMs);
  } finally {
    raw.destroy();
  }
  return raw.text();
}

/** Runs in order with bounded concurrency, so that waits overlap. */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const atOnce = 6;
  for (let start = 0; start < items.length; start += atOnce) {
    await Promise.all(items.slice(start, start + atOnce).map(work));
  }
}
