import { rateKeyOfIp } from '@panel/kit/net';
import { LRUCache } from 'lru-cache';
import { openFileLimit, openFileShare } from './open-files.js';

export interface ConnectionLimits {
  /** Idle ones give way to new ones. */
  readonly total: number;
  /** IPv6: per /64. */
  readonly perAddress: number;
  /** Signed in. */
  readonly perUser: number;
  /** Signed in, of all its users: they leave places to other servers. */
  readonly perServer: number;
  /** Then refuses its connections. */
  readonly failuresPerAddress: number;
  readonly failureWindowMs: number;
}

export const connectionLimits: ConnectionLimits = {
  total: 1_000,
  perAddress: 30,
  perUser: 10,
  perServer: 50,
  failuresPerAddress: 30,
  failureWindowMs: 5 * 60_000,
};

/** With a `total` whose files fit into a share of the process's. */
export function withinOpenFiles(
  limits: ConnectionLimits,
  filesPerConnection: number,
  openFiles = openFileLimit(),
): ConnectionLimits {
  const fitting = Math.floor((openFiles * openFileShare) / filesPerConnection);
  return { ...limits, total: Math.min(limits.total, fitting) };
}

/** Of one connection. */
export interface ConnectionPlace {
  /** No other connection may take it, until `release`. */
  hold(): void;
  release(): void;
  /** Idempotent. */
  leave(): void;
}

interface SignedIn {
  readonly userId: string;
  readonly serverId: string;
}

interface IdleConnection {
  readonly place: ConnectionPlace;
  readonly close: () => void;
}

/** Addresses kept; account counters stop attackers with more. */
const maxRemembered = 10_000;

export class ConnectionCounts {
  readonly #limits: ConnectionLimits;
  readonly #byAddress = new Map<string, number>();
  readonly #byUser = new Map<string, number>();
  readonly #byServer = new Map<string, number>();
  /** Connections without a user or request, by address, the oldest first. */
  readonly #idle = new Map<string, Set<IdleConnection>>();
  /** A later failure does not prolong the window of the first. */
  readonly #failures: LRUCache<string, { count: number }>;
  #total = 0;

  constructor(limits: ConnectionLimits = connectionLimits, monotonicMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#failures = new LRUCache({
      max: maxRemembered,
      ttl: limits.failureWindowMs,
      ttlResolution: 0,
      perf: { now: monotonicMs },
    });
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

  /** Null, and `signOut` must follow; or why not, for the user. */
  signIn({ userId, serverId }: SignedIn): string | null {
    const { perUser, perServer } = this.#limits;
    const ofUser = this.#byUser.get(userId) ?? 0;
    const ofServer = this.#byServer.get(serverId) ?? 0;
    if (ofUser >= perUser) return `You have ${perUser} SFTP connections open, the limit: close one first.`;
    if (ofServer >= perServer) return `The users of this server have ${perServer} SFTP connections open, the limit.`;
    this.#byUser.set(userId, ofUser + 1);
    this.#byServer.set(serverId, ofServer + 1);
    return null;
  }

  signOut({ userId, serverId }: SignedIn): void {
    decrease(this.#byUser, userId);
    decrease(this.#byServer, serverId);
  }

  recordFailure(address: string): void {
    const key = rateKeyOfIp(address);
    const known = this.#failures.get(key);
    if (known) known.count += 1;
    else this.#failures.set(key, { count: 1 });
  }

  #failuresOf(key: string): number {
    return this.#failures.get(key)?.count ?? 0;
  }
}

function decrease(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
