import type { Client } from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ConsoleServiceService,
  type Operation,
  PowerState,
  type WatchEnded,
  WatchEnded_Reason,
  type WatchEvent,
} from '@panel/protos/servers';
import { powerState } from '../routes/servers/resource.js';
import { closeCodes } from './close-codes.js';
import { ConsoleHistory } from './console-history.js';
import { InstallOutput } from './install-output.js';
import { frames } from './messages.js';

/** Receives a channel's messages. */
export interface Subscriber {
  /** Receives installation output. */
  readonly maySeeInstall: boolean;
  /** Last received line; null: none. */
  readonly after: number | null;
  /** Reads slower than the game writes. Polled while true. */
  isBehind(): boolean;
  /** Whole frames. Never blocks or throws. */
  write(bytes: Buffer): void;
  close(code: number): void;
}

interface ChannelOptions {
  readonly serverId: string;
  readonly console: Pick<Client<typeof ConsoleServiceService>, 'watchServer'>;
  /** On connect; 0 to 1000. */
  readonly historyLines: number;
  readonly log: Logger;
  /** Before a broken stream resumes: rights may have changed. */
  readonly beforeResume: () => Promise<void>;
}

/** One write per socket and tick (measured: 36 times the throughput). */
const tickMs = 10;
const maxHistoryLines = 1_000;
/** Above, writes at once, to detect slow readers. */
const maxPendingBytes = 256 * 1024;
/** Of slow sockets. */
const backpressureIntervalMs = 10;
const firstRetryMs = 100;
const maxRetryMs = 2_000;

/**
 * One upstream per server, many sockets. A joining socket gets a snapshot, then the common messages. Joining, storing
 * and sending share an event loop turn: no line is lost or duplicated.
 */
