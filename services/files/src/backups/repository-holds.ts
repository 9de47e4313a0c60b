import { setTimeout as wait } from 'node:timers/promises';
import type { RepositoryWrites, WriteTurn } from './restic/repository-writes.js';
import type { RepositoryHoldStore } from '../models/repository-hold-store.js';
import { fail } from '../reasons.js';

/** A node that dies is followed by another one after this long. */
const defaultTtlMs = 5 * 60_000;
const renewalsPerTtl = 10;
/** Of its time, after which a hold that could not be renewed is given up, before another node may have it. */
const surrenderShare = 0.8;
const retryMs = 1_000;

/** Lets one node at a time write to the repository of a server, by a hold in the database. */
export class RepositoryHolds implements RepositoryWrites {
  constructor(
    private readonly store: RepositoryHoldStore,
    private readonly nodeId: string,
    private readonly ttlMs = defaultTtlMs,
  ) {}

  async run<T>(
    serverId: string,
    { signal, patienceMs }: { readonly signal: AbortSignal; readonly patienceMs: number },
    work: (turn: WriteTurn) => Promise<T>,
  ): Promise<T> {
    let heldAt = await this.#take(serverId, signal, patienceMs);
    const lost = new AbortController();
    let renewing: Promise<void> = Promise.resolve();
    const renew = async () => {
      const askedAt = performance.now();
      try {
        if (await this.#hold(serverId)) heldAt = askedAt;
        else lost.abort(inUse());
      } catch {
        // the next one, or the end of its time
      }
    };
    const isOver = () => performance.now() - heldAt > this.ttlMs * surrenderShare;
    const timer = setInterval(() => {
      if (isOver()) lost.abort(unrenewed());
      renewing = Promise.all([renewing, renew()]).then(() => undefined);
    }, this.ttlMs / renewalsPerTtl).unref();
    try {
      const isHeld = () => !lost.signal.aborted && !isOver();
      return await work({ signal: AbortSignal.any([signal, lost.signal]), isHeld });
    } finally {
      clearInterval(timer);
      // which would take it again
      await renewing;
      // it expires by itself
      await this.store.release(serverId, this.nodeId).catch(() => undefined);
    }
  }

  /** Resolves with a moment before it was taken. */
  async #take(serverId: string, signal: AbortSignal, patienceMs: number): Promise<number> {
    const begin = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const askedAt = performance.now();
      if (await this.#hold(serverId)) return askedAt;
      if (performance.now() - begin >= patienceMs) throw inUse();
      await wait(Math.min(retryMs, patienceMs));
    }
  }

  async #hold(serverId: string): Promise<boolean> {
    return this.store.hold(serverId, this.nodeId, this.ttlMs);
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
