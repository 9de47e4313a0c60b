/** Allocation unit of common file systems. */
export const blockBytes = 4096;
/** Of st_blocks (stat(2)), on every file system. */
const statBlockBytes = 512;

/** For new content of this length. */
export function allocatedSize(lengthBytes: number): number {
  return Math.ceil(lengthBytes / blockBytes) * blockBytes;
}

/** Sparse files: without holes. */
export function occupiedBytes({ blocks }: { readonly blocks: bigint }): number {
  return Number(blocks) * statBlockBytes;
}

/** By writes up to this length: beyond its end, plus its holes. A grown end does not reveal earlier holes. */
export function maxGrowth(
  lengthBytes: number,
  { size, blocks }: { readonly size: bigint; readonly blocks: bigint },
): number {
  const allocated = allocatedSize(lengthBytes);
  const holes = Math.max(0, allocatedSize(Number(size)) - occupiedBytes({ blocks }));
  return Math.max(0, allocated - allocatedSize(Number(size))) + Math.min(allocated, holes);
}

/** 0 while the file has another name. */
export function freedByUnlink(stats: { readonly blocks: bigint; readonly nlink: bigint }): number {
  return stats.nlink > 1n ? 0 : occupiedBytes(stats);
}
