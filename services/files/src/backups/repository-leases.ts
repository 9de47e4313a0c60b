import { type MonotonicClock, monotonicClock } from '@panel/kit/async';
import { acquireLease, type Lease } from '@panel/kit/lease';
import type { Logger } from '@panel/kit/process';
import type { RepositoryLeaseStore } from '../models/repository-lease-store.js';
import { fail } from '../reasons.js';
import type { RepositoryWrites, WriteLease } from './restic/repository-writes.js';

/** Time until another node takes over from a dead one. */
const defaultTtlMs = 5 * 60_000;
/** Share of the TTL, for restic to stop after a lost lease. */
const marginShare = 0.2;
const retryMs = 1_000;

interface RepositoryLeasesOptions {
  readonly store: RepositoryLeaseStore;
  readonly nodeId: string;
  readonly log: Logger;
  readonly ttlMs?: number;
  readonly clock?: MonotonicClock;
}

/** One writing node per repository, by database lease. */
export class RepositoryLeases implements RepositoryWrites {
  constructor(private readonly options: RepositoryLeasesOptions) {}

  async run<T>(
    serverId: string,
    { signal, patienceMs }: { readonly signal: AbortSignal; readonly patienceMs: number },
    work: (lease: WriteLease) => Promise<T>,
  ): Promise<T> {
    const lease = await this.#acquire(serverId, signal, patienceMs);
    try {
      return await work({ signal: lease.signal, isHeld: () => lease.isHeld });
    } finally {
      await lease.release();
    }
  }

  async #acquire(serverId: string, signal: AbortSignal, patienceMs: number): Promise<Lease> {
    const { clock = monotonicClock } = this.options;
    const begin = clock.now();
    for (;;) {
      signal.throwIfAborted();
      const lease = await this.#tryAcquire(serverId, signal);
      if (lease) return lease;
      if (clock.now() - begin >= patienceMs) throw inUse();
      await new Promise<void>((resolve) => void clock.after(Math.min(retryMs, patienceMs), resolve));
    }
  }

  async #tryAcquire(serverId: string, signal: AbortSignal): Promise<Lease | null> {
    const { store, nodeId, log, ttlMs = defaultTtlMs, clock = monotonicClock } = this.options;
    const acquire = async () => store.acquire(serverId, nodeId, ttlMs);
    return acquireLease({
      name: 'repository',
      facts: { serverId },
      ttlMs,
      marginMs: ttlMs * marginShare,
      acquire,
      renew: acquire,
      release: async () => store.release(serverId, nodeId),
      signal,
      clock,
      lossError: (loss) => (loss === 'expired' ? unrenewed() : inUse()),
      log,
    });
  }
}

function inUse() {
  return fail('STORAGE_UNAVAILABLE', 'another node is at work in the repository of this server: try again later');
}

function unrenewed() {
  return fail(
    'STORAGE_UNAVAILABLE',
    'the database did not answer for minutes, and another node may use the repository',
  );
}
