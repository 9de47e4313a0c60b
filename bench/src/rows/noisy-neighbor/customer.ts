import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Which requests, at the gateway with limits. */
interface Sent {
  readonly method?: string;
  readonly path: string;
  /** Sent as JSON, bytes as they are. */
  readonly body?: object | Buffer;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Longer answers are only received. */
const retainedBytes = 64 * 1024;

/** A rate limit counts for 60 s from its first request. */
const windowMs = 61_000;

/** The customer who does the worst that the limits allow. */
export class Customer {
  readonly #agent = new Agent({ keepAlive: true });
  #statuses: Record<string, number> = {};
  #window: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  /** Resolves when the limits count from zero. */
  async windowOver(): Promise<void> {
    await this.#window;
  }

  beginWindow(): void {
    this.#window = wait(windowMs);
  }

  /** Statuses since the last call, for a line of results. */
  takeStatuses(): string {
    const counted = Object.entries(this.#statuses).map(([status, count]) => `${count} × ${status}`);
    this.#statuses = {};
    return counted.join(', ');
  }

  /** Each of `count` loops repeats `work` until a request is refused by a rate limit, or until the end of the turn. */
  async repeat(count: number, signal: AbortSignal, work: () => Promise<Reply>): Promise<void> {
    const loop = async () => {
      while (!signal.aborted) if ((await work()).status === 429) return;
    };
    const loops = Array.from({ length: count }, loop);
    await Promise.all(loops).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Resolves at the end of the answer. Rejects when the signal aborts. */
  async send({ method = 'GET', path, body }: Sent, signal: AbortSignal): Promise<Reply> {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
    const sent = bytes === undefined ? {} : { 'content-type': type, 'content-length': bytes.length };
    const headers = { authorization: `Bearer ${this.token}`, ...sent };
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.#agent, signal };
      const outgoing = request(`${this.baseUrl}/api/v1${path}`, options, (response) => {
        const retained: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= retainedBytes) retained.push(chunk);
        });
        response.once('error', reject);
        response.once('end', () => {
          const status = response.statusCode ?? 0;
          const text = Buffer.concat(retained).toString();
          const name = status < 400 ? `${status}` : `${status} ${reasonOf(text)}`;
          this.#statuses[name] = (this.#statuses[name] ?? 0) + 1;
          resolve({ status, text });
        });
      });
      outgoing.once('error', reject);
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function reasonOf(text: string): string {
  const { error } = JSON.parse(text) as { error: { code: string; details?: { reason?: string } } };
  return error.details?.reason ?? error.code;
}
