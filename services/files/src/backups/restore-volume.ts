import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { constants } from 'node:fs';
import path from 'node:path';
import { monotonicClock } from '@panel/kit/async';
import { holdLease, type Lease } from '@panel/kit/lease';
import type { Backup } from '../domain/backup.js';
import { uuid } from '../domain/server-id.js';
import { syncTrusted } from '../jail/atomic-write.js';
import { measureTree } from '../jail/measure.js';
import { freezeTtlMs } from '../freezes/volume-freezes.js';
import { openTrusted, withHandle } from '../jail/node.js';
import { userFor } from './storage/tar-archive.js';
import { ifExists } from '../jail/paths.js';
import type { Volumes } from '../volumes/volumes.js';
import { removeTree } from '../jail/remove-tree.js';
import { fail } from '../reasons.js';
import { runAsTask } from '../volumes/run-as-task.js';
import type { BackupDeps } from './backup-deps.js';
import { keepOtherFiles } from './keep-other-files.js';
import type { RunProgress } from './shared-runs.js';

export interface RestoreRequest {
  readonly serverId: string;
  readonly backupId: string;
  readonly operationId: string;
  readonly isTruncating: boolean;
  /** As sent; empty: everything. */
  readonly paths: readonly string[];
  /** 0: unlimited. */
  readonly diskLimitBytes: number;
}

/** Ready to replace the volume. */
const readyExtension = '.ready';

/**
 * Extracts beside the volume, then replaces it atomically. Throws DISK_LIMIT, NODE_DISK_LOW, BACKUP_DAMAGED,
 * FILE_NOT_FOUND, VOLUME_EXISTS, STORAGE_UNAVAILABLE.
 */
export async function restoreVolume(
  context: BackupDeps,
  backup: Backup,
  request: RestoreRequest,
  progress: RunProgress,
  signal: AbortSignal,
): Promise<void> {
  const { storages, freeSpace, quotas, restoresDirectory, volumeMutex, owner, tasks } = context;
  const { serverId, operationId, diskLimitBytes } = request;
  const enter = (step: string, from: number, to: number) => (share: number) => {
    progress.step = step;
    progress.percent = Math.floor(from + (to - from) * Math.min(1, share));
  };
  const storage = storages.of(backup);
  if (diskLimitBytes > 0 && request.paths.length === 0 && backup.contentBytes > diskLimitBytes)
    throw diskLimit(request);
  if (request.paths.length === 0) await freeSpace.require(backup.contentBytes);
  enter('verify', 0, 30)(0);
  await storage.verify(backup, signal, enter('verify', 0, 30));
  enter('extract', 30, 80)(0);
  const name = `${serverId}.${operationId}`;
  const staging = path.join(restoresDirectory, name);
  await discardStaging(context, name);
  // two trees exist until the old one is removed
  let holdLimit = await quotas.lift(serverId);
  try {
    await makeStaging(staging, userFor(owner));
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    await withHandle(await open(staging, flags), async (directory) => {
      await quotas.include(serverId, directory);
      const target = { directory, owner, paths: request.paths, signal, onExtracted: enter('extract', 30, 80) };
      await storage.extract(backup, target);
    });
    enter('swap', 85, 85)(0);
    const freeze = await acquireFreeze(context, request, signal);
    try {
      const isLost = (await context.volumes.occupant(serverId)) === 'nothing';
      if (!request.isTruncating && !isLost) await keepOtherFiles(context, serverId, staging, freeze.signal);
      await requireFits(context, staging, request, freeze.signal);
      freeze.signal.throwIfAborted();
      const remove = await volumeMutex.run(serverId, async () => swap(context, serverId, name));
      if (remove) {
        const holdAgain = holdLimit;
        holdLimit = async () => undefined;
        tasks.run('remove a replaced volume', async (end) => {
          try {
            await remove(end);
          } finally {
            await holdAgain();
          }
        });
      }
    } finally {
      await freeze.release();
    }
  } finally {
    await discardStaging(context, name);
    await holdLimit();
  }
}

