import { rateKeyOfIp } from '@panel/kit/net';

export interface ConnectionLimits {
  /** Idle ones give way to new ones. */
  readonly total: number;
  /** IPv6: per /64. */
  readonly perAddress: number;
  /** Signed in. */
  readonly perUser: number;
  /** Then refuses its connections. */
  readonly failuresPerAddress: number;
  readonly failureWindowMs: number;
}

export const connectionLimits: ConnectionLimits = {
  total: 1_000,
  perAddress: 30,
  perUser: 10,
  failuresPerAddress: 30,
  failureWindowMs: 5 * 60_000,
};

/** Of one connection. */
export interface ConnectionPlace {
  /** No other connection may take it, until `release`. */
  hold(): void;
  release(): void;
  /** Idempotent. */
  leave(): void;
}

interface IdleConnection {
  readonly place: ConnectionPlace;
  readonly close: () => void;
}

/** Addresses kept; account counters stop attackers with more. */
const maxRemembered = 10_000;

export class ConnectionCounts {
  readonly #limits: ConnectionLimits;
  readonly #monotonicMs: () => number;
  readonly #byAddress = new Map<string, number>();
  readonly #byUser = new Map<string, number>();
  /** Connections without a user or request, by address, the oldest first. */
  readonly #idle = new Map<string, Set<IdleConnection>>();
  readonly #failures = new Map<string, { count: number; readonly until: number }>();
  #total = 0;

  constructor(limits: ConnectionLimits = connectionLimits, monotonicMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Null above a limit. When all places are taken, the oldest idle connection of the address with most of them is
   * closed, so that silent connections keep no other address out.
   */
  enter(address: string, close: () => void): ConnectionPlace | null {
    const key = rateKeyOfIp(address);
    const ofAddress = this.#byAddress.get(key) ?? 0;
    if (ofAddress >= this.#limits.perAddress || this.#failuresOf(key) >= this.#limits.failuresPerAddress) return null;
    if (this.#total >= this.#limits.total && !this.#closeIdle(key)) return null;
    this.#total += 1;
    this.#byAddress.set(key, ofAddress + 1);
    return this.#place(key, close);
  }

  #place(key: string, close: () => void): ConnectionPlace {
    let hasLeft = false;
    const place: ConnectionPlace = {
      hold: () => this.#removeIdle(key, idle),
      release: () => {
        if (!hasLeft) this.#addIdle(key, idle);
      },
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        this.#removeIdle(key, idle);
        this.#total -= 1;
        decrease(this.#byAddress, key);
      },
    };
    const idle = { place, close };
    this.#addIdle(key, idle);
    return place;
  }

  #addIdle(key: string, connection: IdleConnection): void {
    const ofAddress = this.#idle.get(key) ?? new Set();
    this.#idle.set(key, ofAddress.add(connection));
  }

  #removeIdle(key: string, connection: IdleConnection): void {
    const ofAddress = this.#idle.get(key);
    ofAddress?.delete(connection);
    if (ofAddress?.size === 0) this.#idle.delete(key);
  }

  /** False unless another address has more idle connections than this one. */
  #closeIdle(key: string): boolean {
    let most = this.#idle.get(key) ?? new Set<IdleConnection>();
    const own = most.size;
    for (const ofAddress of this.#idle.values()) if (ofAddress.size > most.size) most = ofAddress;
    const [oldest] = most;
    if (!oldest || most.size <= own) return false;
    oldest.place.leave();
    oldest.close();
    return true;
  }

  /** False above the limit; otherwise `signOut` must follow. */
  signIn(userId: string): boolean {
    const ofUser = this.#byUser.get(userId) ?? 0;
    if (ofUser >= this.#limits.perUser) return false;
    this.#byUser.set(userId, ofUser + 1);
    return true;
  }

  signOut(userId: string): void {
    decrease(this.#byUser, userId);
  }

  recordFailure(address: string): void {
    const key = rateKeyOfIp(address);
    const known = this.#failures.get(key);
    if (known && known.until > this.#monotonicMs()) {
      known.count += 1;
      return;
    }
    this.#failures.delete(key);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= maxRemembered && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(key, { count: 1, until: this.#monotonicMs() + this.#limits.failureWindowMs });
  }

  #failuresOf(key: string): number {
    const known = this.#failures.get(key);
    return known && known.until > this.#monotonicMs() ? known.count : 0;
  }
}

function decrease(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
