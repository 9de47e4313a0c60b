import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { AppError, isErrno } from '@panel/kit/errors';
import { fromErrno } from '../jail/errno.js';
import { withHandle, entryPath, openForReading, openNode } from '../jail/node.js';
import { displayName } from '../domain/path.js';
import { type WalkedEntry, walkSorted } from '../jail/sorted-walk.js';
import type { TempNames } from '../jail/temp-names.js';
import { identityOf } from '../jail/tree.js';
import { fail } from '../reasons.js';
import { HardLinks } from './hard-links.js';
import { type EntryKind, noContent, TreeDigest, type TreeTotals } from './tree-digest.js';

/** In order: per entry the entry, a file's bytes and its end; finally the end of all. `rest`: in progress. */
export type TreeEvent =
  | { readonly type: 'entry'; readonly entry: ReadEntry; readonly resumeBytes: number }
  /** A further hard link, without bytes. */
  | { readonly type: 'linked'; readonly entry: ReadEntry; readonly linkedPath: Buffer }
  | { readonly type: 'rest' }
  | { readonly type: 'bytes'; readonly bytes: Buffer }
  | { readonly type: 'file-end'; readonly sha256: Buffer }
  | { readonly type: 'end'; readonly totals: TreeTotals; readonly skipped: number };

export interface ReadEntry {
  readonly path: Buffer;
  readonly kind: EntryKind;
  readonly mode: number;
  readonly modifiedAt: Date;
  readonly sizeBytes: number;
  /** Empty unless a symbolic link. */
  readonly linkTarget: Buffer;
}

/** At the target. */
export interface PartialBytes {
  readonly path: Buffer;
  readonly bytes: number;
  readonly sha256: Buffer;
}

export interface ReadTreeOptions {
  readonly tempNames: Pick<TempNames, 'isOurs'>;
  /** No other process changes the tree: opens files by name, with a third of the system calls. */
  readonly isPrivate?: boolean;
  /** Not read out again; the entry has `resumeBytes`. */
  readonly partial?: PartialBytes | undefined;
  /** Default: closes the file. */
  readonly release?: (handle: FileHandle) => Promise<void>;
}

/** 256 KiB doubles the CPU time: libc maps buffers over 128 KiB each time. */
export const chunkBytes = 64 * 1024;
const permissionBits = 0o777;

/**
 * In sorted order, with its digest. Throws FILE_CHANGED for a file that changed since the walk, whose bytes may be
 * mixed; also as `walkSorted`, and FILE_INACCESSIBLE; all with the `path`.
 */
export async function* readTree(root: FileHandle, options: ReadTreeOptions): AsyncGenerator<TreeEvent, undefined> {
  const digest = new TreeDigest();
  const links = new HardLinks<FirstName>();
  let skipped = 0;
  for await (const walked of walkSorted(root)) {
    const kind = kindOf(walked, options.tempNames);
    if (kind === 'skipped') skipped += 1;
    if (kind === 'skipped' || kind === 'ignored') continue;
    const entry = await describe(walked, kind);
    const first = kind === 'file' ? links.find(walked.stats) : undefined;
    if (first) {
      if (!isUnchanged(walked.stats, first.stats)) throw changed(walked.path);
      yield { type: 'linked', entry, linkedPath: first.path };
    } else if (kind !== 'file') yield { type: 'entry', entry, resumeBytes: 0 };
    const sha256 = first?.sha256 ?? (kind === 'file' ? yield* readFile(walked, entry, options) : linkDigest(entry));
    if (kind === 'file' && !first) links.note(walked.stats, { path: walked.path, stats: walked.stats, sha256 });
    digest.add({ ...entry, sha256 });
  }
  yield { type: 'end', totals: digest.totals(), skipped };
  return undefined;
}

interface FirstName {
  readonly path: Buffer;
  readonly stats: BigIntStats;
  readonly sha256: Buffer;
}

export function kindOf(
  { name, stats }: Pick<WalkedEntry, 'name' | 'stats'>,
  tempNames: ReadTreeOptions['tempNames'],
): EntryKind | 'skipped' | 'ignored' {
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'symlink';
  if (!stats.isFile()) return 'skipped';
  return tempNames.isOurs(name) ? 'ignored' : 'file';
}

