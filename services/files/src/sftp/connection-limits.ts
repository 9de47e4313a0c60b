import { rateKeyOfIp } from '@panel/kit/net';

export interface ConnectionLimits {
  /** Including unauthenticated ones. */
  readonly total: number;
  /** IPv6: per /64; including unauthenticated ones. */
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

/** Addresses kept; account counters stop attackers with more. */
const maxRemembered = 10_000;

export class ConnectionCounts {
  readonly #limits: ConnectionLimits;
  readonly #monotonicMs: () => number;
  readonly #byAddress = new Map<string, number>();
  readonly #byUser = new Map<string, number>();
  readonly #failures = new Map<string, { count: number; readonly until: number }>();
  #total = 0;

  constructor(limits: ConnectionLimits = connectionLimits, monotonicMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#monotonicMs = monotonicMs;
  }

  /** False above a limit; otherwise `leave` must follow. */
  enter(address: string): boolean {
    const key = rateKeyOfIp(address);
    const ofAddress = this.#byAddress.get(key) ?? 0;
    if (this.#total >= this.#limits.total || ofAddress >= this.#limits.perAddress) return false;
    if (this.#failuresOf(key) >= this.#limits.failuresPerAddress) return false;
    this.#total += 1;
    this.#byAddress.set(key, ofAddress + 1);
    return true;
  }

  leave(address: string): void {
    this.#total -= 1;
    decrease(this.#byAddress, rateKeyOfIp(address));
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
