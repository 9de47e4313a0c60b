import { pause } from '@panel/kit/async';
import type { Logger } from '@panel/kit/process';
import type { DatabaseHost, ServerDatabase } from '../domain/databases/database.js';
import type { DatabaseStore } from '../models/databases/database.js';
import type { DatabaseEngines } from './drivers/engines.js';

const freshMs = 60_000;
/** Limit of a list's wait. */
const patienceMs = 1_500;

interface DatabaseSizesDeps {
  readonly databases: Pick<DatabaseStore, 'setSize'>;
  readonly engines: DatabaseEngines;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** One query a minute at most per host and set of databases. */
export class DatabaseSizes {
  /** By database id. */
  readonly #askedAt = new Map<string, number>();

  constructor(private readonly deps: DatabaseSizesDeps) {}

  /** By database id; the last known bytes at a timeout. */
  async measure(
    databases: readonly ServerDatabase[],
    hosts: readonly DatabaseHost[],
  ): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map(databases.map(({ id, sizeBytes }) => [id, sizeBytes]));
    const enough = new AbortController();
    const measured = Promise.all(
      hosts.map(async (host) => {
        const stale = databases.filter((one) => one.hostId === host.id && this.#isStale(one));
        for (const [id, bytes] of await this.#ask(host, stale)) sizes.set(id, bytes);
      }),
    ).finally(() => enough.abort());
    await Promise.race([measured, pause(patienceMs, enough.signal)]);
    return sizes;
  }

  #isStale({ id, state }: ServerDatabase): boolean {
    return state === 'active' && this.deps.clock().getTime() - (this.#askedAt.get(id) ?? -Infinity) >= freshMs;
  }

  async #ask(host: DatabaseHost, databases: readonly ServerDatabase[]): Promise<Map<string, number>> {
    if (databases.length === 0) return new Map();
    const at = this.deps.clock().getTime();
    this.#forgetOld(at);
    for (const { id } of databases) this.#askedAt.set(id, at);
    try {
      const byName = await this.deps.engines[host.engine].sizes(
        host,
        databases.map(({ name }) => name),
      );
      const known = databases.flatMap(({ id, name }) => {
        const bytes = byName.get(name);
        return bytes === undefined ? [] : [[id, bytes] as const];
      });
      await Promise.all(known.map(([id, bytes]) => this.deps.databases.setSize(id, bytes)));
      return new Map(known);
    } catch (error) {
      this.deps.log.debug({ err: error, hostId: host.id }, 'sizes of databases are not known now');
      return new Map();
    }
  }

  #forgetOld(now: number): void {
    for (const [id, at] of this.#askedAt) if (now - at >= freshMs) this.#askedAt.delete(id);
  }
}
