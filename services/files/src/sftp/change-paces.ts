import { monotonicClock, type MonotonicClock, onAbort } from '@panel/kit/async';

interface Rate {
  /** After the burst. */
  readonly perSecond: number;
  /** At once, after a rest. */
  readonly burst: number;
}

export interface ChangeLimits {
  readonly server: Rate;
  /** Of all servers, which take turns. */
  readonly total: Rate;
}

/**
 * Generous: a client waits for each answer, which over the internet takes 20 ms and more, so that several connections
 * at once stay below the rate of a server. A burst is the tree of a game with its mods. A fifth of the total per server:
 * one that floods leaves the rest to others, and the trash and the history get a bounded number of records a second.
 */
export const changeLimits: ChangeLimits = {
  server: { perSecond: 200, burst: 1_000 },
  total: { perSecond: 1_000, burst: 2_000 },
};

/**
 * Of a change that writes no record: a new file, a mode, times. 10,000 small files, a full burst, pass without a delay,
 * and more at 2,000 a second.
 */
export const lightCost = 0.1;

interface Waiting {
  readonly cost: number;
  readonly begin: () => void;
}

/** Delays changes above a rate, and refuses none: each is answered after its turn, so that a client sends no faster. */
export class ChangePaces {
  readonly #limits: ChangeLimits;
  readonly #clock: MonotonicClock;
  readonly #total: Bucket;
  /** Those that are not full, the last changed one last. */
  readonly #buckets = new Map<string, Bucket>();
  /** The next turn first; of a session one at most. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #cancelTimer: () => void = () => undefined;

  constructor(limits: ChangeLimits = changeLimits, clock: MonotonicClock = monotonicClock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#total = new Bucket(limits.total);
  }

  /** `cost` 1: of a change that writes a record. Throws the reason of `signal`. */
  async take(serverId: string, cost: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const ofServer = this.#waiting.get(serverId) ?? new Set();
      const one: Waiting = {
        cost,
        begin: () => {
          stopListening();
          resolve();
        },
      };
      this.#waiting.set(serverId, ofServer.add(one));
      const stopListening = onAbort(signal, () => {
        this.#remove(serverId, one);
        reject(signal.reason);
      });
      // others of the server are before it
      if (ofServer.size === 1) this.#serve();
    });
  }

  /** Servers in memory. */
  get size(): number {
    return new Set([...this.#buckets.keys(), ...this.#waiting.keys()]).size;
  }

  #serve(): void {
    const now = this.#clock.now();
    this.#dropFull(now);
    while (this.#serveTurn(now));
    this.#schedule(now);
  }

  /** One change of each server. False: none may begin. */
  #serveTurn(now: number): boolean {
    let isServed = false;
    for (const [serverId, [next]] of Array.from(this.#waiting)) {
      if (this.#total.waitMs(now) > 0) return false;
      const bucket = this.#buckets.get(serverId) ?? new Bucket(this.#limits.server);
      if (!next || bucket.waitMs(now) > 0) continue;
      for (const one of [bucket, this.#total]) one.take(next.cost, now);
      moveToEnd(this.#buckets, serverId, bucket);
      this.#remove(serverId, next);
      const more = this.#waiting.get(serverId);
      if (more) moveToEnd(this.#waiting, serverId, more);
      next.begin();
      isServed = true;
    }
    return isServed;
  }

  #remove(serverId: string, one: Waiting): void {
    const ofServer = this.#waiting.get(serverId);
    ofServer?.delete(one);
    if (ofServer?.size === 0) this.#waiting.delete(serverId);
  }

  #schedule(now: number): void {
    this.#cancelTimer();
    if (this.#waiting.size === 0) return;
    let waitMs = Infinity;
    for (const serverId of this.#waiting.keys()) {
      waitMs = Math.min(waitMs, this.#buckets.get(serverId)?.waitMs(now) ?? 0);
    }
    this.#cancelTimer = this.#clock.after(Math.ceil(Math.max(waitMs, this.#total.waitMs(now))), () => this.#serve());
  }

  #dropFull(now: number): void {
    for (const [serverId, bucket] of this.#buckets) {
      if (!bucket.isFull(now)) return;
      this.#buckets.delete(serverId);
    }
  }
}

function moveToEnd<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}

class Bucket {
  readonly #costMs: number;
  readonly #burstMs: number;
  #fullAtMs = -Infinity;

  constructor({ burst, perSecond }: Rate) {
    this.#costMs = 1_000 / perSecond;
    this.#burstMs = burst * this.#costMs;
  }

  isFull(now: number): boolean {
    return this.#fullAtMs <= now;
  }

  /** Until a change of any cost may begin. */
  waitMs(now: number): number {
    return Math.max(0, this.#fullAtMs - now - (this.#burstMs - this.#costMs));
  }

  take(cost: number, now: number): void {
    this.#fullAtMs = Math.max(this.#fullAtMs, now) + cost * this.#costMs;
  }
}
