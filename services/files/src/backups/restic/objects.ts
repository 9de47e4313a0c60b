import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../reasons.js';
import { namesIn } from '../../jail/paths.js';
import type { ReportShare } from '../storage/backup-storage.js';
import type { BlobStore } from '../storage/blob-store.js';

/** Objects, each named by the SHA-256 of its content (restic's design, "Files"). */
export interface ResticObjects {
  /** Relative, like `data/1f/1f02…`; on a disk with unfinished files. */
  list(): Promise<Set<string>>;
  read(name: string, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Idempotent. */
  remove(name: string): Promise<void>;
}

export interface BucketObjects extends ResticObjects {
  deleteAll(): Promise<void>;
}

export const snapshotPrefix = 'snapshots/';
const directories = ['data', 'index', 'snapshots'];
const objectName = /^(data\/[0-9a-f]{2}|index|snapshots)\/[0-9a-f]{64}(-tmp-\d+)?$/;
const unfinished = /-tmp-\d+$/;

export function diskObjects(repository: string): ResticObjects {
  return {
    list: async () => {
      const found = new Set<string>();
      const add = async (directory: string) => {
        for (const name of await namesIn(path.join(repository, directory))) {
          const object = `${directory}/${name}`;
          if (objectName.test(object)) found.add(object);
          else if (directory === 'data') await add(object);
        }
      };
      for (const directory of directories) await add(directory);
      return found;
    },
    read: (name, signal) => createReadStream(path.join(repository, name), { signal, highWaterMark: 256 * 1024 }),
    remove: async (name) => rm(path.join(repository, name), { force: true }),
  };
}

export function bucketObjects(blobs: BlobStore, prefix: string): BucketObjects {
  return {
    list: async () => {
      const found = new Set<string>();
      for (const directory of directories) {
        for await (const key of blobs.list(`${prefix}${directory}/`)) {
          const object = key.slice(prefix.length);
          if (objectName.test(object)) found.add(object);
        }
      }
      return found;
    },
    read: async function* (name, signal) {
      yield* blobs.read(prefix + name, { offset: 0, length: await blobs.size(prefix + name) }, signal);
    },
    remove: async (name) => blobs.delete(prefix + name),
    deleteAll: async () => {
      for await (const key of blobs.list(prefix)) await blobs.delete(key);
    },
  };
}

/** Parses like restic (its manual, "Amazon S3" and "Minio Server"); null for other repositories. */
export function parseBucket(
  repository: string,
): { readonly endpoint: string; readonly bucket: string; readonly prefix: string } | null {
  const pattern = /^s3:(?:\/\/)?(?<scheme>https?:\/\/)?(?<host>[^/]+)\/(?<bucket>[^/]+)(?:\/(?<path>.*?))?\/*$/;
  const { scheme = 'https://', host, bucket, path: below = '' } = pattern.exec(repository)?.groups ?? {};
  if (host === undefined || bucket === undefined) return null;
  return { endpoint: scheme + host, bucket, prefix: below === '' ? '' : `${below}/` };
}

/** Compares contents with names. Throws BACKUP_DAMAGED. */
export async function verifyObjects(
  objects: ResticObjects,
  names: readonly string[],
  signal: AbortSignal,
  report: ReportShare,
): Promise<void> {
  for (const [i, name] of names.entries()) {
    signal.throwIfAborted();
    const hash = createHash('sha256');
    for await (const chunk of objects.read(name, signal)) hash.update(chunk);
    if (hash.digest('hex') !== path.basename(name)) {
      throw fail('BACKUP_DAMAGED', 'an object of the repository is not what was written');
    }
    report((i + 1) / names.length);
  }
}

/** restic never removes those of killed processes. */
export async function removeUnfinished(objects: ResticObjects, names: ReadonlySet<string>): Promise<void> {
  for (const name of names) if (unfinished.test(name)) await objects.remove(name);
}

/** Removes a failed backup's objects, referring ones first: no snapshot may lack its contents. */
export async function discardAdded(objects: ResticObjects, before: ReadonlySet<string>): Promise<void> {
  const added = [...(await objects.list())].filter((name) => !before.has(name));
  for (const directory of directories.toReversed()) {
    for (const name of added) if (name.startsWith(`${directory}/`)) await objects.remove(name);
  }
}
