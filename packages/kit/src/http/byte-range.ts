export type ByteRange =
  | { readonly kind: 'all' }
  | { readonly kind: 'from'; readonly first: number; readonly last: number | null }
  | { readonly kind: 'last'; readonly count: number };

/** RFC 9110 §14. Ignores anything but a single byte range, as the RFC allows: only attackers request several. */
export function parseRange(header: string | undefined): ByteRange {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replace(/\s/g, '') ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return { kind: 'all' };
  if (first === '') return { kind: 'last', count: Number(last) };
  if (last !== '' && Number(last) < Number(first)) return { kind: 'all' };
  return { kind: 'from', first: Number(first), last: last === '' ? null : Number(last) };
}

/**
 * Ignores the range when If-Range is another or a weak tag: clients must not combine two versions (RFC 9110 §13.1.5).
 */
export function applicableRange(
  headers: { readonly range: string | undefined; readonly ifRange: string | undefined },
  entityTag: string,
): ByteRange {
  const isSame = headers.ifRange === undefined || (headers.ifRange.trim() === entityTag && !entityTag.startsWith('W/'));
  return isSame ? parseRange(headers.range) : { kind: 'all' };
}

/** Null for an unsatisfiable range. */
export function resolveRange(range: ByteRange, size: number): { first: number; last: number } | null {
  if (range.kind === 'all') return { first: 0, last: size - 1 };
  if (range.kind === 'last') {
    return range.count === 0 || size === 0 ? null : { first: Math.max(0, size - range.count), last: size - 1 };
  }
  if (range.first >= size) return null;
  return { first: range.first, last: Math.min(range.last ?? size - 1, size - 1) };
}
