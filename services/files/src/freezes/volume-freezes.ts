import { randomUUID } from 'node:crypto';
import { KeyedMutex } from '@panel/kit/async';
import type { AppError } from '@panel/kit/errors';
import { fail } from '../reasons.js';
import type { Freeze, FreezeStore } from './freeze-store.js';

/** Exceeds the time another replica needs to resume a transfer. */
export const freezeTtlMs = 120_000;
/** Time for running changes to finish at a freeze. */
const defaultPatienceMs = 5_000;

interface Change {
  /** Null: ends soon by itself. */
  readonly abort: AbortController | null;
  /** Resolves also on failure. */
  readonly ended: Promise<void>;
}

interface ActiveFreeze {
  readonly freeze: Freeze;
  readonly until: number;
}

interface FreezeOptions {
  readonly clock: () => Date;
  readonly patienceMs?: number;
  /** Monotonic. */
  readonly monotonicMs?: () => number;
}

/**
 * Refuses changes of a frozen volume. A node has one files service: changes are tracked in memory, freezes also on
 * disk.
 */
export class VolumeFreezes {
  /** By server id. */
  readonly #changes = new Map<string, Set<Change>>();
  readonly #held = new Map<string, ActiveFreeze[]>();
  readonly #mutex = new KeyedMutex();

  readonly #store: FreezeStore;
  readonly #clock: () => Date;
  readonly #patienceMs: number;
  readonly #monotonicMs: () => number;

  private constructor(
    store: FreezeStore,
    { clock, patienceMs = defaultPatienceMs, monotonicMs = () => performance.now() }: FreezeOptions,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Capped at the TTL, in case the clock was set back. */
  static async open(store: FreezeStore, options: FreezeOptions): Promise<VolumeFreezes> {
    const freezes = new VolumeFreezes(store, options);
    for (const { freeze, until } of await store.list()) {
      const leftMs = Math.min(until - options.clock().getTime(), freezeTtlMs);
      if (leftMs > 0) freezes.#hold(freeze, leftMs);
      else await store.remove(freeze);
    }
    return freezes;
  }

  /** `work` must stop on abort. Throws SERVER_LOCKED for a frozen volume. */
  async change<T>(serverId: string, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    return this.#run(serverId, abort, async () => work(AbortSignal.any([outer, abort.signal])));
  }

  /** For one short step: a signal would double its cost. */
  async changeBriefly<T>(serverId: string, work: () => Promise<T>): Promise<T> {
    return this.#run(serverId, null, work);
  }

  async #run<T>(serverId: string, abort: AbortController | null, work: () => Promise<T>): Promise<T> {
    // no await between check and registration: a freeze refuses this work or waits for it
    if (this.#isFrozen(serverId)) throw serverLockedError();
    let end = () => {};
    const change: Change = { abort, ended: new Promise((resolve) => (end = resolve)) };
    const changes = this.#changes.get(serverId) ?? new Set();
    this.#changes.set(serverId, changes.add(change));
    try {
      return await work();
    } finally {
      end();
      changes.delete(change);
      if (changes.size === 0 && this.#changes.get(serverId) === changes) this.#changes.delete(serverId);
    }
  }

  /** Waits for running changes. Returns the freeze id. */
  async freeze(serverId: string, operationId: string): Promise<string> {
    const freezeId = await this.#mutex.run(serverId, async () => {
      const before = this.#find(serverId, operationId);
      const freeze = before?.freeze ?? { serverId, operationId, freezeId: randomUUID() };
      await this.#store.save(freeze, this.#expiry());
      this.#hold(freeze, freezeTtlMs);
      return freeze.freezeId;
    });
    await this.#drain(serverId);
    return freezeId;
  }

  /** Throws VOLUME_THAWED when it ended. */
  async extend(freeze: Freeze): Promise<void> {
    const { serverId, operationId, freezeId } = freeze;
    await this.#mutex.run(serverId, async () => {
      const isOurs = this.#find(serverId, operationId)?.freeze.freezeId === freezeId;
      if (!isOurs || !(await this.#store.extend(freeze, this.#expiry()))) {
        throw fail('VOLUME_THAWED', 'the files could be changed meanwhile');
      }
      this.#hold(freeze, freezeTtlMs);
    });
    await this.#drain(serverId);
  }

  async thaw(serverId: string, operationId: string): Promise<void> {
    await this.#mutex.run(serverId, async () =>
      this.#remove(serverId, ({ freeze }) => freeze.operationId === operationId),
    );
  }

  /** For a deleted volume. */
  async forget(serverId: string): Promise<void> {
    await this.#mutex.run(serverId, async () => this.#remove(serverId, () => true));
  }

  async sweep(): Promise<void> {
    const now = this.#monotonicMs();
    for (const serverId of this.#held.keys()) {
      await this.#mutex.run(serverId, async () => this.#remove(serverId, ({ until }) => until <= now));
    }
  }

  #expiry(): Date {
    return new Date(this.#clock().getTime() + freezeTtlMs);
  }

  #isFrozen(serverId: string): boolean {
    const now = this.#monotonicMs();
    return (this.#held.get(serverId) ?? []).some(({ until }) => until > now);
  }

  #find(serverId: string, operationId: string): ActiveFreeze | undefined {
    const now = this.#monotonicMs();
    return this.#held.get(serverId)?.find(({ freeze, until }) => freeze.operationId === operationId && until > now);
  }

  #hold(freeze: Freeze, ms: number): void {
    const { serverId, freezeId } = freeze;
    const others = (this.#held.get(serverId) ?? []).filter((held) => held.freeze.freezeId !== freezeId);
    this.#held.set(serverId, [...others, { freeze, until: this.#monotonicMs() + ms }]);
  }

  async #remove(serverId: string, matches: (held: ActiveFreeze) => boolean): Promise<void> {
    const held = this.#held.get(serverId) ?? [];
    for (const one of held.filter(matches)) await this.#store.remove(one.freeze);
    const rest = held.filter((one) => !matches(one));
    if (rest.length > 0) this.#held.set(serverId, rest);
    else this.#held.delete(serverId);
  }

  /** Aborts slow changes. */
  async #drain(serverId: string): Promise<void> {
    const changes = [...(this.#changes.get(serverId) ?? [])];
    if (changes.length === 0) return;
    const ended = Promise.all(changes.map((change) => change.ended));
    const timer = setTimeout(() => {
      for (const { abort } of changes) abort?.abort(serverLockedError());
    }, this.#patienceMs);
    await ended;
    clearTimeout(timer);
  }
}

function serverLockedError(): AppError {
  return fail('SERVER_LOCKED', 'an operation in progress moves or replaces the files of this server');
}
