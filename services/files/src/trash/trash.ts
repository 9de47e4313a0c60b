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
  /** Where the bytes lie: a directory on the file system of the volumes. */
  readonly directory: string;
  readonly store: TrashStore;
  readonly nodeId: string;
  readonly quotas: DiskQuotas;
  readonly tempNames: TempNames;
  readonly tasks: TaskGroup;
  readonly clock: () => Date;
  /** Do the part of a job that concerns one item. */
  readonly attempt: Jobs['attempt'];
  /** 0 switches the trash off. */
  readonly retentionMs: number;
}

/** Deleted entries until they expire or their room is needed: bytes on the node of the deletion, records in the database. */
export interface Trash {
  readonly retentionMs: number;
  /**
   * Move an entry of a volume to the trash. False when it cannot be moved (another file system, a read-only directory) or has
   * gone: the caller removes it.
   */
  put(serverId: string, location: Location & { readonly found: NonNullable<Location['found']> }): Promise<boolean>;
  /** On whatever node. */
  list(serverId: string): Promise<TrashEntry[]>;
  /** Throws TRASH_NOT_FOUND. */
  find(serverId: string, id: string): Promise<TrashEntry>;
  /**
   * Move an entry back to a free name, unless `check` of it throws. Throws FILE_EXISTS, TRASH_NOT_FOUND, STORAGE_UNAVAILABLE for
   * one on another node.
   */
  restore(entry: TrashEntry, target: EntryRef, check: (found: DeletedNode) => Promise<void>): Promise<void>;
  /** Free the bytes of an entry; on another node its sweep does. */
  purge(entry: TrashEntry): Promise<void>;
  /**
   * Free the oldest entries until usage and trash fit into the limit (0: none): as one task for the calls of a while, because
   * each of ten thousand small files makes one.
   */
  fitSoon(serverId: string, usedBytes: () => Promise<number>, limitBytes: number): void;
  /** Free all entries of a server on this node. */
  empty(serverId: string): Promise<void>;
  /** Free expired entries, and bytes without a record. */
  sweep(signal: AbortSignal): Promise<void>;
}

/** The bytes of a deleted entry. */
interface DeletedNode {
  readonly node: FileHandle;
  readonly stats: BigIntStats;
}

const sweepJob = 'sweep-deleted-files';
/** How long calls of `fitSoon` are collected. */
const fitDelayMs = 250;

export function createTrash(options: TrashOptions): Trash {
  const { directory, store, nodeId, clock, retentionMs, tasks, quotas } = options;
  // by entry: link(2) would let several callers restore one file before the first unlinks it
  const mutex = new KeyedMutex();
  const purge = async (entry: TrashEntry) =>
    mutex.run(entry.id, async () => {
      // the record goes first: its remover owns the bytes, and bytes without a record are swept
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
  // of the servers whose trash is about to be fitted
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
      // the record comes first: bytes without one would be swept
      await store.insert(entry);
      if (!(await moveToTrash(options, entry, location))) {
        await store.remove(entry.id);
        return false;
      }
      // a small directory of XFS takes no block
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
            // the target may be what is missing
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

/** What lies in the trash takes nothing of the limit that the kernel holds. */
async function letGo(options: TrashOptions, { id, serverId }: Pick<TrashEntry, 'id' | 'serverId'>): Promise<void> {
  await ifExists(async () =>
    withServerTrash(options, serverId, async (trash) =>
      options.quotas.letGo({ directory: trash, name: Buffer.from(id) }),
    ),
  );
}

/** Entries that a process that died, or a move that failed, has left counted. */
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
      // restored or freed already
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

/** Bytes whose record was removed by a process that died before it freed them. */
async function sweepOrphans(options: TrashOptions, signal: AbortSignal): Promise<void> {
  const { attempt, directory, store, clock } = options;
  const minAgeMs = 60_000;
  const sweepOrphan = async (serverId: string, id: string) => {
    const ctimeMs = await ifExists(async () => (await lstat(path.join(directory, serverId, id))).ctimeMs);
    if (ctimeMs === null || clock().getTime() - ctimeMs < minAgeMs || (await store.find(serverId, id))) return;
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
