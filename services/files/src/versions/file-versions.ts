import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAppError } from '@panel/kit/errors';
import type { Jobs } from '@panel/kit/process';
import { allocatedSize } from '../domain/disk-size.js';
import { type FileVersion, maxVersionBytes, maxVersionsPerFile } from '../domain/file-version.js';
import { mimetypeOfContent, sniffBytes } from '../domain/mimetype.js';
import { uuid } from '../domain/server-id.js';
import { openForReading, readUpTo, withHandle } from '../jail/node.js';
import type { OpenFile } from '../jail/open-file.js';
import { ifExists, namesIn } from '../jail/paths.js';
import type { FileVersionStore } from '../models/file-version-store.js';
import { fail } from '../reasons.js';

interface FileVersionsOptions {
  readonly directory: string;
  readonly store: FileVersionStore;
  readonly nodeId: string;
  readonly clock: () => Date;
  /** Of the file system. */
  readonly systemClock: () => Date;
  /** 0: no history. */
  readonly retentionMs: number;
  /** Runs a job's part for one item. */
  readonly attempt: Jobs['attempt'];
}

export interface FileVersions {
  /**
   * Saves content unless large or binary. `hold` reserves space or throws DISK_LIMIT: then oldest versions are
   * replaced; if space still lacks, saves nothing. Returns the growth in bytes.
   */
  save(
    serverId: string,
    filePath: string,
    node: Pick<OpenFile, 'fd' | 'stat'>,
    hold: (bytes: number) => void,
  ): Promise<number>;
  /** Newest first. */
  list(serverId: string, filePath: string): Promise<FileVersion[]>;
  /** Throws VERSION_NOT_FOUND. */
  find(serverId: string, id: string): Promise<FileVersion>;
  /** Throws VERSION_NOT_FOUND, STORAGE_UNAVAILABLE for another node's version. */
  read(version: FileVersion): Promise<Buffer>;
  /** On disk. */
  usedBytes(serverId: string): Promise<number>;
  deleteServer(serverId: string): Promise<void>;
  /** Removes expired versions, and bytes as old without a record. */
  sweep(signal: AbortSignal): Promise<void>;
}

const sweepJob = 'sweep-file-versions';

export function createFileVersions(options: FileVersionsOptions): FileVersions {
  const { directory, store, nodeId, clock, retentionMs } = options;
  const fileOf = ({ serverId, id }: Pick<FileVersion, 'serverId' | 'id'>) => path.join(directory, serverId, id);
  const remove = async (version: Pick<FileVersion, 'serverId' | 'id'>) => {
    await store.remove(version.id);
    await rm(fileOf(version), { force: true });
  };
  return {
    save: async (serverId, filePath, node, hold) => {
      if (retentionMs === 0) return 0;
      const content = await readText(node);
      if (!content) return 0;
      const sha256 = createHash('sha256').update(content).digest('hex');
      const known = await store.list(serverId, filePath);
      if (known[0]?.sha256 === sha256) return 0;
      const room = makeRoom(known, { nodeId, sizeBytes: content.length, hold });
      if (!room) return 0;
      const version = { id: randomUUID(), serverId, nodeId, path: filePath, sizeBytes: content.length, sha256 };
      await mkdir(path.join(directory, serverId), { recursive: true, mode: 0o700 });
      // bytes first: without a record they are swept
      await writeFile(fileOf(version), content, { mode: 0o600, flush: true });
      await store.insert({ ...version, savedAt: clock() });
      for (const old of room.replaced) await remove(old);
      return room.grownBytes;
    },
    list: async (serverId, filePath) => store.list(serverId, filePath),
    find: async (serverId, id) => {
      const version = await store.find(serverId, id);
      if (!version) throw missingError();
      return version;
    },
    read: async (version) => {
      const content = await ifExists(async () => readFile(fileOf(version)));
      if (content) return content;
      if (version.nodeId !== nodeId) throw fail('STORAGE_UNAVAILABLE', 'the version lies on another node');
      throw missingError();
    },
    usedBytes: async (serverId) => {
      let blocks = 0;
      for (const name of await namesIn(path.join(directory, serverId))) {
        // removed meanwhile
        blocks += (await ifExists(async () => (await stat(path.join(directory, serverId, name))).blocks)) ?? 0;
      }
      return blocks * 512;
    },
    deleteServer: async (serverId) => {
      await store.deleteServer(serverId, nodeId);
      await rm(path.join(directory, serverId), { recursive: true, force: true });
    },
    sweep: async (signal) => {
      const before = new Date(clock().getTime() - retentionMs);
      for (const version of await store.listExpired(nodeId, before)) {
        signal.throwIfAborted();
        await options.attempt(sweepJob, version.id, async () => remove(version));
      }
      await sweepOrphans(options, signal);
    },
  };
}

/** `replaced`: oldest versions; null without space. `known`: newest first. */
function makeRoom(
  known: readonly FileVersion[],
  {
    nodeId,
    sizeBytes,
    hold,
  }: { readonly nodeId: string; readonly sizeBytes: number; readonly hold: (bytes: number) => void },
): { readonly replaced: readonly FileVersion[]; readonly grownBytes: number } | null {
  for (let retained = Math.min(known.length, maxVersionsPerFile - 1); retained >= 0; retained -= 1) {
    const replaced = known.slice(retained);
    const freed = replaced.filter((old) => old.nodeId === nodeId).map((old) => allocatedSize(old.sizeBytes));
    const grownBytes = freed.reduce((rest, bytes) => rest - bytes, allocatedSize(sizeBytes));
    try {
      hold(Math.max(0, grownBytes));
      return { replaced, grownBytes };
    } catch (error) {
      if (!isAppError(error, 'DISK_LIMIT')) throw error;
    }
  }
  return null;
}

/** At most 1 MiB; null for other files. */
async function readText(node: Pick<OpenFile, 'fd' | 'stat'>): Promise<Buffer | null> {
  const stats = await node.stat({ bigint: true });
  if (!stats.isFile() || stats.size === 0n || stats.size > maxVersionBytes) return null;
  const content = await withHandle(await openForReading(node), async (file) => readUpTo(file, Number(stats.size)));
  const mimetype = mimetypeOfContent(content.subarray(0, sniffBytes));
  return mimetype.startsWith('text/') ? content : null;
}

/** Left by a crash before the record; or an older dump of the database lacks it, and a newer one brings it back. */
async function sweepOrphans(
  { attempt, directory, store, systemClock, retentionMs }: FileVersionsOptions,
  signal: AbortSignal,
): Promise<void> {
  const minAgeMs = Math.max(60_000, retentionMs);
  const sweepOrphan = async (serverId: string, id: string) => {
    const file = path.join(directory, serverId, id);
    const mtimeMs = await ifExists(async () => (await stat(file)).mtimeMs);
    if (mtimeMs === null || systemClock().getTime() - mtimeMs < minAgeMs || (await store.find(serverId, id))) return;
    await rm(file, { force: true });
  };
  for (const serverId of (await namesIn(directory)).filter((name) => uuid.test(name))) {
    signal.throwIfAborted();
    await attempt(sweepJob, serverId, async () => {
      for (const id of await namesIn(path.join(directory, serverId))) {
        signal.throwIfAborted();
        await attempt(sweepJob, id, async () => sweepOrphan(serverId, id));
      }
    });
  }
}

function missingError() {
  return fail('VERSION_NOT_FOUND', 'there is no such version');
}
