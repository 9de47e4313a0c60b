import { isAppError, isUnavailable } from '@panel/kit/errors';
import { LeasedWorker } from '@panel/kit/lease';
import type { TaskGroup } from '@panel/kit/process';
import { type Backup, Backup_State, type BackupProgress, type BackupServiceService } from '@panel/protos/files';
import { type Client, derivedId } from '@panel/rpc';
import type { GameServer } from '../domain/servers/server.js';
import type { BackupLease } from '../models/servers/server-backups.js';
import { dumpFailure, type DumpPlace } from '../database-engines/dumps/backup-dumps.js';
import type { OperationDeps } from './operation.js';
import { OwnerTurns } from './owner-turns.js';
import { createSavePause } from './save-pause.js';

const concurrency = 4;
const callMs = 5_000;
/** Limit of claims: more mean that the backup kills its workers. */
const maxClaims = 6;
const retryMs = 5_000;
const writeEveryMs = 1_000;

interface ClaimedBackup {
  readonly server: GameServer;
  readonly lease: BackupLease;
}

/**
 * Runs the backups of this replica's nodes, one per server; owners take turns. After a worker's death the next joins the run at the files
 * service.
 */
export class BackupWorker {
  readonly #worker: LeasedWorker<ClaimedBackup>;
  readonly #turns = new OwnerTurns(concurrency);

  constructor(
    private readonly deps: OperationDeps,
    private readonly tasks: TaskGroup,
    ownedNodes: () => readonly string[],
  ) {
    const { servers, owner, settings, attempt, log } = deps;
    const { workTtlMs: ttlMs } = settings;
    this.#worker = new LeasedWorker<ClaimedBackup>(
      {
        job: 'run-backups',
        concurrency,
        ttlMs,
        waiting: async (limit) => {
          const nodes = ownedNodes();
          return nodes.length === 0 ? [] : this.#turns.order(await servers.backups.waiting(nodes, limit));
        },
        claim: async (serverId) => {
          const server = await servers.backups.claim(serverId, owner, ttlMs);
          if (!server?.backup) return null;
          return { server, lease: { serverId, backupId: server.backup.id, fence: server.backup.fence } };
        },
        renew: async ({ lease }) => servers.backups.renew(lease, ttlMs),
        run: async ({ server, lease }, { signal }) =>
          this.#turns.hold(server.userId, async () => this.#run(server, lease, signal)),
        giveBack: async ({ lease }, { error, isStopping }) => {
          if (!isStopping) log.warn({ err: error, ...lease }, 'a backup has to wait');
          await servers.backups.release(lease, isStopping ? undefined : retryMs);
        },
      },
      { tasks, attempt, log },
    );
  }

  async tick(): Promise<void> {
    await this.#worker.tick();
  }

  async #run(server: GameServer, lease: BackupLease, signal: AbortSignal): Promise<void> {
    const { nodes, files, servers, failpoint } = this.deps;
    const node = await nodes.get(server.nodeId);
    if (!node) return;
    const client = await files.backups(node);
    const { serverId, backupId } = lease;
    if (lease.fence > maxClaims) await client.failBackup({ serverId, backupId, reason: '', message: '' });
    failpoint('backup.run');
    const pause = createSavePause(this.deps, server, node);
    try {
      if (pause && lease.fence <= maxClaims) {
        await servers.backups.progress(lease, 'save', 0);
        await pause.begin(signal);
        failpoint('backup.paused');
      }
      await this.#follow(client, lease, { server, node, signal });
    } finally {
      // In any case; after a failure or a lost lease the next worker does it.
      const isLost = signal.aborted && !this.tasks.signal.aborted;
      if (!isLost) await pause?.end();
    }
    failpoint('backup.ended');
    await servers.backups.finish(lease);
  }

  async #follow(client: Client<BackupServiceService>, lease: BackupLease, place: DumpPlace): Promise<void> {
    const { serverId, backupId } = lease;
    const written = { at: -Infinity };
    const request = { serverId, backupId, ownerId: place.server.userId };
    let hasDumps = false;
    try {
      hasDumps = await this.#dumpDatabases(client, lease, place);
      for await (const { part } of client.runBackup(request, { signal: place.signal })) {
        if (part?.$case === 'progress') await this.#report(lease, part.value, written);
        else if (part?.$case === 'end') await this.#record(lease, part.value);
      }
    } catch (error) {
      // Deleted meanwhile.
      if (!isAppError(error, 'BACKUP_NOT_FOUND')) throw error;
    }
    if (hasDumps) await this.deps.backupDumps.remove(place);
  }

  /** Writes the backup's dumps; true if there are any. */
  async #dumpDatabases(
    client: Pick<Client<BackupServiceService>, 'confirmBackup' | 'failBackup'>,
    lease: BackupLease,
    place: DumpPlace,
  ): Promise<boolean> {
    const { serverId, backupId, fence } = lease;
    const { backup, isRunning } = await client.confirmBackup({ serverId, backupId }, { timeoutMs: callMs });
    if (!backup || backup.databases.length === 0) return false;
    // A run that continues without its worker reads the first dumps.
    if (isRunning || backup.state !== Backup_State.PENDING) return true;
    await this.deps.servers.backups.progress(lease, 'databases', 0);
    try {
      await this.deps.backupDumps.write(place, backup.databases);
    } catch (error) {
      if (place.signal.aborted || (isUnavailable(error) && fence < maxClaims)) throw error;
      this.deps.log.warn({ err: error, serverId, backupId }, 'the databases of a backup cannot be dumped');
      await client.failBackup({ serverId, backupId, ...dumpFailure(error) }, { timeoutMs: callMs });
    }
    this.deps.failpoint('backup.dumped');
    return true;
  }

  async #report(lease: BackupLease, { step, percent }: BackupProgress, written: { at: number }): Promise<void> {
    if (performance.now() - written.at < writeEveryMs) return;
    written.at = performance.now();
    await this.deps.servers.backups.progress(lease, step, percent);
  }

  async #record({ serverId, backupId }: BackupLease, { state, name, errorMessage }: Backup): Promise<void> {
    const { activity, hub, triggers } = this.deps;
    if (state === Backup_State.COMPLETED) {
      const properties = { backup_id: backupId, name };
      const id = derivedId(backupId, 'complete');
      await activity.record({ event: 'server:backup.complete', serverId, properties }, null, id);
      hub.find(serverId)?.notice(`the backup "${name}" is completed`);
    } else if (state === Backup_State.FAILED) {
      const properties = { backup_id: backupId, name, error: errorMessage };
      const id = derivedId(backupId, 'fail');
      await activity.record({ event: 'server:backup.fail', serverId, properties }, null, id);
      hub.find(serverId)?.notice(`the backup "${name}" has failed: ${errorMessage}`);
      triggers.fire(serverId, 'backup_failed');
    }
  }
}
