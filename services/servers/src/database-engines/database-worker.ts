import { firstOf } from '@panel/kit/async';
import { errorReason, isAppError } from '@panel/kit/errors';
import type { TaskGroup } from '@panel/kit/process';
import type { ClaimedDatabase } from '../models/databases/database.js';
import { completeCreation } from './complete-creation.js';
import { type DatabaseDeps, retryMs } from './deps.js';
import { hostOf } from './load-database.js';
import { removeDatabase } from './remove-database.js';

const maxAtOnce = 8;
/** What a creation can fail with that no other try can change. */
const finalReasons = ['DATABASE_LIMIT', 'DATABASE_HOST_FULL', 'DATABASE_EXISTS_ON_HOST', 'SERVER_CHANGED'];

/**
 * Finishes what nobody waits for any more: creations and rotations whose process died, and deletions whose host did not
 * answer. Any replica takes what is due.
 */
export class DatabaseWorker {
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    private readonly deps: DatabaseDeps,
    private readonly tasks: TaskGroup,
  ) {}

  /** Work on what is due. Called every second. */
  async tick(): Promise<void> {
    const free = maxAtOnce - this.#running.size;
    if (free <= 0) return;
    const due = await this.deps.stores.databases.due(maxAtOnce);
    for (const databaseId of due.filter((id) => !this.#running.has(id)).slice(0, free)) void this.#start(databaseId);
  }

  /** Work on one database now. Resolves when that is done, has failed, or takes longer than `patienceMs`. */
  async runNow(databaseId: string, patienceMs: number): Promise<void> {
    await firstOf(this.#start(databaseId), patienceMs, undefined);
  }

  /** What works on it already is waited for: a tick may have been first. */
  #start(databaseId: string): Promise<void> {
    const running = this.#running.get(databaseId);
    if (running) return running;
    const done = new Promise<void>((resolve) => {
      this.tasks.run('database', async () => {
        try {
          const claimed = await this.deps.stores.databases.claim(databaseId, this.deps.databaseLeaseMs);
          if (claimed) await this.#work(claimed);
        } finally {
          this.#running.delete(databaseId);
          resolve();
        }
      });
    });
    this.#running.set(databaseId, done);
    return done;
  }

  async #work(claimed: ClaimedDatabase): Promise<void> {
    const { database, lease } = claimed;
    try {
      if (database.state === 'deleting') await removeDatabase(this.deps, claimed);
      else if (database.state === 'creating') await this.#resumeCreation(claimed);
      else if (database.pendingPassword !== null) await this.#undoRotation(claimed);
      else await this.deps.stores.databases.release(lease, 0);
    } catch (error) {
      const facts = { ...lease, serverId: database.serverId, hostId: database.hostId, state: database.state };
      this.deps.log.warn({ err: error, reason: errorReason(error), ...facts }, 'a database waits for its host');
      await this.deps.stores.databases.release(lease, retryMs);
    }
  }

  async #resumeCreation(claimed: ClaimedDatabase): Promise<void> {
    try {
      await completeCreation(this.deps, claimed);
    } catch (error) {
      if (!isAppError(error, ...finalReasons)) throw error;
      this.deps.log.warn({ err: error, ...claimed.lease }, 'the creation of a database was given up');
      await this.deps.stores.databases.markDeleting(claimed.database.id);
      await removeDatabase(this.deps, claimed);
    }
  }

  /** Nobody was told the new password: the one that games have goes on working. */
  async #undoRotation({ database, lease }: ClaimedDatabase): Promise<void> {
    const host = await hostOf(this.deps.stores, database);
    if (database.password === null) return this.deps.stores.databases.release(lease, retryMs);
    await this.deps.databaseEngines[host.engine].setPassword(host, database, database.password);
    await this.deps.stores.databases.cancelRotation(lease);
  }
}
