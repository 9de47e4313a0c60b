import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, lstat, mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { KeyedMutex } from '@panel/kit/async';
import { isErrno } from '@panel/kit/errors';
import type { Jobs, TaskGroup } from '@panel/kit/process';
import type { TrashEntry } from '../domain/trash-entry.js';
import { displayPath } from '../domain/path.js';
import { uuid } from '../domain/server-id.js';
import type { Location } from '../jail/location.js';
import { measureTree } from '../jail/measure.js';
import { type EntryRef, moveWithoutReplacing } from '../jail/move.js';
import { entryPath, openDirectory, openNode, openTrusted, withHandle } from '../jail/node.js';
import { exists, ifExists, namesIn } from '../jail/paths.js';
import { removeTree } from '../jail/remove-tree.js';
import type { TempNames } from '../jail/temp-names.js';
import type { TrashStore } from '../models/trash-store.js';
import { fail } from '../reasons.js';
import type { DiskQuotas } from '../quotas/disk-quotas.js';

interface TrashOptions {
  /** On the volumes' file system. */
  readonly directory: string;
  readonly store: TrashStore;
  readonly nodeId: string;
  readonly quotas: DiskQuotas;
  readonly tempNames: TempNames;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
  /** Of the file system. */
  readonly systemClock: () => Date;
  /** Runs a job's part for one item. */
  readonly attempt: Jobs['attempt'];
  /** TRASH_HOURS; 0: no trash. */
  readonly retentionMs: number;
}

/** Until expiry or lack of space: bytes on the node of the deletion, records in the database. */
export interface Trash {
  readonly retentionMs: number;
  /** False when gone or immovable (another file system, a read-only directory): the caller removes the entry. */
  put(serverId: string, location: Location & { readonly found: NonNullable<Location['found']> }): Promise<boolean>;
  /** On any node. */
  list(serverId: string): Promise<TrashEntry[]>;
  /** Throws TRASH_NOT_FOUND. */
  find(serverId: string, id: string): Promise<TrashEntry>;
  /**
   * Only to a free name. Throws the error of `check`, FILE_EXISTS, TRASH_NOT_FOUND, STORAGE_UNAVAILABLE for another
   * node's entry.
   */
  restore(entry: TrashEntry, target: EntryRef, check: (found: DeletedNode) => Promise<void>): Promise<void>;
  /** Another node's sweep frees its entries. */
  purge(entry: TrashEntry): Promise<void>;
  /**
   * Frees oldest entries until usage plus trash fit the limit (0: unlimited). Batches calls, as each small file makes
   * one.
   */
  fitSoon(serverId: string, usedBytes: () => Promise<number>, limitBytes: number): void;
  /** On this node. */
  empty(serverId: string): Promise<void>;
  /** Frees expired entries, and bytes as old without a record. */
  sweep(signal: AbortSignal): Promise<void>;
}

interface DeletedNode {
  readonly node: FileHandle;
  readonly stats: BigIntStats;
}

const sweepJob = 'sweep-deleted-files';
const fitDelayMs = 250;

export function createTrash(options: TrashOptions): Trash {
  const { directory, store, nodeId, clock, retentionMs, tasks, quotas } = options;
  // by entry: link(2) would permit concurrent restores of a file before its unlink
  const mutex = new KeyedMutex();
  const purge = async (entry: TrashEntry) =>
    mutex.run(entry.id, async () => {
      // record first: its remover owns the bytes; bytes without a record are swept
      if (await store.remove(entry.id)) await removeBytes(options, entry);
    });
  const fit = async (serverId: string, usedBytes: number, limitBytes: number) => {
    const entries = await store.listOn(nodeId, serverId);
    let total = usedBytes + entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const entry of entries.toReversed()) {
      if (total <= limitBytes) return;
      await purge(entry);
      total -= entry.sizeBytes;
    }
  };
  // pending fits, by server
  const limits = new Map<string, number>();
  return {
    retentionMs,
    put: async (serverId, location) => {
      if (retentionMs === 0) return false;
      const { stats } = location.found;
      const isDirectory = stats.isDirectory();
      const entry: TrashEntry = {
        id: randomUUID(),
        serverId,
        nodeId,
        path: `/${displayPath(location.segments)}`,
        isDirectory,
        sizeBytes: Number(stats.blocks) * 512,
        deletedAt: clock(),
      };
      await mkdir(path.join(directory, serverId), { recursive: true, mode: 0o700 });
      // record first: bytes without one are swept
      await store.insert(entry);
      if (!(await moveToTrash(options, entry, location))) {
        await store.remove(entry.id);
        return false;
      }
      // a small XFS directory uses no block
      if (quotas.mount && (isDirectory || stats.blocks > 0n)) {
        tasks.run('count a deleted entry no more', async () => mutex.run(entry.id, async () => letGo(options, entry)));
      }
      if (isDirectory) tasks.run('measure a deleted directory', async (signal) => measure(options, entry, signal));
      return true;
    },
    list: async (serverId) => store.list(serverId),
    find: async (serverId, id) => {
      const entry = await store.find(serverId, id);
      if (!entry) throw fail('TRASH_NOT_FOUND', 'there is no such entry in the trash');
      return entry;
    },
    restore: async (entry, target, check) =>
      mutex.run(entry.id, async () => {
        if (entry.nodeId !== nodeId) throw fail('STORAGE_UNAVAILABLE', 'the deleted entry lies on another node');
        await withServerTrash(options, entry.serverId, async (trash) => {
          const source = { directory: trash, name: Buffer.from(entry.id) };
          try {
            await withHandle(await openNode(trash, source.name), async (node) =>
              check({ node, stats: await node.stat({ bigint: true }) }),
            );
            await quotas.takeIn(entry.serverId, source);
            await moveWithoutReplacing(source, target, entry.isDirectory);
          } catch (error) {
            // the target may be missing instead
            if (!isErrno(error, 'ENOENT') || (await exists(entryPath(trash, source.name)))) {
              await letGo(options, entry);
              throw error;
            }
            await store.remove(entry.id);
            throw fail('TRASH_NOT_FOUND', 'there is no such entry in the trash', {}, { cause: error });
          }
        });
        await store.remove(entry.id);
      }),
    purge,
    fitSoon: (serverId, usedBytes, limitBytes) => {
      if (retentionMs === 0 || limitBytes === 0) return;
      const isWaiting = limits.has(serverId);
      limits.set(serverId, limitBytes);
      if (isWaiting) return;
      tasks.run('fit the trash into the disk limit', async (signal) => {
        await setTimeout(fitDelayMs, undefined, { signal });
        const limit = limits.get(serverId) ?? limitBytes;
        limits.delete(serverId);
        await fit(serverId, await usedBytes(), limit);
      });
    },
    empty: async (serverId) => {
      for (
        let entries = await store.listOn(nodeId, serverId);
        entries.length > 0;
        entries = await store.listOn(nodeId, serverId)
      ) {
        for (const entry of entries) await purge(entry);
      }
    },
    sweep: async (signal) => {
      const before = new Date(clock().getTime() - retentionMs);
      for (const entry of await store.listExpired(nodeId, before)) {
        signal.throwIfAborted();
        await options.attempt(sweepJob, entry.id, async () => purge(entry));
      }
      await sweepOrphans(options, signal);
      if (quotas.mount) await sweepCounted(options, mutex, signal);
    },
  };
}

