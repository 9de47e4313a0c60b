import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { KeyedMutex } from '@panel/kit/async';
import { z } from 'zod';
import { exists, namesIn } from '../../jail/paths.js';
import { fail } from '../../reasons.js';
import { createDirectoryFloor, type FreeSpaceFloor } from '../../volumes/free-space.js';
import { type BucketObjects, diskObjects, type ResticObjects } from './objects.js';
import { createResticProgram, type ResticConfig, type ResticProgram } from './run-restic.js';
import { RepositoryReaders } from './repository-readers.js';
import type { RepositoryWrites } from './repository-writes.js';

export interface ResticStorageOptions {
  /** Null or absent: not in a bucket. */
  readonly bucket?: ((serverId: string) => BucketObjects) | null;
  /** Reserve on this node's disk. */
  readonly minFreeBytes?: number;
  readonly restic?: ResticProgram;
  /** For shared repositories. */
  readonly writes?: RepositoryWrites;
  /** Without progress for this long and without space for a pack, a backup ends with DISK_FULL. */
  readonly stalledMs?: number;
}

/** restic 0.14 may hang silently after a failed pack write. */
const defaultStalledMs = 10_000;
const oneNode: RepositoryWrites = {
  run: async (_serverId, { signal }, work) => work({ signal, isHeld: () => true }),
};

/** One per server isolates locks, reads and removals. */
export class ResticRepositories {
  readonly restic: ResticProgram;
  readonly writes: RepositoryWrites;
  readonly readers = new RepositoryReaders();
  /** By server: restic does not wait for locks. */
  readonly mutex = new KeyedMutex();
  /** Null: not on this disk. */
  readonly floor: FreeSpaceFloor | null;
  readonly minFreeBytes: number;
  readonly stalledMs: number;
  readonly #bucket: NonNullable<ResticStorageOptions['bucket']> | null;

  constructor(config: ResticConfig, options: ResticStorageOptions) {
    const { bucket = null, minFreeBytes = 0, writes = oneNode, stalledMs = defaultStalledMs } = options;
    this.restic = options.restic ?? createResticProgram(config);
    this.writes = writes;
    this.floor = this.restic.isLocal ? createDirectoryFloor(config.repository, minFreeBytes) : null;
    this.minFreeBytes = minFreeBytes;
    this.stalledMs = stalledMs;
    this.#bucket = bucket;
  }

  /** Null: only restic reaches them. */
  objectsOf(serverId: string): ResticObjects | null {
    const { isLocal, repositoryOf } = this.restic;
    return isLocal ? diskObjects(repositoryOf(serverId)) : (this.#bucket?.(serverId) ?? null);
  }

  /** Also true if only restic reaches it. */
  async mayExist(serverId: string): Promise<boolean> {
    const { isLocal, repositoryOf } = this.restic;
    return !isLocal || exists(path.join(repositoryOf(serverId), 'config'));
  }

  /** Throws STORAGE_UNAVAILABLE for a directory with snapshots. */
  async init(serverId: string, signal: AbortSignal): Promise<void> {
    const { isLocal, repositoryOf } = this.restic;
    if (isLocal) {
      const repository = repositoryOf(serverId);
      if ((await namesIn(path.join(repository, 'snapshots'))).length > 0) {
        throw fail('STORAGE_UNAVAILABLE', 'the restic repository has lost its file "config"');
      }
      // a killed `restic init` leaves a key that breaks the next one
      await rm(repository, { recursive: true, force: true });
      await mkdir(repository, { recursive: true, mode: 0o700 });
    }
    await this.restic.run(serverId, ['init', '--repository-version', '2'], { signal });
  }

  async snapshotsOf(serverId: string, tag: string, signal: AbortSignal): Promise<string[]> {
    const lines = await this.restic.run(serverId, ['snapshots', '--json', '--no-lock', '--tag', tag], { signal });
    const found = z
      .array(z.object({ id: z.string() }))
      .nullable()
      .parse(JSON.parse(lines.join('') || 'null'));
    return (found ?? []).map(({ id }) => id);
  }

  async deleteAll(serverId: string): Promise<void> {
    const { isLocal, repositoryOf } = this.restic;
    if (isLocal) await rm(repositoryOf(serverId), { recursive: true, force: true });
    else await this.#bucket?.(serverId).deleteAll();
  }
}
