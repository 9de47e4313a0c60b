/** One counter to increment; `cost` 0 reads it without counting. */
export interface Count {
  readonly key: string;
  readonly cost: 0 | 1;
}

/** State of a counter of one fixed window. */
export interface CountResult {
  /** Counted in this window so far, this request included. */
  readonly used: number;
  /** Unix time in milliseconds at which the window restarts. */
  readonly resetsAt: number;
}

/**
 * Markers that change whenever credentials change: of this Redis instance, of all users, of one user. A response of
 * identity may be cached only while all three are the same as before identity was called.
 */
export interface AuthEpochs {
  readonly instance: string;
  readonly all: string;
  readonly user: string;
}

interface CountResponse {
  /** In the order of the request. */
  readonly counts: readonly CountResult[];
  /** Null without Redis: then no response of identity may be cached. */
  readonly epochs: AuthEpochs | null;
  /** Fraction of the limits that this process may grant: 1, or 1/replicas while Redis is unavailable. */
  readonly share: number;
}

/** Counts requests in fixed windows of a minute and reads the epochs of a user. */
export interface Counters {
  /** Count all of `counts` and read the epochs of `userId` (null: only those of all users). Never rejects. */
  count(counts: readonly Count[], userId: string | null): Promise<CountResponse>;
}

export function sameEpochs(a: AuthEpochs, b: AuthEpochs): boolean {
  return a.user === b.user && a.all === b.all && a.instance === b.instance;
}
