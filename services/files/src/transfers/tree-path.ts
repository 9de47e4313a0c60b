const slash = 0x2f;

/**
 * The order of a sorted walk, as a comparison of whole paths: a directory, what is in it, its next sibling. That is the
 * order of the bytes once a slash counts as the smallest of them, which the end of a name is; NUL is in no name.
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

/** Whether `path` is `below` itself or a directory that leads to it. */
export function isAncestor(path: Buffer, below: Buffer): boolean {
  return below.subarray(0, path.length).equals(path) && (below.length === path.length || below[path.length] === slash);
}
