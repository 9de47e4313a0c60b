import { randomUUID } from 'node:crypto';
import type { Logger } from '@panel/kit';
import { fail } from '../reasons.js';
import type { SlotLease, SlotLeases } from './slot-leases.js';

const retryAfterSeconds = 10;

export interface SlotLimits {
  readonly perServer: number;
  readonly perUser: number;
}

/** What a gateway shares its places with; without `leases` there is one gateway, or nothing to share through. */
export interface SharedSlots {
  readonly leases: SlotLeases | null;
  /** Part of the limits this gateway may give on its own while the others cannot be asked. */
  readonly share: number;
  readonly log: Logger;
}

/**
 * Places for sockets: bounds what one server and one user can hold open, at all gateways together. While Redis is away
 * each gateway gives its share, and tells of all it has given once Redis is back.
 */
export class SocketSlots {
  /** What this gateway holds. */
  readonly #held = new Set<SlotLease>();
  readonly #count = new Map<string, number>();

  constructor(
    private readonly limits: SlotLimits,
    private readonly shared: SharedSlots,
  ) {}

  /** Take a place; the result gives it back, once. Rejects with TOO_MANY_SOCKETS. */
  async take(serverId: string, userId: string): Promise<() => void> {
    const scopes = [
      { name: `server:${serverId}`, limit: this.limits.perServer },
      { name: `user:${userId}`, limit: this.limits.perUser },
    ];
    const lease = { id: randomUUID(), scopes };
    // Held before it is asked for, so that those who come meanwhile are counted, and a renewal does not miss it.
    this.#hold(lease);
    const full = this.#fullHere(lease, 1) ?? (await this.#fullAnywhere(lease));
    if (full === null) return () => this.#release(lease);
    this.#drop(lease);
    const whose = full === 0 ? 'this server' : 'you';
    const message = `too many open consoles for ${whose}: close one, or try again in ${retryAfterSeconds} seconds`;
    throw fail('TOO_MANY_SOCKETS', message, { retryAfterSeconds });
  }

  /** To be called often enough that no lease ends. */
  async keep(): Promise<void> {
    const held = [...this.#held];
    if (this.shared.leases === null || held.length === 0) return;
    await this.#orLater('kept', this.shared.leases.keep(held));
    // What was given back while it was renewed has come to life again.
    for (const lease of held) if (!this.#held.has(lease)) this.#giveBack(lease);
  }

  async #fullAnywhere(lease: SlotLease): Promise<number | null> {
    if (this.shared.leases === null) return null;
    try {
      return await this.shared.leases.take(lease);
    } catch (error) {
      this.shared.log.debug({ err: error }, 'places for sockets are counted in this process');
      const full = this.#fullHere(lease, this.shared.share);
      // It may have been taken without our hearing of it.
      if (full !== null) this.#giveBack(lease);
      return full;
    }
  }

  /** The index of a place in which this gateway holds more than its part; the lease that asks is held already. */
  #fullHere({ scopes }: SlotLease, part: number): number | null {
    const full = scopes.findIndex(
      ({ name, limit }) => (this.#count.get(name) ?? 0) > Math.max(1, Math.floor(limit * part)),
    );
    return full === -1 ? null : full;
  }

  #hold(lease: SlotLease): void {
    this.#held.add(lease);
    for (const { name } of lease.scopes) this.#count.set(name, (this.#count.get(name) ?? 0) + 1);
  }

  #drop(lease: SlotLease): boolean {
    if (!this.#held.delete(lease)) return false;
    for (const { name } of lease.scopes) {
      const count = (this.#count.get(name) ?? 0) - 1;
      if (count > 0) this.#count.set(name, count);
      else this.#count.delete(name);
    }
    return true;
  }

  #release(lease: SlotLease): void {
    if (this.#drop(lease)) this.#giveBack(lease);
  }

  #giveBack(lease: SlotLease): void {
    if (this.shared.leases !== null) void this.#orLater('given back', this.shared.leases.release(lease));
  }

  /** A Redis that does not answer is no reason to fail: leases are renewed the next time, and end by themselves. */
  async #orLater(what: string, done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (error) {
      this.shared.log.debug({ err: error }, `places for sockets were not ${what}`);
    }
  }
}
