import { randomUUID } from 'node:crypto';
import { exhaustedLimit } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import { fail } from '../reasons.js';
import { leaseMs, type SlotLease, type SlotLeases } from './slot-leases.js';

/** Lifetime of a dead gateway's leases. */
const retryAfterSeconds = Math.ceil(leaseMs / 1000);

export interface SlotLimits {
  readonly perServer: number;
  readonly perUser: number;
}

/** `leases` is null without Redis. */
interface SharedSlots {
  readonly leases: SlotLeases | null;
  /** Grantable fraction while Redis is unavailable. */
  readonly share: number;
  readonly log: Logger;
}

/**
 * Bounds open sockets per server and user over all gateways. While Redis is unavailable each grants its fraction, then
 * renews all leases.
 */
export class SocketSlots {
  /** Of this gateway. */
  readonly #held = new Set<SlotLease>();
  readonly #count = new Map<string, number>();

  constructor(
    private readonly limits: SlotLimits,
    private readonly shared: SharedSlots,
  ) {}

  /** Returns an idempotent release. Throws TOO_MANY_SOCKETS. */
  async take(serverId: string, userId: string): Promise<() => void> {
    const scopes = [
      { name: `server:${serverId}`, limit: this.limits.perServer },
      { name: `user:${userId}`, limit: this.limits.perUser },
    ];
    const lease = { id: randomUUID(), scopes };
    // Before the call: concurrent callers and renewals count it.
    this.#hold(lease);
    const full = this.#fullHere(lease, 1) ?? (await this.#fullAnywhere(lease));
    if (full === null) return () => this.#release(lease);
    this.#drop(lease);
    const max = full === 0 ? this.limits.perServer : this.limits.perUser;
    const exhausted = { name: full === 0 ? 'server_consoles' : 'user_consoles', max, remainingMs: leaseMs };
    const scope = full === 0 ? 'this server' : 'your account';
    const message = `${scope} has ${max} open consoles, as many as it may: close one or try again in ${retryAfterSeconds} seconds`;
    throw fail('TOO_MANY_SOCKETS', message, exhaustedLimit(exhausted));
  }

  /** Every `keepIntervalMs`. */
  async keep(): Promise<void> {
    const held = [...this.#held];
    if (this.shared.leases === null || held.length === 0) return;
    await this.#logFailure('renewed', this.shared.leases.keep(held));
    // The renewal restored a lease released meanwhile.
    for (const lease of held) if (!this.#held.has(lease)) this.#releaseShared(lease);
  }

  async #fullAnywhere(lease: SlotLease): Promise<number | null> {
    if (this.shared.leases === null) return null;
    try {
      return await this.shared.leases.take(lease);
    } catch (error) {
      this.shared.log.debug({ err: error }, 'socket slots are counted in this process');
      const full = this.#fullHere(lease, this.shared.share);
      // Redis may have granted it despite a lost reply.
      if (full !== null) this.#releaseShared(lease);
      return full;
    }
  }

  /** Index of the exceeded scope, with the new lease; null: none. */
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
    if (this.#drop(lease)) this.#releaseShared(lease);
  }

  #releaseShared(lease: SlotLease): void {
    if (this.shared.leases !== null) void this.#logFailure('released', this.shared.leases.release(lease));
  }

  /** Failures are logged: leases are renewed later or expire. */
  async #logFailure(what: string, done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (error) {
      this.shared.log.debug({ err: error }, `socket slots were not ${what}`);
    }
  }
}
