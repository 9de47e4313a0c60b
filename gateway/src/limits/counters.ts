/** `cost` 0 only reads. */
export interface Count {
  readonly key: string;
  readonly cost: 0 | 1;
}

export interface CountResult {
  /** Includes this request. */
  readonly used: number;
  /** Unix milliseconds of the window's end. */
  readonly resetsAt: number;
}

/**
 * Change with credentials (Redis instance, all users, one user). Responses of identity are cached only while all three
 * equal those before the call.
 */
export interface AuthEpochs {
  readonly instance: string;
  readonly all: string;
  readonly user: string;
}

interface CountResponse {
  /** In request order. */
  readonly counts: readonly CountResult[];
  /** Null without Redis: no caching. */
  readonly epochs: AuthEpochs | null;
  /** Grantable fraction: 1, or 1/replicas while Redis is unavailable. */
  readonly share: number;
}

/** Fixed windows of a minute, and epochs. */
export interface Counters {
  /** `userId` null: epochs of all users only. Never rejects. */
  count(counts: readonly Count[], userId: string | null): Promise<CountResponse>;
}

export function sameEpochs(a: AuthEpochs, b: AuthEpochs): boolean {
  return a.user === b.user && a.all === b.all && a.instance === b.instance;
}
