import { holdLease, type Lease } from '@panel/kit/lease';
import type { GameDeps } from './dependencies.js';
import { fail } from '../reasons.js';

type LeaseDeps = Pick<GameDeps, 'servers' | 'log'> & { readonly settings: Pick<GameDeps['settings'], 'workTtlMs'> };

/** The action's final write ends it. */
export class PowerLease {
  readonly #lease: Lease;

  /** `sentAt`: see `holdLease`. */
  constructor(
    { servers, log, settings: { workTtlMs: ttlMs } }: LeaseDeps,
    readonly serverId: string,
    readonly id: string,
    sentAt: number,
  ) {
    this.#lease = holdLease({
      name: 'power action',
      facts: { serverId },
      ttlMs,
      sentAt,
      renew: async () => servers.power.renew(serverId, id, ttlMs),
      release: async () => servers.power.renew(serverId, id, 0),
      lossError: () => fail('LEASE_LOST', 'another power action has taken over', { server_id: serverId }),
      log,
    });
  }

  /** Throws LEASE_LOST. */
  async check(): Promise<void> {
    await this.#lease.renew();
  }

  async stop(): Promise<void> {
    await this.#lease.stop();
  }

  async release(): Promise<void> {
    await this.#lease.release();
  }
}
