import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { constants } from 'node:fs';
import path from 'node:path';
import { isAppError } from '@panel/kit/errors';
import type { Backup } from '../../domain/backup.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { uuid } from '../../domain/server-id.js';
import { syncTrusted } from '../../jail/atomic-write.js';
import { fromErrno, mapFsErrors } from '../../jail/errno.js';
import { measureTree } from '../../jail/measure.js';
import { openTrusted, withHandle } from '../../jail/node.js';
import { userFor } from '../../backups/tar-archive.js';
import { ifExists } from '../../jail/paths.js';
import type { Volumes } from '../../jail/volumes.js';
import { removeTree } from '../../jail/remove-tree.js';
import { fail } from '../../reasons.js';
import { runAsTask } from '../run-as-task.js';
import type { BackupsContext } from './backups-context.js';
import { keepOtherFiles } from './keep-other-files.js';
import { findCompleted } from './read-backup.js';
import type { RunProgress, SharedRun } from './shared-runs.js';

export interface RestoreRequest {
  readonly serverId: string;
  readonly backupId: string;
  /** Names the restore. */
  readonly operationId: string;
  readonly isTruncating: boolean;
  /** As they were sent; empty: everything. */
  readonly paths: readonly string[];
  /** 0: none. */
  readonly diskLimitBytes: number;
}

const freezeRenewMs = 30_000;
/** The tree of a restore that is complete and may take the place of the volume. */
const readyExtension = '.ready';

/** Put a backup back, or join the run that does. Throws INVALID_FIELDS. */
export function restoreBackup(context: BackupsContext, request: RestoreRequest): SharedRun {
  const paths = request.paths.map((one) => displayPath(parsePath(one, 'paths'))).filter((one) => one !== '');
  return context.runs.join(request.operationId, async (progress, signal) => {
    const leave = context.readers.enter(request.backupId);
    try {
      const backup = await findCompleted(context, request.serverId, request.backupId);
      await mapFsErrors(async () => restore(context, backup, { ...request, paths }, progress, signal));
      await context.store.setRestored(backup.id, context.clock(), '');
    } catch (error) {
      const reason = fromErrno(signal.aborted ? signal.reason : error);
      const message = isAppError(reason) ? reason.message : 'the restore failed';
      if (!context.tasks.signal.aborted) {
        await context.store.setRestored(request.backupId, context.clock(), message.slice(0, 300));
      }
      throw reason;
    } finally {
      leave();
    }
  });
}

async function restore(
  context: BackupsContext,
  backup: Backup,
  request: RestoreRequest,
  progress: RunProgress,
  signal: AbortSignal,
): Promise<void> {
  const { storages, freeSpace, quotas, restoresDirectory, freezes, volumeMutex, owner, tasks } = context;
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
  // until the old tree is gone there are two
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
    await freezes.freeze(serverId, operationId);
    const renewal = setInterval(
      () => tasks.run('extend a freeze', async () => void (await freezes.freeze(serverId, operationId))),
      freezeRenewMs,
    );
    try {
      if (!request.isTruncating) await keepOtherFiles(context, serverId, staging, signal);
      await requireFits(context, staging, request, signal);
      signal.throwIfAborted();
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
      clearInterval(renewal);
      await freezes.thaw(serverId, operationId);
    }
  } finally {
    await discardStaging(context, name);
    await holdLimit();
  }
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
  { tempNames }: BackupsContext,
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

/**
 * The old tree goes to the trash, the new one takes its place. Its name says that it is ready, so that a process that dies
 * in between leaves what the next one can finish. Returns what frees the bytes of the old one.
 */
async function swap(context: BackupsContext, serverId: string, name: string): ReturnType<Volumes['detach']> {
  const { restoresDirectory, volumes, usage } = context;
  await rename(path.join(restoresDirectory, name), path.join(restoresDirectory, name + readyExtension));
  await syncTrusted(restoresDirectory);
  const remove = await volumes.detach(serverId);
  await adoptReady(context, serverId, name + readyExtension);
  usage.forget(serverId);
  return remove;
}

async function adoptReady(
  { restoresDirectory, volumes }: BackupsContext,
  serverId: string,
  name: string,
): Promise<void> {
  const isAdopted = await withHandle(await openTrusted(restoresDirectory), async (directory) =>
    volumes.adopt(serverId, directory, Buffer.from(name)),
  );
  if (!isAdopted) throw fail('VOLUME_EXISTS', 'the files of the server were made again meanwhile');
  // the modes of the root are the panel's, whatever the backup says
  await volumes.create(serverId);
}

async function discardStaging({ restoresDirectory, tasks }: BackupsContext, name: string): Promise<void> {
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

/** After a crash: finish swaps that had begun, and remove the trees of all other restores. */
export async function recoverRestores(context: BackupsContext, signal: AbortSignal): Promise<void> {
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