export class Channel {
  readonly #subscribers = new Set<Subscriber>();
  readonly #stop = new AbortController();
  readonly #history: ConsoleHistory;
  readonly #install = new InstallOutput();
  #state: PowerState | null = null;
  /** No output before the history, as each socket needs another part. */
  #isComplete = false;
  #stats: Buffer | null = null;
  /** Requests of this run, by feature. */
  readonly #features = new Map<string, Buffer>();
  /** Repeated by this stream; others are resolved. */
  readonly #askedAgain = new Set<string>();
  #operation: Operation | undefined;
  /** Of this tick; the variant with installation output if any. */
  #pending: Buffer[] = [];
  #pendingWithInstall: Buffer[] | null = null;
  #pendingBytes = 0;
  #tick: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChannelOptions) {
    this.#history = new ConsoleHistory(options.historyLines);
  }

  get size(): number {
    return this.#subscribers.size;
  }

  join(subscriber: Subscriber): void {
    // The snapshot contains the pending frames.
    this.#flush();
    if (this.#isComplete) subscriber.write(this.#snapshot(subscriber));
    this.#subscribers.add(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** Until stopped or permanently ended. */
  async run(): Promise<void> {
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      try {
        if (failures > 0) await this.options.beforeResume();
        const end = await this.#readStream(() => (failures = 0));
        if (end !== null) return this.#closeAll(end);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const end = endOf(error);
        if (end !== null) return this.#closeAll(end);
        this.options.log.debug({ err: error, serverId: this.options.serverId }, 'a console stream failed');
      }
      failures += 1;
      await this.#pause(Math.min(firstRetryMs * 2 ** (failures - 1), maxRetryMs));
    }
  }

  stop(): void {
    clearTimeout(this.#tick);
    this.#stop.abort(new Error('the last socket has left'));
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  /** Close code after the last stream; null: resume. */
  async #readStream(onAnswer: () => void): Promise<number | null> {
    const request = { serverId: this.options.serverId, historyLines: maxHistoryLines };
    this.#install.resume();
    this.#askedAgain.clear();
    for await (const { events } of this.options.console.watchServer(request, { signal: this.#stop.signal })) {
      onAnswer();
      for (const { event } of events) {
        if (event?.$case === 'ended') return endCode(event.value);
        if (event) this.#apply(event);
      }
      await this.#applyBackpressure();
    }
    return null;
  }

  /** The servers service then slows down or drops lines. */
  async #applyBackpressure(): Promise<void> {
    while (!this.#stop.signal.aborted && this.#allAreBehind()) await this.#pause(backpressureIntervalMs);
  }

  #allAreBehind(): boolean {
    for (const subscriber of this.#subscribers) if (!subscriber.isBehind()) return false;
    return this.#subscribers.size > 0;
  }

  #apply(event: NonNullable<WatchEvent['event']>): void {
    switch (event.$case) {
      case 'console': {
        if (this.#history.hasSeen(event.value)) return;
        const frame = frames.console(event.value);
        this.#history.add(event.value, frame);
        return this.#send(frame);
      }
      case 'stats':
        this.#stats = frames.stats(event.value);
        return this.#send(this.#stats);
      case 'powerState':
        return this.#changeState(event.value.state);
      case 'operation':
        return this.#changeOperation(event.value.operation);
      case 'install': {
        if (this.#install.hasSeen(event.value)) return;
        const frame = frames.install(event.value);
        this.#install.add(event.value, frame);
        return this.#sendInstall(frame);
      }
      case 'feature': {
        const { feature, isResolved } = event.value;
        if (isResolved) return this.#resolve(feature);
        this.#askedAgain.add(feature);
        if (this.#features.has(feature)) return;
        const frame = frames.feature(event.value);
        this.#features.set(feature, frame);
        return this.#send(frame);
      }
      case 'historyEnd':
        return this.#complete();
      case 'ended':
        return;
    }
  }

  #resolve(feature: string): void {
    if (this.#features.delete(feature)) this.#send(frames.featureResolved(feature));
  }

  /** Sockets already have the history of a resumed stream. */
  #complete(): void {
    for (const feature of this.#features.keys()) if (!this.#askedAgain.has(feature)) this.#resolve(feature);
    if (this.#isComplete) return;
    this.#isComplete = true;
    for (const subscriber of this.#subscribers) subscriber.write(this.#snapshot(subscriber));
  }

  #changeState(state: PowerState): void {
    if (state === this.#state) return;
    this.#state = state;
    if (state === PowerState.OFFLINE || state === PowerState.STARTING) this.#stats = null; // of the previous run
    if (state === PowerState.STARTING) this.#features.clear();
    this.#send(frames.status(powerState.show(state)));
  }

  #changeOperation(operation: Operation | undefined): void {
    if (operation?.id !== this.#operation?.id) this.#install.clear();
    this.#operation = operation;
    this.#send(frames.operation(operation));
  }

  #snapshot({ maySeeInstall, after }: Subscriber): Buffer {
    const status = this.#state === null ? [] : [frames.status(powerState.show(this.#state))];
    const parts = [...status, ...this.#history.frames(after)];
    if (this.#operation) parts.push(frames.operation(this.#operation));
    if (maySeeInstall) parts.push(...this.#install.frames());
    if (this.#stats) parts.push(this.#stats);
    parts.push(...this.#features.values());
    return Buffer.concat(parts);
  }

  #send(frame: Buffer): void {
    if (!this.#isComplete) return;
    this.#pending.push(frame);
    this.#pendingWithInstall?.push(frame);
    this.#flushSoon(frame);
  }

  #sendInstall(frame: Buffer): void {
    if (!this.#isComplete) return;
    this.#pendingWithInstall ??= [...this.#pending];
    this.#pendingWithInstall.push(frame);
    this.#flushSoon(frame);
  }

  #flushSoon(frame: Buffer): void {
    this.#pendingBytes += frame.length;
    if (this.#pendingBytes > maxPendingBytes) this.#flush();
    else this.#tick ??= setTimeout(() => this.#flush(), tickMs);
  }

  #flush(): void {
    clearTimeout(this.#tick);
    this.#tick = undefined;
    const forAll = Buffer.concat(this.#pending);
    const withInstall = this.#pendingWithInstall ? Buffer.concat(this.#pendingWithInstall) : forAll;
    this.#pending = [];
    this.#pendingWithInstall = null;
    this.#pendingBytes = 0;
    for (const subscriber of this.#subscribers) {
      const bytes = subscriber.maySeeInstall ? withInstall : forAll;
      if (bytes.length > 0) subscriber.write(bytes);
    }
  }

  #closeAll(code: number): void {
    this.#flush();
    for (const subscriber of this.#subscribers) subscriber.close(code);
  }
}

function endCode({ reason }: WatchEnded): number | null {
  if (reason === WatchEnded_Reason.DELETED) return closeCodes.deleted;
  if (reason === WatchEnded_Reason.SUSPENDED) return closeCodes.suspended;
  if (reason === WatchEnded_Reason.FORBIDDEN) return closeCodes.forbidden;
  return null;
}

function endOf(error: unknown): number | null {
  if (isAppError(error, 'SERVER_SUSPENDED')) return closeCodes.suspended;
  return isAppError(error) && error.kind === 'not_found' ? closeCodes.deleted : null;
}
