import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { BackupDeps } from '../../backups/backup-deps.js';
import { type Backup, checkNewBackup, defaultBackupName } from '../../domain/backup.js';
import { fail } from '../../reasons.js';

interface NewBackup {
  readonly serverId: string;
  readonly id: string;
  /** Empty: named by time. */
  readonly name: string;
  readonly ignoredFiles: readonly string[];
  readonly limit: number;
  readonly isRotating: boolean;
  readonly databases: readonly string[];
}

/** Its caller died. */
const confirmMs = 120_000;

/** A unique index on slots bounds concurrent callers. Throws BACKUP_LIMIT, INVALID_FIELDS. */
export async function reserveBackup(context: BackupDeps, request: NewBackup): Promise<Backup> {
  const { serverId, id, limit } = request;
  checkNewBackup(request.name, request.ignoredFiles);
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw invalidFields({ limit: [fieldProblem('out_of_range', 'must be 0 or more')] });
  return context.mutex.run(serverId, async () => {
    const existing = await context.store.find(serverId, id);
    if (existing) return existing;
    return (
      (await takeFreeSlot(context, request)) ??
      (request.isRotating ? await replaceOldest(context, request) : null) ??
      refuse(limit)
    );
  });
}

async function takeFreeSlot({ store, ...context }: BackupDeps, request: NewBackup): Promise<Backup | null> {
  const slots = await store.takenSlots(request.serverId);
  // after a reduced limit, a lower slot may be free
  if (slots.length >= request.limit) return null;
  const taken = new Set(slots);
  for (let slot = 0; slot < request.limit; slot += 1) {
    if (taken.has(slot)) continue;
    const backup = recordOf(context, request, slot);
    if (await store.insert(backup)) return backup;
  }
  return null;
}

/** The old backup stays until the new one is completed. */
async function replaceOldest({ store, ...context }: BackupDeps, request: NewBackup): Promise<Backup | null> {
  if ((await store.takenSlots(request.serverId)).length > request.limit) return null;
  const oldest = await store.beginReplace(request.serverId, request.id);
  if (!oldest) return null;
  const backup = recordOf(context, request, oldest.slot ?? 0);
  if (await store.insert(backup)) return backup;
  await store.undoReplace(oldest.id, oldest.slot);
  return null;
}

function recordOf({ clock, nodeId, storages }: Omit<BackupDeps, 'store'>, request: NewBackup, slot: number): Backup {
  const { id, serverId, name, ignoredFiles, databases } = request;
  const now = clock();
  return {
    id,
    serverId,
    name: name === '' ? defaultBackupName(now) : name,
    state: 'pending',
    isLocked: false,
    storage: storages.current.kind,
    destination: storages.destinationOf(storages.current.kind),
    nodeIds: [nodeId],
    slot,
    replacedBy: null,
    ignoredFiles,
    databases,
    sizeBytes: 0,
    contentBytes: 0,
    entries: 0,
    checksum: '',
    errorReason: '',
    errorMessage: '',
    createdAt: now,
    completedAt: null,
    confirmBy: new Date(now.getTime() + confirmMs),
    restoredAt: null,
    restoreError: '',
    warning: '',
    retention: null,
  };
}

function refuse(limit: number): never {
  const message = limit === 0 ? 'this server may have no backups' : `the server has its ${limit} backups already`;
  throw fail('BACKUP_LIMIT', message, { limit });
}
