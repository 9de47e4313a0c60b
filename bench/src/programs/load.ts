import { connect, type Socket } from 'node:net';

export interface LoadRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A closed loop over kept connections: each sends its next request, drawn uniformly, after its last response. Takes
 * `{type: 'job', …}`, answers `{type: 'result', …}`.
 */
export interface LoadJob {
  readonly listen: string;
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** Minimum count of responses. */
  readonly atLeast: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Answers with another status than 200. */
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const headEnd = Buffer.from('\r\n\r\n');

class Connection {
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #missing = 0;
  #sentAt = 0;

  constructor(
    private readonly job: LoadJob,
    private readonly draw: () => Buffer,
    private readonly done: (latencyMs: number, isFine: boolean) => boolean,
  ) {}

  start(): void {
    const [host, port] = [
      this.job.listen.slice(0, this.job.listen.lastIndexOf(':')),
      this.job.listen.split(':').at(-1),
    ];
    const socket = connect({ host, port: Number(port), noDelay: true }, () => this.#send());
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => {
      process.stderr.write(`load: ${error.message}\n`);
      process.exit(1);
    });
    this.#socket = socket;
  }

  #send(): void {
    this.#sentAt = performance.now();
    this.#socket?.write(this.draw());
  }

  #take(chunk: Buffer): void {
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
      if (this.#missing <= 0) this.#answered(true);
      return;
    }
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    this.#missing = length - (this.#received.length - end - headEnd.length);
    const isFine = head.startsWith('HTTP/1.1 200');
    this.#received = Buffer.alloc(0);
    if (!isFine) this.#answered(false);
    else if (this.#missing <= 0) this.#answered(true);
  }

  #answered(isFine: boolean): void {
    this.#missing = 0;
    if (this.done(performance.now() - this.#sentAt, isFine)) this.#send();
    else this.#socket?.destroy();
  }
}

function encode(listen: string, { path, headers = {} }: LoadRequest): Buffer {
  const lines = Object.entries({ host: listen, connection: 'keep-alive', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
}

async function run(job: LoadJob): Promise<LoadResult> {
  const requests = job.requests.map((request) => encode(job.listen, request));
  const draw = () => requests[Math.floor(Math.random() * requests.length)] ?? Buffer.alloc(0);
  const latencies: number[] = [];
  let failures = 0;
  let open = job.connections;
  const begin = performance.now();
  const end = begin + job.seconds * 1_000;
  await new Promise<void>((resolve) => {
    const done = (latencyMs: number, isFine: boolean) => {
      latencies.push(latencyMs);
      if (!isFine) failures += 1;
      if (performance.now() < end || latencies.length < job.atLeast) return true;
      open -= 1;
      if (open === 0) resolve();
      return false;
    };
    for (let index = 0; index < job.connections; index++) new Connection(job, draw, done).start();
  });
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0;
  const seconds = (performance.now() - begin) / 1_000;
  return { requests: latencies.length, seconds, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}

process.on('message', (message: LoadJob) => {
  run(message).then(
    (result) => process.send?.({ type: 'result', ...result }),
    (error: unknown) => {
      process.stderr.write(`load: ${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.({ type: 'ready' });
