import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KeyedMutex } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { z } from 'zod';
import { uuid } from '../domain/server-id.js';
import { createDirectoryFloor } from '../jail/free-space.js';
import { exists, namesIn } from '../jail/paths.js';
import { fail } from '../reasons.js';
import { childrenOf } from './archive-storage.js';
import { feedProgram, outputOf, startProgram } from './backup-program.js';
import type { BackupRef, BackupSource, BackupStorage, ExtractTarget } from './backup-storage.js';
import { createGate } from './gate.js';
import { RepositoryReaders } from './repository-readers.js';
import type { RepositoryWrites } from './repository-writes.js';
import { linkTree, removeLinkTree } from './link-tree.js';
import { findWrongLengths } from './restic-lengths.js';
import {
  type BucketObjects,
  discardAdded,
  diskObjects,
  removeUnfinished,
  snapshotPrefix,
  verifyObjects,
} from './restic-objects.js';
import { entriesOf, parseLine, statusSchema, summarySchema } from './restic-output.js';
import { createResticProgram, diskFull, type ResticConfig, type ResticProgram } from './restic-program.js';
import type { ScannedTree } from './scan-tree.js';
import { extractArchive } from './tar-archive.js';

const packBytes = 16 * 1024 * 1024;
/** What restic writes to a disk at the same time: two packs, each with up to 8 MiB more, the last part of a file. */
const unwrittenBytes = 2 * (packBytes + 8 * 1024 * 1024);
/** restic 0.14 may wait for ever, without a word, once a pack could not be written. */
const defaultStalledMs = 10_000;
/** `--prune` may copy most of a repository, and says nothing meanwhile. */
const pruneMs = 6 * 60 * 60_000;
/** The caller of `create` watches its progress. */
const watchedByCaller = 0;
/** A backup waits this long for a deletion on the node that the server has left. */
const holdPatienceMs = 2 * 60_000;
/** A file that grows all the time is recorded wrongly now and then. */
const maxTries = 5;

/** A directory that is complete once the gate is open. */
interface TreeToCome {
  readonly directory: string;
  readonly gate: string;
  /** A file that was made before anything of it was read. */
  readonly mark: string;
  readonly tree: Promise<ScannedTree>;
  /** Whether no other node may have written to the repository. */
  readonly isHeld: () => boolean;
}

/** The whole id of a snapshot, or a file that makes it useless; then there is no snapshot. */
type AddedSnapshot = { readonly id: string } | { readonly wrong: string };

export interface ResticStorageOptions {
  /** The objects of a server's repository, where it lies in a bucket. */
  readonly bucket?: ((serverId: string) => BucketObjects) | null;
  /** Space that stays free on the disk of this node. */
  readonly minFreeBytes?: number;
  readonly restic?: ResticProgram;
  /** Where several nodes reach a repository. */
  readonly writes?: RepositoryWrites;
  /** Without progress for this long a backup ends with DISK_FULL where there is no room for a pack. */
  readonly stalledMs?: number;
}

/**
 * Backups as snapshots of a restic repository: only what has changed is stored, compressed and encrypted. A server has a
 * repository of its own, so that nothing of another is ever locked, read or removed with it. The snapshot's id is the checksum
 * of its contents; restic compares it when it reads.
 */
