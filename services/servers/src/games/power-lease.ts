import type { Logger } from '@panel/kit/process';
import type { ServerStore } from '../models/servers/server.js';
import { fail } from '../reasons.js';

/** The lock of a power action that is being carried out: renewed until it is let go, and known to be lost when it is. */
export class PowerLease {
  readonly #timer: NodeJS.Timeout;
  #isLost = false;

  constructor(
    private readonly servers: ServerStore,
    readonly serverId: string,
    readonly id: string,
    private readonly log: Logger,
    /** A worker that dies is replaced after this long. */
    private readonly ttlMs: number,
  ) {
    this.#timer = setInterval(() => void this.#renewQuietly(), Math.floor(ttlMs / 3)).unref();
  }

  /** Throws LEASE_LOST when a kill, or another worker, has taken over. */
  async check(): Promise<void> {
    if (!this.#isLost) this.#isLost = !(await this.servers.power.renew(this.serverId, this.id, this.ttlMs));
    if (this.#isLost) throw fail('LEASE_LOST', 'another power action has taken over', { server_id: this.serverId });
  }

  /** Stop renewing. Ending the action in the database is the caller's. */
  release(): void {
    clearInterval(this.#timer);
  }

  async #renewQuietly(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      this.log.debug({ err: error, serverId: this.serverId }, 'a power lock was not renewed');
    }
  }
}
