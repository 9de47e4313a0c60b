import { setTimeout as wait } from 'node:timers/promises';
import type { Actor } from '@panel/rpc';
import type { ConsoleEvent, EndReason } from './console-events.js';

/** A longer queue drops the watcher. */
const maxQueued = 50_000;
const maxQueuedBytes = 8 * 1024 * 1024;
/** A longer queue is a large backlog. */
const manyQueued = 4_000;
const manyQueuedBytes = 1024 * 1024;
/** Without a read for this time. */
const stalledAfterMs = 5_000;
const batchSize = 64;
const batchMs = 10;

/** Bounded queue between console and gRPC stream. */
export class Subscriber {
  #queue: { readonly event: ConsoleEvent; readonly bytes: number }[] = [];
  #head = 0;
  #bytes = 0;
  #isEnded = false;
  #tookAt = performance.now();
  #wake: (() => void) | null = null;

  constructor(readonly actor: Actor) {}

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isBehind(): boolean {
    const isMuch = this.#queue.length - this.#head > manyQueued || this.#bytes > manyQueuedBytes;
    return isMuch && !this.#isEnded && performance.now() - this.#tookAt < stalledAfterMs;
  }

  get isHalfFull(): boolean {
    return this.#queue.length - this.#head > maxQueued / 2 || this.#bytes > maxQueuedBytes / 2;
  }

  /** `bytes`: weight. At the limit the queue is cleared and ends as too slow. */
  push(event: ConsoleEvent, bytes: number): void {
    if (this.#isEnded) return;
    if (this.#queue.length - this.#head >= maxQueued || this.#bytes + bytes > maxQueuedBytes) {
      this.#queue = [];
      this.#head = 0;
      this.#bytes = 0;
      this.end('too_slow');
      return;
    }
    if (this.#queue.length === this.#head) this.#tookAt = performance.now();
    this.#queue.push({ event, bytes });
    this.#bytes += bytes;
    this.#wakeUp();
  }

  end(reason: EndReason): void {
    if (this.#isEnded) return;
    this.#queue.push({ event: { kind: 'ended', reason }, bytes: 0 });
    this.#isEnded = true;
    this.#wakeUp();
  }

  /** Up to 64 events of about 10 ms. */
  async *batches(signal: AbortSignal): AsyncGenerator<ConsoleEvent[]> {
    const wake = () => this.#wakeUp();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const queued = this.#queue.length - this.#head;
        if (queued > 0) {
          if (queued < batchSize && !this.#isEnded) await wait(batchMs);
          yield this.#take();
        } else if (this.#isEnded) return;
        else await this.#somethingToSend();
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #take(): ConsoleEvent[] {
    this.#tookAt = performance.now();
    const batch = this.#queue.slice(this.#head, this.#head + batchSize);
    this.#head += batch.length;
    for (const { bytes } of batch) this.#bytes -= bytes;
    if (this.#head > 4096 || this.#head === this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return batch.map(({ event }) => event);
  }

  async #somethingToSend(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