async function withServerTrash<T>(
  { directory }: TrashOptions,
  serverId: string,
  use: (trash: Awaited<ReturnType<typeof openTrusted>>) => Promise<T>,
): Promise<T> {
  return withHandle(await openTrusted(path.join(directory, serverId)), use);
}

async function moveToTrash(options: TrashOptions, entry: TrashEntry, { directory, name }: EntryRef): Promise<boolean> {
  return withServerTrash(options, entry.serverId, async (trash) => {
    try {
      await rename(entryPath(directory, name), entryPath(trash, Buffer.from(entry.id)));
      return true;
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'EXDEV', 'EACCES')) return false;
      throw error;
    }
  });
}

/** Kernel limits do not count trash. */
async function letGo(options: TrashOptions, { id, serverId }: Pick<TrashEntry, 'id' | 'serverId'>): Promise<void> {
  await ifExists(async () =>
    withServerTrash(options, serverId, async (trash) =>
      options.quotas.letGo({ directory: trash, name: Buffer.from(id) }),
    ),
  );
}

/** Left counted by a crash or a failed move. */
async function sweepCounted(options: TrashOptions, mutex: KeyedMutex, signal: AbortSignal): Promise<void> {
  const { attempt, directory, quotas } = options;
  const isCounted = async (serverId: string, id: string) =>
    withServerTrash(options, serverId, async (trash) =>
      withHandle(await openNode(trash, Buffer.from(id)), async (node) => {
        const stats = await node.stat();
        return (stats.isFile() || stats.isDirectory()) && (await quotas.areCounted([node]))[0] === true;
      }),
    );
  const sweepEntry = async (serverId: string, id: string) =>
    mutex.run(id, async () => {
      if (await ifExists(async () => isCounted(serverId, id))) await letGo(options, { id, serverId });
    });
  for (const serverId of (await readdir(directory)).filter((name) => uuid.test(name))) {
    for (const id of (await namesIn(path.join(directory, serverId))).filter((name) => uuid.test(name))) {
      signal.throwIfAborted();
      await attempt(sweepJob, id, async () => sweepEntry(serverId, id));
    }
  }
}

async function measure(options: TrashOptions, { id, serverId }: TrashEntry, signal: AbortSignal): Promise<void> {
  const { store, tempNames } = options;
  await withServerTrash(options, serverId, async (trash) => {
    try {
      const bytes = await withHandle(await openDirectory(trash, Buffer.from(id)), async (root) =>
        measureTree(root, { signal, tempNames }),
      );
      await store.setSize(id, bytes);
    } catch (error) {
      // already restored or freed
      if (!isErrno(error, 'ENOENT')) throw error;
    }
  });
}

async function removeBytes(
  options: TrashOptions,
  { id, serverId }: Pick<TrashEntry, 'id' | 'serverId'>,
): Promise<void> {
  await ifExists(async () =>
    withServerTrash(options, serverId, async (trash) => removeTree(trash, Buffer.from(id), options.tasks.signal)),
  );
}

/** Left by a crash after the record's removal; or an older dump of the database lacks it, and a newer one brings it back. */
async function sweepOrphans(options: TrashOptions, signal: AbortSignal): Promise<void> {
  const { attempt, directory, store, systemClock } = options;
  const minAgeMs = Math.max(60_000, options.retentionMs);
  const sweepOrphan = async (serverId: string, id: string) => {
    const ctimeMs = await ifExists(async () => (await lstat(path.join(directory, serverId, id))).ctimeMs);
    if (ctimeMs === null || systemClock().getTime() - ctimeMs < minAgeMs || (await store.find(serverId, id))) return;
    await removeBytes(options, { id, serverId });
  };
  for (const serverId of (await readdir(directory)).filter((name) => uuid.test(name))) {
    signal.throwIfAborted();
    await attempt(sweepJob, serverId, async () => {
      for (const id of (await namesIn(path.join(directory, serverId))).filter((name) => uuid.test(name))) {
        signal.throwIfAborted();
        await attempt(sweepJob, id, async () => sweepOrphan(serverId, id));
      }
    });
  }
}
