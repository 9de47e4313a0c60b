import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/*
 * Node has no openat(2). On Linux, /proc/self/fd/<n>/<name> is the same: the kernel goes to the very directory that is
 * open as <n>, wherever it is called now, and looks up one name in it. With O_NOFOLLOW on each step, no symbolic link is
 * ever followed by the kernel; those that may be are followed by `resolve`, component by component, inside the root.
 */

/**
 * From Linux <fcntl.h> (the same on x86-64, arm64, ppc64 and riscv); Node does not name it. Such a handle names an inode
 * without opening it: a pipe does not block, a device is not touched, and what is checked is what is used.
 */
const O_PATH = 0o10000000;

/** To name a directory itself: ENOTDIR for a symbolic link to one. */
export const directoryFlags = O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/** The path that leads to exactly this open file. */
export function handlePath(handle: Pick<FileHandle, 'fd'>): string {
  return `/proc/self/fd/${handle.fd}`;
}

/** The path of one name in an open directory. `name` holds no slash and is not `..`. */
export function entryPath(directory: Pick<FileHandle, 'fd'>, name: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${handlePath(directory)}/`), name]);
}

/** Open any entry by O_PATH, a symbolic link as itself. The caller closes the handle. */
export async function openNode(directory: FileHandle, name: Buffer): Promise<FileHandle> {
  return open(entryPath(directory, name), O_PATH | constants.O_NOFOLLOW);
}

/** Name a directory; ENOTDIR for a symbolic link to one. The caller closes the handle. */
export async function openDirectory(directory: FileHandle, name: Buffer): Promise<FileHandle> {
  return open(entryPath(directory, name), directoryFlags);
}

/** Name the directory this one is in now, which need not be the one it was found in. The caller closes the handle. */
export async function openParent(directory: FileHandle): Promise<FileHandle> {
  return open(`${handlePath(directory)}/..`, O_PATH | constants.O_DIRECTORY);
}

/** Name a directory by an operator's path, links and all. The caller closes the handle. */
export async function openTrusted(path: string): Promise<FileHandle> {
  return open(path, O_PATH | constants.O_DIRECTORY);
}

/** As `openTrusted`, but ENOTDIR when the last name is a symbolic link. The caller closes the handle. */
export async function openUnlinked(path: string): Promise<FileHandle> {
  return open(path, directoryFlags);
}

/** A second handle of the same directory. The caller closes it. */
export async function duplicate(directory: FileHandle): Promise<FileHandle> {
  return open(handlePath(directory), O_PATH | constants.O_DIRECTORY);
}

/** Open for reading the regular file a node names: the same inode, even if its name was reused. The caller closes it. */
export async function openForReading(node: Pick<FileHandle, 'fd'>): Promise<FileHandle> {
  return open(handlePath(node), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
}

/** Run `use` and close the handle afterwards. */
export async function withHandle<T>(handle: FileHandle, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}
