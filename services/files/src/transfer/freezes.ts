import { randomUUID } from 'node:crypto';
import type { AppError } from '@panel/kit';
import { createKeyedLock } from '../jail/keyed-lock.js';
import { fail } from '../reasons.js';
import type { Freeze, FreezeStore } from './freeze-store.js';

/** How long a freeze lasts after the last call for it: longer than another replica takes to go on with a transfer. */
export const freezeTtlMs = 120_000;
/** What changes that were begun before have to end in. */
const defaultPatienceMs = 5_000;

/** Work under way that changes a volume. */
interface Change {
  readonly abort: AbortController;
  /** Resolves when it has ended, well or ill. */
  readonly ended: Promise<void>;
}

interface Held {
  readonly freeze: Freeze;
  readonly until: number;
}

interface FreezeOptions {
  readonly patienceMs?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/**
 * Who may change a volume: everybody, until the volume is about to leave this node. There is one files service on a node, so
 * what is under way is known in the process; what is frozen is on the disk too.
 */
export class Freezes {
  /** By server id. */
  readonly #changes = new Map<string, Set<Change>>();
  readonly #held = new Map<string, Held[]>();
  readonly #lock = createKeyedLock();

  readonly #patienceMs: number;
  readonly #now: () => number;

  private constructor(
    private readonly store: FreezeStore,
    { patienceMs = defaultPatienceMs, now = () => performance.now() }: FreezeOptions,
  ) {
    this.#patienceMs = patienceMs;
    this.#now = now;
  }

  /** With what an earlier process has frozen. A clock that was set back makes none of it last longer than any. */
  static async open(store: FreezeStore, options: FreezeOptions = {}): Promise<Freezes> {
    const freezes = new Freezes(store, options);
    for (const { freeze, until } of await store.list()) {
      const leftMs = Math.min(until - Date.now(), freezeTtlMs);
      if (leftMs > 0) freezes.#hold(freeze, leftMs);
      else await store.remove(freeze);
    }
    return freezes;
  }

  /**
   * Run work that changes a volume, and that has to stop for good when its signal says so. Throws SERVER_LOCKED when the
   * volume is about to leave.
   */
  async change<T>(serverId: string, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // no await between the question and the entry: a freeze either refuses this work or waits for it
    if (this.#isFrozen(serverId)) throw leaving();
    const abort = new AbortController();
    let end = () => {};
    const change: Change = { abort, ended: new Promise((resolve) => (end = resolve)) };
    const changes = this.#changes.get(serverId) ?? new Set();
    this.#changes.set(serverId, changes.add(change));
    try {
      return await work(AbortSignal.any([outer, abort.signal]));
    } finally {
      end();
      changes.delete(change);
      if (changes.size === 0 && this.#changes.get(serverId) === changes) this.#changes.delete(serverId);
    }
  }

  /** Let nothing change any more; resolves when nothing does. Returns the id of the freeze. */
  async freeze(serverId: string, operationId: string): Promise<string> {
    const freezeId = await this.#lock(serverId, async () => {
      const before = this.#find(serverId, operationId);
      const freeze = before?.freeze ?? { serverId, operationId, freezeId: randomUUID() };
      await this.store.save(freeze, inTtl());
      this.#hold(freeze, freezeTtlMs);
      return freeze.freezeId;
    });
    await this.#drain(serverId);
    return freezeId;
  }

  /** Have a freeze go on. Throws VOLUME_THAWED when it has ended. */
  async extend(freeze: Freeze): Promise<void> {
    const { serverId, operationId, freezeId } = freeze;
    await this.#lock(serverId, async () => {
      const isOurs = this.#find(serverId, operationId)?.freeze.freezeId === freezeId;
      if (!isOurs || !(await this.store.extend(freeze, inTtl()))) {
        throw fail('VOLUME_THAWED', 'the files could be changed meanwhile');
      }
      this.#hold(freeze, freezeTtlMs);
    });
    await this.#drain(serverId);
  }

  async thaw(serverId: string, operationId: string): Promise<void> {
    await this.#lock(serverId, async () => this.#remove(serverId, ({ freeze }) => freeze.operationId === operationId));
  }

  /** The volume is gone, and all that was said of it. */
  async forget(serverId: string): Promise<void> {
    await this.#lock(serverId, async () => this.#remove(serverId, () => true));
  }

  /** Remove what has ended by itself. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (const serverId of this.#held.keys()) {
      await this.#lock(serverId, async () => this.#remove(serverId, ({ until }) => until <= now));
    }
  }

  #isFrozen(serverId: string): boolean {
    const now = this.#now();
    return (this.#held.get(serverId) ?? []).some(({ until }) => until > now);
  }

  /** The freeze of an operation that has not ended. */
  #find(serverId: string, operationId: string): Held | undefined {
    const now = this.#now();
    return this.#held.get(serverId)?.find(({ freeze, until }) => freeze.operationId === operationId && until > now);
  }

  #hold(freeze: Freeze, ms: number): void {
    const { serverId, freezeId } = freeze;
    const others = (this.#held.get(serverId) ?? []).filter((held) => held.freeze.freezeId !== freezeId);
    this.#held.set(serverId, [...others, { freeze, until: this.#now() + ms }]);
  }

  async #remove(serverId: string, isMeant: (held: Held) => boolean): Promise<void> {
    const held = this.#held.get(serverId) ?? [];
    for (const one of held.filter(isMeant)) await this.store.remove(one.freeze);
    const rest = held.filter((one) => !isMeant(one));
    if (rest.length > 0) this.#held.set(serverId, rest);
    else this.#held.delete(serverId);
  }

  /** Wait for the changes under way, and end those that take too long. */
  async #drain(serverId: string): Promise<void> {
    const changes = [...(this.#changes.get(serverId) ?? [])];
    if (changes.length === 0) return;
    const ended = Promise.all(changes.map((change) => change.ended));
    const timer = setTimeout(() => {
      for (const { abort } of changes) abort.abort(leaving());
    }, this.#patienceMs);
    await ended;
    clearTimeout(timer);
  }
}

function inTtl(): Date {
  return new Date(Date.now() + freezeTtlMs);
}

/** As the API says it of a server that is being transferred. */
function leaving(): AppError {
  return fail('SERVER_LOCKED', 'the server is about to leave this node', { operation: 'transferring' });
}
