import { rateKeyOfIp } from '@panel/kit/net';

export interface ConnectionLimits {
  /** Connections of the whole process, signed in or not. */
  readonly total: number;
  /** Of one address (IPv6: one /64), signed in or not. */
  readonly perAddress: number;
  /** Of one user, signed in. */
  readonly perUser: number;
  /** Failed sign-ins from one address in a window before its connections are refused. */
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

/** Addresses whose failures are remembered: an attacker with more of them is stopped by the counters of the accounts. */
const maxRemembered = 10_000;

/** Counts connections and failed sign-ins, by address and user. */
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

  /** False when there are too many; else the caller calls `leave` at the end. */
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

  /** False when the user has too many; else the caller calls `signOut` at the end. */
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
