const slash = 0x2f;

/**
 * Of a sorted walk: a directory, its contents, its next sibling. Equals byte order with the slash as smallest; names
 * have no NUL.
 */
export function comparePaths(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const difference = weight(a[at]) - weight(b[at]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function weight(byte: number | undefined): number {
  return byte === undefined || byte === slash ? 0 : byte;
}

/** Also for equal paths. */
export function isAncestor(path: Buffer, below: Buffer): boolean {
  return below.subarray(0, path.length).equals(path) && (below.length === path.length || below[path.length] === slash);
}
