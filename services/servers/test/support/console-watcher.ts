import { pause } from '@panel/kit/async';
import { waitUntil } from '@panel/kit/testing';
import { type WatchEvent, type WatchServerResponse } from '@panel/protos/servers';
import type { Clients } from './harness.js';

/** Collects the events of one watch. */
export class ConsoleWatcher {
  readonly events: WatchEvent[] = [];
  readonly batches: number[] = [];
  error: unknown = null;
  onEvent: (event: WatchEvent['event']) => void = () => undefined;
  isEnded = false;
  readonly #abort = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #done: Promise<void>;

  /** `batchMs`: delay per batch. */
  constructor(
    clients: Clients,
    serverId: string,
    historyLines = 150,
    private readonly batchMs = 0,
  ) {
    const stream = clients.console.watchServer({ serverId, historyLines }, { signal: this.#abort.signal });
    this.#done = this.#collect(stream);
  }

  /** Retries like a gateway: after a replica's death its nodes have no watcher until its leases expire. */
  static async whenTaken(clients: Clients, serverId: string, historyLines = 150): Promise<ConsoleWatcher> {
    return waitUntil('a replica that watches the node of this server', async () => {
      const watching = new ConsoleWatcher(clients, serverId, historyLines);
      await watching.until(({ states, isEnded }) => states.length > 0 || isEnded);
      return watching.endReason === undefined && watching.error === null && watching;
    });
  }

  /** In order. */
  readonly lines: string[] = [];
  readonly sequences: number[] = [];

  get installLines(): string[] {
    return this.events.flatMap(({ event }) => (event?.$case === 'install' ? [event.value.text] : []));
  }

  get states(): string[] {
    return this.events.flatMap(({ event }) => (event?.$case === 'powerState' ? [event.value.state] : []));
  }

  get endReason(): string | undefined {
    return this.events.flatMap(({ event }) => (event?.$case === 'ended' ? [event.value.reason] : []))[0];
  }

  /** Rejects after `timeoutMs` with the events so far. */
  async until(condition: (watching: this) => boolean, timeoutMs = 40_000): Promise<void> {
    if (condition(this)) return;
    await new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!condition(this)) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        const last = JSON.stringify(this.events.slice(-10).map(({ event }) => event));
        reject(
          new Error(`not after ${timeoutMs} ms; ended ${this.isEnded} ${String(this.error)}; last events ${last}`),
        );
      }, timeoutMs);
      this.#listeners.add(check);
    });
  }

  async untilLine(text: string, timeoutMs?: number): Promise<void> {
    let from = 0; // avoids a full scan per message of a flood
    const isThere = ({ lines }: this) => {
      const at = lines.indexOf(text, from);
      from = lines.length;
      return at >= 0;
    };
    await this.until(isThere, timeoutMs);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  async #collect(stream: AsyncIterable<WatchServerResponse>): Promise<void> {
    try {
      for await (const { events } of stream) {
        this.events.push(...events);
        for (const { event } of events) {
          this.onEvent(event);
          if (event?.$case !== 'console') continue;
          this.lines.push(event.value.text);
          if (event.value.sequence > 0) this.sequences.push(event.value.sequence);
        }
        this.batches.push(events.length);
        for (const listener of this.#listeners) listener();
        if (this.batchMs > 0) await pause(this.batchMs);
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) this.error = error;
    }
    this.isEnded = true;
    for (const listener of this.#listeners) listener();
  }
}
