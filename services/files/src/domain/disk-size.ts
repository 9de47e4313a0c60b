/** Allocation unit of every common file system. */
export const blockBytes = 4096;
/** Unit of st_blocks (stat(2)), independent of the file system. */
const statBlockBytes = 512;

/** What new content of this length takes on the disk, as the usage meter counts it. */
export function allocatedSize(lengthBytes: number): number {
  return Math.ceil(lengthBytes / blockBytes) * blockBytes;
}

/** Bytes a file occupies: a sparse file what it holds, not its length. */
export function occupiedBytes({ blocks }: { readonly blocks: bigint }): number {
  return Number(blocks) * statBlockBytes;
}

/**
 * What a file may take more when anything of it is written, up to this length: what is beyond its end, and the holes in it. What
 * others have added at its end says nothing about the holes before.
 */
export function maxGrowth(
  lengthBytes: number,
  { size, blocks }: { readonly size: bigint; readonly blocks: bigint },
): number {
  const allocated = allocatedSize(lengthBytes);
  const holes = Math.max(0, allocatedSize(Number(size)) - occupiedBytes({ blocks }));
  return Math.max(0, allocated - allocatedSize(Number(size))) + Math.min(allocated, holes);
}

/** Bytes that are freed when one name of a file is removed: none while it has another name. */
export function freedByUnlink(stats: { readonly blocks: bigint; readonly nlink: bigint }): number {
  return stats.nlink > 1n ? 0 : occupiedBytes(stats);
}
