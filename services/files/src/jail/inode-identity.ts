import type { FileHandle } from 'node:fs/promises';

/**
 * Identifies a file or directory among all that were or will be on its file system: inodes are reused, but not with
 * the same time of birth. A rename keeps both.
 */
export async function inodeIdentity(node: FileHandle): Promise<string> {
  const { ino, birthtimeNs } = await node.stat({ bigint: true });
  return `${ino}:${birthtimeNs}`;
}
