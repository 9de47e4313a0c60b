import type { FileHandle } from 'node:fs/promises';

/** Unique for all time: reused inodes have another birth time. Survives a rename. */
export async function inodeIdentity(node: FileHandle): Promise<string> {
  const { ino, birthtimeNs } = await node.stat({ bigint: true });
  return `${ino}:${birthtimeNs}`;
}
