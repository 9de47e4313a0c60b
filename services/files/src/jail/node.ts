import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/*
 * Node has no openat(2). On Linux, /proc/self/fd/<n>/<name> is equivalent: it looks up one name in the directory open
 * as <n>, regardless of renames. With O_NOFOLLOW the kernel follows no link; `resolve` follows permitted ones inside
 * the root.
 */

/**
 * From Linux <fcntl.h> (x86-64, arm64, ppc64, riscv); missing in Node. Refers to an inode without opening it: pipes do
 * not block, devices stay untouched, and the checked inode is the used one.
 */
const O_PATH = 0o10000000;
const maxReadBytes = 256 * 1024;

/** Follows a last link, like one of /proc. */
export const followedDirectoryFlags = O_PATH | constants.O_DIRECTORY;
/** ENOTDIR for a symbolic link. */
export const directoryFlags = O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY;

export function handlePath(handle: Pick<FileHandle, 'fd'>): string {
  return `/proc/self/fd/${handle.fd}`;
}

/** The kernel's, also after a move. */
export function parentPath(directory: Pick<FileHandle, 'fd'>): string {
  return `${handlePath(directory)}/..`;
}

/** `name` has no slash and is not `..`. */
export function entryPath(directory: Pick<FileHandle, 'fd'>, name: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${handlePath(directory)}/`), name]);
}

export const nodeFlags = O_PATH | constants.O_NOFOLLOW;

/** Refers to a symbolic link itself. The caller closes it. */
export async function openNode(directory: FileHandle, name: Buffer): Promise<FileHandle> {
  return open(entryPath(directory, name), nodeFlags);
}

/** ENOTDIR for a symbolic link. The caller closes it. */
export async function openDirectory(directory: FileHandle, name: Buffer): Promise<FileHandle> {
  return open(entryPath(directory, name), directoryFlags);
}

/** The current parent, which a move may have changed. The caller closes it. */
export async function openParent(directory: FileHandle): Promise<FileHandle> {
  return open(parentPath(directory), followedDirectoryFlags);
}

/** For an operator's path. The caller closes it. */
export async function openTrusted(path: string): Promise<FileHandle> {
  return open(path, followedDirectoryFlags);
}

/** As `openTrusted`, but ENOTDIR for a symbolic link as the last name. The caller closes it. */
export async function openUnlinked(path: string): Promise<FileHandle> {
  return open(path, directoryFlags);
}

/** The caller closes it. */
export async function duplicate(directory: Pick<FileHandle, 'fd'>): Promise<FileHandle> {
  return open(handlePath(directory), followedDirectoryFlags);
}

/** A pipe does not block, a terminal stays one of others. */
export const readingFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The same inode, even if its name was reused. The caller closes it. */
export async function openForReading(node: Pick<FileHandle, 'fd'>): Promise<FileHandle> {
  return open(handlePath(node), readingFlags);
}

/** From the start, at most `maxBytes`: the file may change during the read. */
export async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(maxReadBytes, maxBytes - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, total);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks, total);
}

export async function withHandle<T>(handle: FileHandle, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}
