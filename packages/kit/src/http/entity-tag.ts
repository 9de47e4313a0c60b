/** A later change within this time may keep the modification time. */
const settlingMs = 1_000;

/**
 * From size and modification time. Weak right after a change (RFC 9110 §8.8.1): parts of two answers must not be
 * combined.
 */
export function fileEntityTag(file: { readonly sizeBytes: number; readonly modifiedAt: Date }, now: Date): string {
  const modified = file.modifiedAt.getTime();
  const strong = `"${file.sizeBytes.toString(36)}-${modified.toString(36)}"`;
  return now.getTime() - modified > settlingMs ? strong : asWeak(strong);
}

export function asWeak(entityTag: string): string {
  return entityTag.startsWith('W/') ? entityTag : `W/${entityTag}`;
}

/** Weak comparison (RFC 9110 §8.8.3.2). */
export function isSameVersion(one: string, other: string): boolean {
  return asWeak(one.trim()) === asWeak(other.trim());
}

/** RFC 9110 §13.1.2. */
export function matchesEntityTag(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((one) => isSameVersion(one, entityTag));
}
