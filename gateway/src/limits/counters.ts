import type { WindowState } from '@panel/kit';

/** One thing to count. `cost` 0 only looks. */
export interface Count {
  readonly key: string;
  readonly cost: 0 | 1;
}

export type CountResult = WindowState;

/**
 * Marks that change whenever something about credentials changed: of this Redis, of everybody, of one user. An answer of
 * identity may be kept exactly as long as the three are what they were before identity was asked.
 */
export interface AuthEpochs {
  readonly instance: string;
  readonly all: string;
  readonly user: string;
}

export interface CountResponse {
  /** In the order of the request. */
  readonly counts: readonly CountResult[];
  /** Null where there is no shared memory: then nothing may be kept. */
  readonly epochs: AuthEpochs | null;
  /** Part of the limits this process may give on its own: 1, or 1/replicas while Redis is away. */
  readonly share: number;
}

/** Counts requests in fixed windows of a minute and reads the epochs of a user, in one step. */
export interface Counters {
  /** Count all of `counts` and read the epochs of `userId` (null: only those of everybody). Never fails. */
  count(counts: readonly Count[], userId: string | null): Promise<CountResponse>;
  /** Whether it makes sense to ask now. */
  isUp(): boolean;
  stop(): Promise<void>;
}

export function sameEpochs(a: AuthEpochs, b: AuthEpochs): boolean {
  return a.user === b.user && a.all === b.all && a.instance === b.instance;
}