function linkDigest({ kind, linkTarget }: ReadEntry): Buffer {
  return kind === 'symlink' ? createHash('sha256').update(linkTarget).digest() : noContent;
}

async function describe(walked: WalkedEntry, kind: EntryKind): Promise<ReadEntry> {
  const { path, stats } = walked;
  const linkTarget = kind === 'symlink' ? await readTarget(walked) : Buffer.alloc(0);
  return {
    path,
    kind,
    mode: kind === 'symlink' ? 0 : Number(stats.mode) & permissionBits,
    modifiedAt: stats.mtime,
    sizeBytes: kind === 'file' ? Number(stats.size) : linkTarget.length,
    linkTarget,
  };
}

async function readTarget({ directory, name, path }: WalkedEntry): Promise<Buffer> {
  return at(path, async () => readlink(entryPath(directory, name), { encoding: 'buffer' }));
}

async function* readFile(
  { directory, name, path, stats }: WalkedEntry,
  entry: ReadEntry,
  { release = async (handle) => handle.close(), isPrivate = false, partial }: ReadTreeOptions,
): AsyncGenerator<TreeEvent, Buffer> {
  const file = await at(path, async () =>
    isPrivate
      ? open(entryPath(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW)
      : openSame(directory, name, stats),
  );
  let hash = createHash('sha256');
  let isWhole = false;
  try {
    let resumeBytes = 0;
    if (partial?.path.equals(path) && partial.bytes <= entry.sizeBytes) {
      for await (const bytes of bytesOf(file, path, { from: 0, to: partial.bytes })) {
        hash.update(bytes);
        yield { type: 'rest' };
      }
      if (hash.copy().digest().equals(partial.sha256)) resumeBytes = partial.bytes;
      else hash = createHash('sha256');
    }
    yield { type: 'entry', entry, resumeBytes };
    for await (const bytes of bytesOf(file, path, { from: resumeBytes, to: entry.sizeBytes })) {
      hash.update(bytes);
      yield { type: 'bytes', bytes };
    }
    if (!isUnchanged(await file.stat({ bigint: true }), stats)) throw changed(path);
    isWhole = true;
  } finally {
    // also on an early stop of the consumer
    if (!isWhole) await file.close();
  }
  await at(path, async () => release(file));
  const sha256 = hash.digest();
  yield { type: 'file-end', sha256 };
  return sha256;
}

async function* bytesOf(
  file: FileHandle,
  path: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Buffer, undefined> {
  for (let position = from; position < to;) {
    // the last buffer may still be queued
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, to - position));
    const { bytesRead } = await at(path, async () => file.read(buffer, 0, buffer.length, position));
    if (bytesRead === 0) throw changed(path);
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
  return undefined;
}

/** Only the inspected regular file. */
async function openSame(directory: FileHandle, name: Buffer, stats: BigIntStats): Promise<FileHandle> {
  return withHandle(await openNode(directory, name), async (node) => {
    if (identityOf(await node.stat({ bigint: true })) !== identityOf(stats)) throw changed(name);
    return openForReading(node);
  });
}

/** ctime cannot be reset. */
function isUnchanged(now: BigIntStats, before: BigIntStats): boolean {
  return (
    identityOf(now) === identityOf(before) &&
    now.size === before.size &&
    now.mtimeNs === before.mtimeNs &&
    now.ctimeNs === before.ctimeNs
  );
}

function changed(path: Buffer): AppError {
  return fail('FILE_CHANGED', 'a file changed while the volume was read', { path: shown(path) });
}

/** Adds the path. A missing entry means a changed tree. */
async function at<T>(path: Buffer, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL')) throw changed(path);
    const known = fromErrno(error);
    if (!(known instanceof AppError)) throw error;
    throw new AppError(
      known.kind,
      known.reason,
      known.message,
      { ...known.metadata, path: shown(path) },
      { cause: error },
    );
  }
}

function shown(path: Buffer): string {
  return displayName(path).slice(0, 256);
}
