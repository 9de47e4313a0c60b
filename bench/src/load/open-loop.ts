import { Connection } from './connection.js';
import type { LoadResult } from './job.js';
import { Recorder } from './recorder.js';

/** Further requests wait for one of these. */
const maxConnections = 256;
const turnMs = 1;
/** Less than the keep-alive timeout of Node's server. */
const maxIdleMs = 3_000;

export interface Encoded {
  readonly bytes: Buffer;
  readonly kind: string | undefined;
}

/** Requests at the times of a Poisson process, independent of the answers. */
export class OpenLoop {
  readonly #recorder = new Recorder();
  /** The most recently used one last. */
  readonly #idle: { readonly connection: Connection; readonly since: number }[] = [];
  #open = 0;
  /** Intended starts of unsent requests, in milliseconds. */
  readonly #due: number[] = [];
  readonly #endsAt: number;
  #next: number;
  #unanswered = 0;

  constructor(
    private readonly listen: string,
    private readonly perSecond: number,
    seconds: number,
    private readonly draw: () => Encoded,
  ) {
    this.#endsAt = performance.now() + seconds * 1_000;
    this.#next = performance.now() + this.#gapMs();
  }

  /** Resolves with the response to the last request. */
  async run(): Promise<LoadResult> {
    await new Promise<void>((resolve) => {
      const turn = () => {
        this.#collect();
        this.#sendDue();
        if (this.#next >= this.#endsAt && this.#due.length === 0 && this.#unanswered === 0) resolve();
        else setTimeout(turn, turnMs);
      };
      turn();
    });
    this.#closeIdle();
    return this.#recorder.result();
  }

  #gapMs(): number {
    return (-Math.log(1 - Math.random()) * 1_000) / this.perSecond;
  }

  #collect(): void {
    const until = Math.min(this.#endsAt, performance.now());
    for (; this.#next < until; this.#next += this.#gapMs()) this.#due.push(this.#next);
  }

  #sendDue(): void {
    while (this.#due.length > 0) {
      const connection = this.#takeIdle() ?? this.#newConnection();
      if (connection === null) return;
      this.#send(connection, this.#due.shift() ?? NaN);
    }
  }

  #takeIdle(): Connection | null {
    const last = this.#idle.at(-1);
    if (last && performance.now() - last.since > maxIdleMs) this.#closeIdle();
    return this.#idle.pop()?.connection ?? null;
  }

  #newConnection(): Connection | null {
    if (this.#open === maxConnections) return null;
    this.#open += 1;
    return new Connection(this.listen);
  }

  #closeIdle(): void {
    for (const { connection } of this.#idle.splice(0)) {
      connection.close();
      this.#open -= 1;
    }
  }

  #send(connection: Connection, intendedAt: number): void {
    const { bytes, kind } = this.draw();
    this.#unanswered += 1;
    connection.send(bytes, (status) => {
      this.#unanswered -= 1;
      this.#recorder.add(performance.now() - intendedAt, status, kind);
      this.#idle.push({ connection, since: performance.now() });
      this.#sendDue();
    });
  }
}
