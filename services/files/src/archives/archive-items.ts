import type { BigIntStats } from 'node:fs';
import { type FileHandle, readlink } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import type { ArchiveItem } from './write-archive.js';
import { isRetainedLink } from '../domain/archive-entry.js';
import type { FileGuard } from '../domain/file-guard.js';
import { displayName, displayPath, type Segments } from '../domain/path.js';
import { locateExisting } from '../jail/location.js';
import { duplicate, entryPath, openForReading, openNode, withHandle } from '../jail/node.js';
import { type WalkedEntry, walkSorted } from '../jail/sorted-walk.js';
import type { TempNames } from '../jail/temp-names.js';
import { identityOf } from '../jail/tree.js';
import { fail } from '../reasons.js';

const chunkBytes = 256 * 1024;
const permissionBits = 0o777n;

interface ItemOptions {
  /** Names in the archive are relative to it. */
  readonly root: Segments;
  readonly paths: readonly Segments[];
  readonly tempNames: TempNames;
  /** For a pipe, socket, device or protected file, and a link that leads outside. */
  readonly onSkip: () => void;
}

interface ReadableTree {
  readonly root: FileHandle;
  readonly readGuard: FileGuard;
}

interface Selected {
  /** A directory by O_PATH, a file for reading. */
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
  readonly segments: Segments;
}

/** Follows no symbolic link; keeps those that lead inside, and skips others, protected and special files. */
export async function* archiveItems(tree: ReadableTree, options: ItemOptions): AsyncGenerator<ArchiveItem> {
  const { root, paths, onSkip } = options;
  for (const [i, path] of paths.entries()) {
    const selected = await select(tree, path, `files.${i}`);
    if (!selected) {
      onSkip();
      continue;
    }
    const { handle, stats, segments } = selected;
    const name = path.slice(root.length).map(displayName).join('/');
    try {
      yield itemOf(name, stats, async () => handle);
      if (stats.isDirectory()) yield* itemsBelow(handle, { name, segments, guard: tree.readGuard, ...options });
    } finally {
      await handle.close();
    }
  }
}

export async function* archiveItemsOfRoot(
  { root, readGuard }: ReadableTree,
  { tempNames, onSkip }: Pick<ItemOptions, 'tempNames' | 'onSkip'>,
): AsyncGenerator<ArchiveItem> {
  yield* itemsBelow(root, { name: '', segments: [], guard: readGuard, tempNames, onSkip });
}

async function select({ root, readGuard }: ReadableTree, path: Segments, field: string): Promise<Selected | null> {
  return locateExisting(root, path, field, async ({ found, segments }) => {
    readGuard.check(displayPath(path), found.stats.isDirectory());
    readGuard.check(displayPath(segments), found.stats.isDirectory());
    const { node, stats } = found;
    if (stats.isDirectory()) return { handle: await duplicate(node), stats, segments };
    return stats.isFile() ? { handle: await openForReading(node), stats, segments } : null;
  });
}

async function* itemsBelow(
  directory: FileHandle,
  {
    name,
    segments,
    guard,
    tempNames,
    onSkip,
  }: Pick<ItemOptions, 'tempNames' | 'onSkip'> & {
    readonly name: string;
    readonly segments: Segments;
    readonly guard: FileGuard;
  },
): AsyncGenerator<ArchiveItem> {
  const prefix = segments.length > 0 ? `${displayPath(segments)}/` : '';
  const namePrefix = name === '' ? '' : `${name}/`;
  for await (const walked of walkSorted(directory)) {
    const { stats } = walked;
    if (tempNames.isOurs(walked.name)) continue;
    const below = walked.path
      .toString('utf8')
      .split('/')
      .map((part) => displayName(Buffer.from(part)))
      .join('/');
    const isLink = stats.isSymbolicLink();
    if (guard.denies(`${prefix}${below}`, stats.isDirectory()) || !(stats.isFile() || stats.isDirectory() || isLink)) {
      onSkip();
      continue;
    }
    if (isLink) {
      const link = await linkItem(walked, `${namePrefix}${below}`);
      if (link) yield link;
      else onSkip();
      continue;
    }
    if (stats.isDirectory()) yield itemOf(`${namePrefix}${below}`, stats, async () => directory);
    else {
      const file = await openSame(walked.directory, walked.name, stats);
      if (!file) continue;
      yield* withFile(file, async () => file, `${namePrefix}${below}`, stats);
    }
  }
}

/** Null for one that leads out of the archive, or is gone. */
async function linkItem({ directory, name, stats }: WalkedEntry, shown: string): Promise<ArchiveItem | null> {
  try {
    const bytes = await readlink(entryPath(directory, name), { encoding: 'buffer' });
    const target = bytes.toString('utf8');
    const names = shown.split('/').map((part) => Buffer.from(part));
    if (!Buffer.from(target).equals(bytes) || !isRetainedLink(target, names)) return null;
    const item = itemOf(shown, stats, async () => directory);
    return { ...item, kind: 'link', target, sizeBytes: 0 };
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EINVAL')) return null;
    throw error;
  }
}

async function* withFile(
  file: FileHandle,
  open: () => Promise<FileHandle>,
  name: string,
  stats: BigIntStats,
): AsyncGenerator<ArchiveItem> {
  try {
    yield itemOf(name, stats, open);
  } finally {
    await file.close();
  }
}

function itemOf(name: string, stats: BigIntStats, open: () => Promise<FileHandle>): ArchiveItem {
  const sizeBytes = stats.isDirectory() ? 0 : Number(stats.size);
  return {
    name,
    kind: stats.isDirectory() ? 'directory' : 'file',
    mode: Number(stats.mode & permissionBits),
    modifiedAt: stats.mtime,
    sizeBytes,
    content: () => contentOf(open, sizeBytes),
  };
}

/** Exactly `length` bytes, like tar: cuts a longer file, pads a shorter one with zeros. */
async function* contentOf(open: () => Promise<FileHandle>, length: number): AsyncGenerator<Buffer> {
  const file = await open();
  for (let position = 0; position < length;) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, length - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) buffer.fill(0);
    const chunk = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead);
    position += chunk.length;
    yield chunk;
  }
}

/** Null when the inspected file was removed or replaced. */
async function openSame(directory: FileHandle, name: Buffer, stats: BigIntStats): Promise<FileHandle | null> {
  try {
    return await withHandle(await openNode(directory, name), async (node) => {
      const current = await node.stat({ bigint: true });
      return current.isFile() && identityOf(current) === identityOf(stats) ? openForReading(node) : null;
    });
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    if (isErrno(error, 'EACCES')) throw fail('FILE_INACCESSIBLE', 'a file cannot be read by the panel');
    throw error;
  }
}
