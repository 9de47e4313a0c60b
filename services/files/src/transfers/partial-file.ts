import { createHash, type Hash } from 'node:crypto';
import { chmod, type FileHandle } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import { withHandle, duplicate, handlePath, openDirectory, openForReading, openNode } from '../jail/node.js';
import type { Segments } from '../domain/path.js';
import { identityOf } from '../jail/tree.js';
import { chunkBytes } from './read-tree.js';

/** Of an earlier pull. */
export interface PartialFile {
  readonly path: Buffer;
  readonly bytes: number;
  /** On disk, without holes. */
  readonly storedBytes: number;
  /** Just read. */
  readonly hash: Hash;
  /** Device and inode. */
  readonly identity: string;
}

/** Of st_blocks (stat(2)). */
const statBlockBytes = 512;

/**
 * Reads the file: only bytes read now and compared with the source are valid. Null without a non-empty regular file.
 * `onBytes` as in `digestTree`.
 */
export async function readPartialFile(
  root: FileHandle,
  { path, segments }: { readonly path: Buffer; readonly segments: Segments },
  onBytes: (bytes: number) => void,
): Promise<PartialFile | null> {
  try {
    const directory = await openBelow(root, segments.slice(0, -1));
    const node = await withHandle(directory, async () => openNode(directory, segments.at(-1) ?? Buffer.alloc(0)));
    return await withHandle(node, async () => {
      const stats = await node.stat({ bigint: true });
      // hard links only exist for complete files
      if (!stats.isFile() || stats.size === 0n || stats.nlink > 1n) return null;
      // its own mode may lack write permission
      await chmod(handlePath(node), 0o600);
      const hash = createHash('sha256');
      const bytes = await withHandle(await openForReading(node), async (file) => hashAll(file, hash, onBytes));
      const storedBytes = Math.min(bytes, Number(stats.blocks) * statBlockBytes);
      return { path, bytes, storedBytes, hash, identity: identityOf(stats) };
    });
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

/** Follows no link. The caller closes it. */
export async function openBelow(root: FileHandle, [name, ...rest]: Segments): Promise<FileHandle> {
  if (!name) return duplicate(root);
  return withHandle(await openDirectory(root, name), async (directory) => openBelow(directory, rest));
}

async function hashAll(file: FileHandle, hash: Hash, onBytes: (bytes: number) => void): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return position;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
    onBytes(bytesRead);
  }
}
