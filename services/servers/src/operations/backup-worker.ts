import { raceAbort } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { TaskGroup } from '@panel/kit/process';
import { type Backup, Backup_State, type BackupProgress, type BackupServiceService } from '@panel/protos/files';
import { type Client, derivedId } from '@panel/rpc';
import type { GameServer } from '../domain/servers/server.js';
import type { BackupLease } from '../models/servers/server-backups.js';
import { dumpFailure, type DumpPlace } from '../database-engines/dumps/backup-dumps.js';
import type { OperationDeps } from './operation.js';
import { createSavePause } from './save-pause.js';

const maxAtOnce = 4;
const callMs = 5_000;
const abortGraceMs = 2_000;
/** Past this many claims something about the backup ends its workers. */
const maxClaims = 6;
const retryMs = 5_000;
const writeEveryMs = 1_000;

/**
 * Has the backups of the servers on this replica's nodes made, one at a time for each server. A backup whose worker died is
 * claimed again when its lease has expired, and joins the run that the files service may still have.
 */
export class BackupWorker {
  readonly #running = new Set<string>();

  constructor(
    private readonly deps: OperationDeps,
    private readonly tasks: TaskGroup,
    private readonly ownedNodes: () => readonly string[],
  ) {}

  async tick(): Promise<void> {
    const nodes = this.ownedNodes();
    const free = maxAtOnce - this.#running.size;
    if (nodes.length === 0 || free <= 0) return;
    const { servers, owner, settings, attempt } = this.deps;
    for (const serverId of await servers.backups.waiting(nodes, free)) {
      if (this.#running.has(serverId)) continue;
      await attempt('run-backups', serverId, async () => {
        const claimed = await servers.backups.claim(serverId, owner, settings.workTtlMs);
        if (claimed) this.#work(claimed);
      });
    }
  }

  #work(server: GameServer): void {
    const { backup } = server;
    if (!backup) return;
    const lease: BackupLease = { serverId: server.id, backupId: backup.id, fence: backup.fence };
    const lost = new AbortController();
    this.#running.add(server.id);
    this.tasks.run('backup', async (stopping) => {
      const { workTtlMs } = this.deps.settings;
      const timer = setInterval(() => void this.#renew(lease, lost), Math.floor(workTtlMs / 3)).unref();
      try {
        await raceAbort(this.#run(server, lease, AbortSignal.any([stopping, lost.signal])), stopping, abortGraceMs);
      } catch (error) {
        if (lost.signal.aborted) return;
        await this.deps.servers.backups.release(lease, stopping.aborted ? undefined : retryMs);
        if (!stopping.aborted) this.deps.log.warn({ err: error, ...lease }, 'a backup has to wait');
      } finally {
        clearInterval(timer);
        this.#running.delete(server.id);
      }
    });
  }

  async #renew(lease: BackupLease, lost: AbortController): Promise<void> {
    try {
      if (!(await this.deps.servers.backups.renew(lease, this.deps.settings.workTtlMs))) lost.abort();
    } catch (error) {
      this.deps.log.warn({ err: error, ...lease }, 'the lease of a backup could not be renewed');
    }
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
      // whatever has happened; the next worker does it when this one fails, or has lost its lease
      const isLost = signal.aborted && !this.tasks.signal.aborted;
      if (!isLost) await pause?.end();
    }
    failpoint('backup.ended');
    await servers.backups.finish(lease);
  }

  async #follow(client: Client<BackupServiceService>, lease: BackupLease, place: DumpPlace): Promise<void> {
    const { serverId, backupId } = lease;
    const written = { at: -Infinity };
    let hasDumps = false;
    try {
      hasDumps = await this.#dumpDatabases(client, lease, place);
      for await (const { part } of client.runBackup({ serverId, backupId }, { signal: place.signal })) {
        if (part?.$case === 'progress') await this.#report(lease, part.value, written);
        else if (part?.$case === 'end') this.#record(lease, part.value);
      }
    } catch (error) {
      // it was deleted meanwhile
      if (!isAppError(error, 'BACKUP_NOT_FOUND')) throw error;
    }
    if (hasDumps) await this.deps.backupDumps.remove(place);
  }

  /** Put the dumps into place that the backup is to carry; whether there are any. */
  async #dumpDatabases(
    client: Pick<Client<BackupServiceService>, 'confirmBackup' | 'failBackup'>,
    lease: BackupLease,
    place: DumpPlace,
  ): Promise<boolean> {
    const { serverId, backupId, fence } = lease;
    const { backup, isRunning } = await client.confirmBackup({ serverId, backupId }, { timeoutMs: callMs });
    if (!backup || backup.databases.length === 0) return false;
    // A run that goes on without its worker reads the dumps that were there when it began.
    if (isRunning || backup.state !== Backup_State.PENDING) return true;
    await this.deps.servers.backups.progress(lease, 'databases', 0);
    try {
      await this.deps.backupDumps.write(place, backup.databases);
    } catch (error) {
      const isAway = isAppError(error) && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
      if (place.signal.aborted || (isAway && fence < maxClaims)) throw error;
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

  #record({ serverId, backupId }: BackupLease, { state, name, errorMessage }: Backup): void {
    const { activity, hub, triggers } = this.deps;
    if (state === Backup_State.COMPLETED) {
      const properties = { backup_id: backupId, name };
      activity.record({ event: 'server:backup.complete', serverId, properties }, null, derivedId(backupId, 'complete'));
      hub.find(serverId)?.notice(`the backup "${name}" is completed`);
    } else if (state === Backup_State.FAILED) {
      const properties = { backup_id: backupId, name, error: errorMessage };
      activity.record({ event: 'server:backup.fail', serverId, properties }, null, derivedId(backupId, 'fail'));
      hub.find(serverId)?.notice(`the backup "${name}" has failed: ${errorMessage}`);
      triggers.fire(serverId, 'backup_failed');
    }
  }
}