export function createResticStorage(
  config: ResticConfig,
  {
    bucket = null,
    minFreeBytes = 0,
    restic = createResticProgram(config),
    writes = { run: async (_serverId, { signal }, work) => work({ signal, isHeld: () => true }) },
    stalledMs = defaultStalledMs,
  }: ResticStorageOptions = {},
): BackupStorage {
  const { isLocal, repositoryOf } = restic;
  const floor = isLocal ? createDirectoryFloor(config.repository, minFreeBytes) : null;
  const treeOf = (serverId: string) => path.join(config.workDirectory, 'trees', serverId);
  const gateOf = (serverId: string) => path.join(config.workDirectory, 'gates', serverId);
  const removeWork = async (serverId: string) => {
    await rm(gateOf(serverId), { recursive: true, force: true });
    await removeLinkTree(treeOf(serverId));
  };
  const objectsOf = (serverId: string) =>
    isLocal ? diskObjects(repositoryOf(serverId)) : (bucket?.(serverId) ?? null);
  /** By server: restic itself locks a repository, and waits for nobody. */
  const mutex = new KeyedMutex();
  const readers = new RepositoryReaders();
  const hasConfig = async (serverId: string) => exists(path.join(repositoryOf(serverId), 'config'));

  const init = async (serverId: string, signal: AbortSignal) => {
    if (isLocal) {
      if ((await namesIn(path.join(repositoryOf(serverId), 'snapshots'))).length > 0) {
        throw fail('STORAGE_UNAVAILABLE', 'the restic repository has lost its file "config"');
      }
      // a killed `restic init` has left a key that does not fit to the next one
      await rm(repositoryOf(serverId), { recursive: true, force: true });
      await mkdir(repositoryOf(serverId), { recursive: true, mode: 0o700 });
    }
    await restic.run(serverId, ['init', '--repository-version', '2'], { signal });
  };
  /** Back up a tree into a repository that is there; resolves with the id in the summary, mostly a short one. */
  const backUp = async (backup: BackupRef, from: TreeToCome, { signal, onArchived }: BackupSource) => {
    const tag = ['--host', 'panel', '--tag', backup.id];
    // a list of what is left out, which it reads when it has opened the repository and before it looks at the tree
    const args = ['backup', '--json', '--ignore-ctime', ...tag, '--exclude-file', from.gate, '.'];
    // not with 3, a snapshot without the files that could not be read: none vanishes from this tree
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
  };
  const backUpOrInit = async (backup: BackupRef, from: TreeToCome, source: BackupSource) => {
    if (isLocal && !(await hasConfig(backup.serverId))) await init(backup.serverId, source.signal);
    try {
      return await backUp(backup, from, source);
    } catch (error) {
      if (isLocal || !isAppError(error, 'BACKUP_MISSING')) throw error;
      await init(backup.serverId, source.signal);
      return backUp(backup, from, source);
    }
  };
  /** `--prune` writes packs again before it removes the old ones, and fails, with all it could free, where they do not fit. */
  const repackLimit = async () => {
    if (!floor) return [];
    const roomBytes = Math.max(0, (await floor.freeBytes()) - minFreeBytes - unwrittenBytes);
    return ['--max-repack-size', String(Math.floor(roomBytes / 2))];
  };
  const snapshotsOf = async (serverId: string, tag: string, signal: AbortSignal) => {
    const lines = await restic.run(serverId, ['snapshots', '--json', '--no-lock', '--tag', tag], { signal });
    const found = z
      .array(z.object({ id: z.string() }))
      .nullable()
      .parse(JSON.parse(lines.join('') || 'null'));
    return (found ?? []).map(({ id }) => id);
  };
  /** Everything a snapshot refers to is there: restic reads all of its directories and the index of its contents. */
  const verifyTree = async (serverId: string, id: string, signal: AbortSignal) => {
    const args = ['ls', '--json', '--no-lock', id];
    for await (const _line of restic.lines(serverId, args, { signal, bypassesCache: true })) {
      // until it has ended
    }
  };
  /** The whole id, once everything that was added for it has been read back. */
  const verifyAdded = async (
    { serverId, id: tag }: BackupRef,
    shortId: string,
    before: ReadonlySet<string>,
    { signal, onVerified }: BackupSource,
  ) => {
    const objects = objectsOf(serverId);
    if (!objects) {
      const id = (await snapshotsOf(serverId, tag, signal)).find((each) => each.startsWith(shortId));
      if (id !== undefined) await verifyTree(serverId, id, signal);
      return id;
    }
    const added = [...(await objects.list())].filter((name) => !before.has(name));
    await verifyObjects(objects, added, signal, onVerified);
    return added.find((name) => name.startsWith(snapshotPrefix + shortId))?.slice(snapshotPrefix.length);
  };
  /** Files that restic has recorded with a wrong length, of which a snapshot gives nothing back. */
  const wrongLengths = async (backup: BackupRef, shortId: string, from: TreeToCome, { signal }: BackupSource) => {
    const snapshot = { serverId: backup.serverId, id: shortId, directory: from.directory, mark: from.mark };
    return findWrongLengths(restic, snapshot, signal);
  };
  const addOnce = async (backup: BackupRef, from: TreeToCome, source: BackupSource): Promise<AddedSnapshot> => {
    const objects = objectsOf(backup.serverId);
    const before = (await objects?.list()) ?? new Set<string>();
    if (objects) await removeUnfinished(objects, before);
    let shortId = '';
    const discard = async () => {
      if (!from.isHeld()) return;
      if (objects) await discardAdded(objects, before);
      else if (shortId !== '') await restic.run(backup.serverId, ['forget', shortId], { signal: source.signal });
    };
    try {
      shortId = await backUpOrInit(backup, from, source);
      if (shortId === '') throw noSnapshot();
      // at the same time: neither has much to compute
      const [[wrong], id] = await Promise.all([
        wrongLengths(backup, shortId, from, source),
        verifyAdded(backup, shortId, before, source),
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
        // the next `prune` does
      }
      throw error;
    }
  };
  const addSnapshot = async (backup: BackupRef, from: TreeToCome, source: BackupSource): Promise<string> => {
    for (let tries = 1; ; tries += 1) {
      const added = await addOnce(backup, from, source);
      if ('id' in added) return added.id;
      if (tries === maxTries) {
        const name = added.wrong.replace(/[^\x20-\x7e]/g, '?');
        throw fail('BACKUP_TOOL_FAILED', `"${name}" grows too fast to be backed up while it is written`, {
          program: 'restic',
        });
      }
    }
  };

  /** The volume is scanned and linked while restic derives its key, which takes about as long. */
  const linkAndAdd = async (backup: BackupRef, directory: string, source: BackupSource, isHeld: () => boolean) => {
    const failed = new AbortController();
    const stop = (error: unknown) => failed.abort(error);
    const both = { ...source, signal: AbortSignal.any([source.signal, failed.signal]) };
    const mark = path.join(gateOf(backup.serverId), 'begun');
    await writeFile(mark, '', { mode: 0o600 });
    const gate = await createGate(gateOf(backup.serverId), source.signal);
    const link = async () => {
      const linked = await linkTree(source.scan, directory, both);
      await gate.open();
      return linked;
    };
    const tree = link();
    const adding = addSnapshot(backup, { directory, gate: gate.path, mark, tree, isHeld }, both);
    try {
      // each to its end, whichever fails: nobody may be in the tree when it is removed
      await Promise.all([tree.catch(stop), adding.catch(stop)]);
    } finally {
      await gate.close();
    }
    failed.signal.throwIfAborted();
    return { id: await adding, contentBytes: (await tree).contentBytes };
  };

  return {
    kind: 'restic',
    create: async (backup, source) => {
      const { serverId } = backup;
      const stored = await mutex.run(serverId, async () => {
        source.signal.throwIfAborted();
        const directory = treeOf(serverId);
        await removeWork(serverId);
        for (const made of [directory, gateOf(serverId)]) await mkdir(made, { recursive: true, mode: 0o700 });
        try {
          const options = { signal: source.signal, patienceMs: holdPatienceMs };
          const { id, contentBytes } = await writes.run(serverId, options, async ({ signal, isHeld }) =>
            linkAndAdd(backup, directory, { ...source, signal }, isHeld),
          );
          const checksum = `sha256:${id}`;
          return { sizeBytes: contentBytes, checksum };
        } catch (error) {
          await removeWork(serverId);
          throw error;
        }
      });
      // Only the next backup of the server waits for this; the sweep does what is left.
      mutex.run(serverId, async () => removeWork(serverId)).catch(() => undefined);
      return stored;
    },
    verify: async (backup, signal, onVerified) => {
      onVerified(0);
      await readers.run(backup.serverId, signal, async () => verifyTree(backup.serverId, idOf(backup), signal));
      onVerified(1);
    },
    extract: async (backup, target) =>
      readers.run(backup.serverId, target.signal, async () => extractSnapshot(restic, backup, target)),
    open: async (backup, _range, signal) => {
      const leave = await readers.enter(backup.serverId, signal);
      try {
        // `dump` leaves out, without a word, what is below a damaged directory
        await verifyTree(backup.serverId, idOf(backup), signal);
        const gzip = startProgram(['gzip', '-1'], { signal });
        // its failure ends the output of gzip, too
        const fed = feedProgram(gzip, dumpOf(restic, backup, signal));
        fed.catch((error: Error) => gzip.stdout.destroy(error)).finally(leave);
        return { totalBytes: null, chunks: outputOf(gzip) };
      } catch (error) {
        leave();
        throw error;
      }
    },
    list: async (backup, directory, max, signal) => {
      const args = ['ls', '--json', '--no-lock', idOf(backup), `/${directory}`];
      return readers.run(backup.serverId, signal, async () =>
        childrenOf(entriesOf(restic.lines(backup.serverId, args, { signal })), directory, max),
      );
    },
    delete: async ({ serverId, id }) =>
      mutex.run(serverId, async () => {
        if (isLocal && !(await hasConfig(serverId))) return;
        try {
          await writes.run(serverId, { signal: AbortSignal.timeout(pruneMs), patienceMs: 0 }, async ({ signal }) => {
            const ids = await snapshotsOf(serverId, id, signal);
            if (ids.length === 0) return;
            await readers.remove(serverId, async (isRead) => {
              // else the next deletion prunes
              const prune = isRead ? [] : ['--prune', '--max-unused', '5%', ...(await repackLimit())];
              await restic.run(serverId, ['forget', ...prune, ...ids], { signal, idleMs: pruneMs });
            });
          });
        } catch (error) {
          if (isAppError(error, 'BACKUP_MISSING')) return;
          throw isAppError(error, 'BACKUP_TOOL_FAILED')
            ? fail('STORAGE_UNAVAILABLE', error.message, {}, { cause: error })
            : error;
        }
      }),
    deleteServer: async (serverId) =>
      mutex.run(serverId, async () => {
        if (isLocal) await rm(repositoryOf(serverId), { recursive: true, force: true });
        else await bucket?.(serverId).deleteAll();
        await removeWork(serverId);
      }),
    sweep: async (_isKept, signal) => {
      for (const serverId of await namesIn(path.join(config.workDirectory, 'trees'))) {
        signal.throwIfAborted();
        if (!uuid.test(serverId)) continue;
        // in use only while its mutex is held
        await mutex.run(serverId, async () => removeWork(serverId));
      }
    },
  };
}

function noSnapshot() {
  return fail('BACKUP_TOOL_FAILED', 'restic has made no snapshot', { program: 'restic' });
}

function idOf({ checksum }: BackupRef): string {
  return checksum.replace(/^sha256:/, '');
}

function dumpOf(restic: ResticProgram, backup: BackupRef, signal: AbortSignal): AsyncGenerator<Buffer> {
  return restic.output(backup.serverId, ['dump', '--no-lock', '--archive', 'tar', idOf(backup), '/'], { signal });
}

/** Contents are compared with their checksums by restic as they are read; one that differs fails it. */
async function extractSnapshot(restic: ResticProgram, backup: BackupRef, target: ExtractTarget): Promise<void> {
  target.onExtracted(0);
  await extractArchive(dumpOf(restic, backup, target.signal), target, { decompressor: null, prefix: '' });
  target.onExtracted(1);
}