/** The lease blocks changes to the volume. */
async function acquireFreeze(
  { freezes, log }: Pick<BackupDeps, 'freezes' | 'log'>,
  { serverId, operationId }: Pick<RestoreRequest, 'serverId' | 'operationId'>,
  signal: AbortSignal,
): Promise<Lease> {
  const sentAt = monotonicClock.now();
  const freezeId = await freezes.freeze(serverId, operationId);
  return holdLease({
    name: 'freeze',
    facts: { serverId, operationId },
    ttlMs: freezeTtlMs,
    sentAt,
    // Another id: this freeze ended.
    renew: async () => (await freezes.freeze(serverId, operationId)) === freezeId,
    release: async () => freezes.thaw(serverId, operationId),
    lossError: () => fail('VOLUME_THAWED', 'the files could be changed meanwhile'),
    signal,
    log,
  });
}

async function makeStaging(
  staging: string,
  user: { readonly uid: number; readonly gid: number } | null,
): Promise<void> {
  await mkdir(staging, { mode: 0o750 });
  if (!user) return;
  await withHandle(await open(staging, constants.O_RDONLY | constants.O_DIRECTORY), async (directory) =>
    directory.chown(user.uid, user.gid),
  );
}

async function requireFits(
  { tempNames }: BackupDeps,
  staging: string,
  request: RestoreRequest,
  signal: AbortSignal,
): Promise<void> {
  if (request.diskLimitBytes === 0) return;
  const bytes = await withHandle(await openTrusted(staging), async (root) => measureTree(root, { signal, tempNames }));
  if (bytes > request.diskLimitBytes) throw diskLimit(request);
}

function diskLimit({ diskLimitBytes }: RestoreRequest) {
  return fail('DISK_LIMIT', "the backup does not fit into the server's disk limit", { disk_limit: diskLimitBytes });
}

/** The ready name lets the next process finish after a crash. Returns the removal of the old bytes. */
async function swap(context: BackupDeps, serverId: string, name: string): ReturnType<Volumes['detach']> {
  const { restoresDirectory, volumes, usage } = context;
  await rename(path.join(restoresDirectory, name), path.join(restoresDirectory, name + readyExtension));
  await syncTrusted(restoresDirectory);
  const remove = await volumes.detach(serverId);
  await adoptReady(context, serverId, name + readyExtension);
  usage.forget(serverId);
  return remove;
}

async function adoptReady({ restoresDirectory, volumes }: BackupDeps, serverId: string, name: string): Promise<void> {
  const isAdopted = await withHandle(await openTrusted(restoresDirectory), async (directory) =>
    volumes.adopt(serverId, directory, Buffer.from(name)),
  );
  if (!isAdopted) throw fail('VOLUME_EXISTS', 'the files of the server were made again meanwhile');
  // the panel sets the root's modes, not the backup
  await volumes.create(serverId);
}

async function discardStaging({ restoresDirectory, tasks }: BackupDeps, name: string): Promise<void> {
  const discarded = `${name}.old`;
  const isDiscarded = await ifExists(async () => {
    await rename(path.join(restoresDirectory, name), path.join(restoresDirectory, discarded));
    return true;
  });
  if (!isDiscarded) return;
  await runAsTask(tasks, 'remove a restore', async (signal) =>
    withHandle(await openTrusted(restoresDirectory), async (directory) =>
      removeTree(directory, Buffer.from(discarded), signal),
    ),
  );
}

/** After a crash: finishes started swaps, removes other trees. */
export async function recoverRestores(context: BackupDeps, signal: AbortSignal): Promise<void> {
  const { restoresDirectory, volumes, log } = context;
  for (const name of await readdir(restoresDirectory)) {
    const serverId = name.slice(0, 36);
    if (name.endsWith(readyExtension) && uuid.test(serverId) && (await volumes.occupant(serverId)) === 'nothing') {
      await adoptReady(context, serverId, name);
      log.warn({ serverId }, 'an interrupted restore was finished');
      continue;
    }
    await withHandle(await openTrusted(restoresDirectory), async (directory) =>
      removeTree(directory, Buffer.from(name), signal),
    );
  }
}
