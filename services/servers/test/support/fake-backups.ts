import { AppError } from '@panel/kit/errors';
import {
  type Backup,
  Backup_State,
  Backup_Storage,
  type DeleteServerBackupsRequest,
  type ReceiveBackupsRequest,
  type ReserveBackupRequest,
  type RestoreBackupRequest,
  type RunBackupResponse,
} from '@panel/protos/files';

interface BackupIds {
  readonly serverId: string;
  readonly backupId: string;
}

/** In-memory backups of the files service. The test ends runs and restores. */
export class FakeBackups {
  readonly records = new Map<string, Backup>();
  /** Backup ids in call order. */
  readonly runs: string[] = [];
  readonly restores: RestoreBackupRequest[] = [];
  readonly deletedServers: string[] = [];
  /** Names of deleted servers with retained backups, by id. */
  readonly retained = new Map<string, string>();
  /** Servers of backup copies, in order. */
  readonly receives: string[] = [];
  /** Error of the next copy. */
  receiveFailure: AppError | null = null;
  /** Makes runs and restores wait. */
  isHolding = false;
  /** Error of restores. */
  restoreFailure: AppError | null = null;
  isWithinReach = true;
  /** That have the bytes on their disk. */
  dataRootIds: string[] = [];
  /** Requests of single copies. */
  readonly copies: ReceiveBackupsRequest[] = [];
  /** Its files, at the end of a restore. */
  onRestored: (request: RestoreBackupRequest) => void = () => undefined;
  /** Error of runs. */
  runFailure: AppError | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly areDown: () => boolean) {}

  release(): void {
    this.isHolding = false;
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  handlers() {
    return {
      reserveBackup: async (request: ReserveBackupRequest) => ({ backup: this.#reserve(request) }),
      confirmBackup: async (ids: BackupIds) => ({ backup: this.#find(ids), isRunning: false }),
      getBackup: async ({ backupId }: BackupIds) => ({
        backup: this.#find({ serverId: '', backupId }),
        withinReach: this.isWithinReach,
        dataRootIds: this.dataRootIds,
      }),
      runBackup: (ids: BackupIds, { signal }: { signal: AbortSignal }) => this.#run(ids, signal),
      failBackup: async (ids: BackupIds) => (this.#end(ids, Backup_State.FAILED), {}),
      setBackupLock: async (ids: BackupIds & { isLocked?: boolean }) => {
        const backup = this.#find(ids);
        backup.isLocked = ids.isLocked ?? !backup.isLocked;
        return { backup };
      },
      deleteBackup: async (ids: BackupIds) => {
        const backup = this.#find(ids);
        this.records.delete(ids.backupId);
        return { backup };
      },
      restoreBackup: (request: RestoreBackupRequest, { signal }: { signal: AbortSignal }) =>
        this.#restore(request, signal),
      receiveBackups: (request: ReceiveBackupsRequest) => this.#receive(request),
      deleteServerBackups: async ({ serverId, keep }: DeleteServerBackupsRequest) => {
        this.#requireUp();
        this.deletedServers.push(serverId);
        if (keep) this.retained.set(serverId, keep.serverName);
        return {};
      },
    };
  }

  #requireUp(): void {
    if (this.areDown()) throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the files service is away');
  }

  #reserve({ serverId, backupId, name, ignoredFiles, limit, databases }: ReserveBackupRequest): Backup {
    this.#requireUp();
    const own = [...this.records.values()].filter((backup) => backup.serverId === serverId);
    if (own.filter(({ state }) => state !== Backup_State.FAILED).length >= limit) {
      throw new AppError('resource_exhausted', 'BACKUP_LIMIT', 'enough', { limit });
    }
    const backup: Backup = {
      id: backupId,
      serverId,
      name: name === '' ? 'a backup' : name,
      state: Backup_State.PENDING,
      isLocked: false,
      storage: Backup_Storage.NODE,
      sizeBytes: 0,
      contentBytes: 0,
      entries: 0,
      checksum: '',
      ignoredFiles,
      errorReason: '',
      errorMessage: '',
      createTime: new Date(),
      completeTime: undefined,
      restoreTime: undefined,
      restoreError: '',
      warning: '',
      databases,
    };
    this.records.set(backupId, backup);
    return backup;
  }

  #find({ backupId }: BackupIds): Backup {
    this.#requireUp();
    const backup = this.records.get(backupId);
    if (backup) return backup;
    throw new AppError('not_found', 'BACKUP_NOT_FOUND', 'no such backup');
  }

  #end(ids: BackupIds, state: Backup_State): Backup {
    const backup = this.#find(ids);
    if (backup.state === Backup_State.PENDING) backup.state = state;
    return backup;
  }

  async *#run(ids: BackupIds, signal: AbortSignal): AsyncGenerator<RunBackupResponse> {
    this.#find(ids);
    this.runs.push(ids.backupId);
    yield { part: { $case: 'progress', value: { step: 'archive', percent: 40 } } };
    await this.#hold(signal);
    if (this.runFailure) throw this.runFailure;
    yield { part: { $case: 'end', value: this.#end(ids, Backup_State.COMPLETED) } };
  }

  /** Two backups take two calls, as when a grant ends. */
  async *#receive(request: ReceiveBackupsRequest) {
    const { serverId } = request;
    this.#requireUp();
    if (request.backupId !== '') {
      this.copies.push(request);
      yield { received: 1, total: 1, bytesDone: 2, bytesTotal: 2 };
      return;
    }
    this.receives.push(serverId);
    if (this.receiveFailure) throw this.receiveFailure;
    const received = this.receives.filter((id) => id === serverId).length === 1 ? 1 : 2;
    yield { received: 0, total: 2, bytesDone: 0, bytesTotal: 100 };
    yield { received, total: 2, bytesDone: received * 50, bytesTotal: 100 };
  }

  async *#restore(request: RestoreBackupRequest, signal: AbortSignal) {
    this.#find(request);
    this.restores.push(request);
    yield { progress: { step: 'extract', percent: 30 } };
    await this.#hold(signal);
    if (this.restoreFailure) throw this.restoreFailure;
    this.onRestored(request);
  }

  async #hold(signal: AbortSignal): Promise<void> {
    if (!this.isHolding) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => reject(new AppError('cancelled', 'CANCELLED', 'the caller is gone')), {
        once: true,
      });
    });
  }
}
