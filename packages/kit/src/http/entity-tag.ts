/** A file changed in this time may change again without another modification time. */
const settlingMs = 1_000;

/**
 * The ETag of a file's bytes, of size and modification time, which are known without reading it. Weak while the file has just
 * changed (RFC 9110 §8.8.1): then parts of two answers must not be put together.
 */
export function fileEntityTag(file: { readonly sizeBytes: number; readonly modifiedAt: Date }, now: Date): string {
  const modified = file.modifiedAt.getTime();
  const strong = `"${file.sizeBytes.toString(36)}-${modified.toString(36)}"`;
  return now.getTime() - modified > settlingMs ? strong : asWeak(strong);
}

/** The ETag of another representation of the same file. */
export function asWeak(entityTag: string): string {
  return entityTag.startsWith('W/') ? entityTag : `W/${entityTag}`;
}

/** Whether two ETags are of the same version (weak comparison, RFC 9110 §8.8.3.2). */
export function isSameVersion(one: string, other: string): boolean {
  return asWeak(one.trim()) === asWeak(other.trim());
}

/** Whether an If-None-Match header names the current version (RFC 9110 §13.1.2). */
export function matchesEntityTag(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((one) => isSameVersion(one, entityTag));
}
