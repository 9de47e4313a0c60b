import { isAppError } from '@panel/kit/errors';
import { fail } from '../../reasons.js';
import type { BackupRef, BackupSource } from '../storage/backup-storage.js';
import type { ScannedTree } from '../storage/scan-tree.js';
import { findWrongLengths } from './lengths.js';
import { discardAdded, removeUnfinished } from './objects.js';
import { parseLine, statusSchema, summarySchema } from './output.js';
import { diskFull } from './run-restic.js';
import type { ResticRepositories } from './repository.js';
import { verifyAdded } from './verify.js';

const packBytes = 16 * 1024 * 1024;
/** Concurrent writes of restic: two packs, each up to 8 MiB larger (a file's end). */
export const unwrittenBytes = 2 * (packBytes + 8 * 1024 * 1024);
/** The caller of `create` watches progress. */
const watchedByCaller = 0;
/** A growing file is sometimes recorded wrongly. */
const maxTries = 5;

/** Complete once the gate opens. */
interface PendingTree {
  readonly directory: string;
  readonly gate: string;
  /** Created before the first read. */
  readonly mark: string;
  readonly tree: Promise<ScannedTree>;
  /** No other node may have written. */
  readonly isHeld: () => boolean;
}

/** `wrong`: file with a wrong length; the snapshot was removed. */
type AddedSnapshot = { readonly id: string } | { readonly wrong: string };

/**
 * Returns the full id of a verified snapshot; creates a missing repository. Throws BACKUP_TOOL_FAILED for a constantly
 * growing file, BACKUP_DAMAGED, DISK_FULL, NODE_DISK_LOW.
 */
export async function addSnapshot(
  repositories: ResticRepositories,
  backup: BackupRef,
  from: PendingTree,
  source: BackupSource,
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const added = await addOnce(repositories, backup, from, source);
    if ('id' in added) return added.id;
    if (tries === maxTries) {
      const name = added.wrong.replace(/[^\x20-\x7e]/g, '?');
      const message = `"${name}" grows too fast to be backed up while it is written`;
      throw fail('BACKUP_TOOL_FAILED', message, { program: 'restic' });
    }
  }
}

async function addOnce(
  repositories: ResticRepositories,
  backup: BackupRef,
  from: PendingTree,
  source: BackupSource,
): Promise<AddedSnapshot> {
  const { serverId } = backup;
  const { signal } = source;
  const objects = repositories.objectsOf(serverId);
  const before = (await objects?.list()) ?? new Set<string>();
  if (objects) await removeUnfinished(objects, before);
  let shortId = '';
  const discard = async () => {
    if (!from.isHeld()) return;
    if (objects) await discardAdded(objects, before);
    else if (shortId !== '') await repositories.restic.run(serverId, ['forget', shortId], { signal });
  };
  try {
    shortId = await backUpOrInit(repositories, backup, from, source);
    if (shortId === '') throw noSnapshot();
    const { directory, mark } = from;
    // concurrent: both mostly wait
    const [[wrong], id] = await Promise.all([
      findWrongLengths(repositories.restic, { serverId, id: shortId, directory, mark }, signal),
      verifyAdded(repositories, backup, { shortId, before }, source),
    ]);
    if (wrong !== undefined) {
      await discard();
      return { wrong };
    }
    if (id === undefined) throw noSnapshot();
    return { id };
  } catch (error) {
    try {
      await discard();
    } catch {
      // the next `prune` does it
    }
    throw error;
  }
}

async function backUpOrInit(
  repositories: ResticRepositories,
  backup: BackupRef,
  from: PendingTree,
  source: BackupSource,
): Promise<string> {
  const { serverId } = backup;
  if (!(await repositories.mayExist(serverId))) await repositories.init(serverId, source.signal);
  try {
    return await backUp(repositories, backup, from, source);
  } catch (error) {
    if (repositories.restic.isLocal || !isAppError(error, 'BACKUP_MISSING')) throw error;
    await repositories.init(serverId, source.signal);
    return backUp(repositories, backup, from, source);
  }
}

/** Returns the summary's id, mostly short. */
async function backUp(
  { floor, restic, stalledMs }: ResticRepositories,
  backup: BackupRef,
  from: PendingTree,
  { signal, onArchived }: BackupSource,
): Promise<string> {
  const tag = ['--host', 'panel', '--tag', backup.id];
  // restic reads the exclude file after opening the repository, before the tree
  const args = ['backup', '--json', '--ignore-ctime', ...tag, '--exclude-file', from.gate, '.'];
  // not 3 (unreadable files omitted): this tree loses no files
  const options = { cwd: from.directory, signal, idleMs: watchedByCaller };
  const done = { files: 0, bytes: 0 };
  let snapshotId = '';
  let movedAt = performance.now();
  await floor?.require(packBytes);
  for await (const line of restic.lines(backup.serverId, args, options)) {
    await floor?.require(0);
    const message = parseLine(line);
    const { data: status } = statusSchema.safeParse(message);
    if (status && (status.files_done > done.files || status.bytes_done > done.bytes)) {
      [done.files, done.bytes] = [status.files_done, status.bytes_done];
      movedAt = performance.now();
      const { contentBytes } = await from.tree;
      onArchived(Math.min(1, done.bytes / (contentBytes || 1)));
    } else if (floor && performance.now() - movedAt > stalledMs && (await floor.freeBytes()) < unwrittenBytes) {
      throw diskFull();
    }
    snapshotId = summarySchema.safeParse(message).data?.snapshot_id ?? snapshotId;
  }
  return snapshotId;
}

function noSnapshot() {
  return fail('BACKUP_TOOL_FAILED', 'restic has made no snapshot', { program: 'restic' });
}
