import { monotonicClock } from '@panel/kit/async';
import { errorReason, isAppError } from '@panel/kit/errors';
import { LeasedWorker } from '@panel/kit/lease';
import type { Jobs, TaskGroup } from '@panel/kit/process';
import type { ClaimedDatabase } from '../models/databases/database.js';
import { completeCreation } from './complete-creation.js';
import { type DatabaseDeps, retryMs } from './dependencies.js';
import { hostOf } from './load-database.js';
import { removeDatabase } from './remove-database.js';

/** A retry cannot help. */
const finalReasons = ['DATABASE_LIMIT', 'DATABASE_HOST_FULL', 'DATABASE_EXISTS_ON_HOST', 'SERVER_CHANGED'];

/**
 * Finishes creations and rotations of dead processes, and deletions whose host did not answer. Any replica takes due
 * work.
 */
export class DatabaseWorker {
  readonly #worker: LeasedWorker<ClaimedDatabase>;

  constructor(
    private readonly deps: DatabaseDeps & { readonly attempt: Jobs['attempt'] },
    tasks: TaskGroup,
  ) {
    const { stores, databaseLeaseMs: ttlMs, attempt, log } = deps;
    this.#worker = new LeasedWorker<ClaimedDatabase>(
      {
        job: 'run-database-operations',
        concurrency: 8,
        ttlMs,
        waiting: async (limit) => stores.databases.due(limit),
        claim: async (databaseId) => stores.databases.claim(databaseId, ttlMs),
        renew: async ({ lease }) => stores.databases.renew(lease, ttlMs),
        run: async (claimed) => this.#run(claimed),
        giveBack: async ({ database, lease }, { error }) => {
          const facts = { ...lease, serverId: database.serverId, hostId: database.hostId, state: database.state };
          log.warn({ err: error, reason: errorReason(error), ...facts }, 'a database waits for its host');
          await stores.databases.release(lease, retryMs);
        },
      },
      { tasks, attempt, log },
    );
  }

  /** Called every second. */
  async tick(): Promise<void> {
    await this.#worker.tick();
  }

  /** Returns also after a failure or `patienceMs`. */
  async runNow(databaseId: string, patienceMs: number): Promise<void> {
    await this.#worker.runNow(databaseId, patienceMs);
  }

  /** Deletes it before another process can; one that has it deletes it next. Final once it returns, as `runNow` does. */
  async deleteNow(databaseId: string, patienceMs: number): Promise<void> {
    const { databases } = this.deps.stores;
    const sentAt = monotonicClock.now();
    const claimed = await databases.claimDeletion(databaseId, this.deps.databaseLeaseMs);
    if (claimed) return this.#worker.runNow(databaseId, patienceMs, { claimed, sentAt });
    await databases.markDeleting(databaseId);
    await this.#worker.runNow(databaseId, patienceMs);
  }

  async #run(claimed: ClaimedDatabase): Promise<void> {
    const { database, lease } = claimed;
    if (database.state === 'deleting') await removeDatabase(this.deps, claimed);
    else if (database.state === 'creating') await this.#resumeCreation(claimed);
    else if (database.pendingPassword !== null) await this.#undoRotation(claimed);
    else await this.deps.stores.databases.release(lease, 0);
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

  /** No caller got the new password: the old one stays valid. */
  async #undoRotation({ database, lease }: ClaimedDatabase): Promise<void> {
    const host = await hostOf(this.deps.stores, database);
    if (database.password === null) return this.deps.stores.databases.release(lease, retryMs);
    await this.deps.databaseEngines[host.engine].setPassword(host, database, database.password);
    await this.deps.stores.databases.cancelRotation(lease);
  }
}
