import { date, id, listOf, number, orNull, type RecordOf, text } from '@panel/kit/records';
import { excessPermissions } from './permissions.js';

export const apiKeyFields = {
  id,
  userId: id,
  /** 1 to `maxApiKeys`; unique per user: the limit survives races and crashes. */
  slot: number,
  /** SHA-256 of the whole key, hex. */
  hash: id,
  identifier: id,
  description: id,
  allowedIps: listOf(text),
  /** Restricts the owner's permissions; null: unrestricted. */
  permissions: orNull(listOf(text)),
  createdAt: date,
  lastUsedAt: orNull(date),
  expiresAt: orNull(date),
};
export type ApiKeyRecord = RecordOf<typeof apiKeyFields>;

/** Per user. */
export const maxApiKeys = 25;

/** Restrictions of a key. */
export type KeyTerms = Pick<ApiKeyRecord, 'description' | 'allowedIps' | 'permissions' | 'expiresAt'>;

/** Problem of a key created through another one. */
type TermsConflict = 'permissions' | 'allowed_ips';

/** A key created through `parent` inherits its restrictions: a stolen key cannot create a stronger one. */
export function inheritTerms(parent: KeyTerms, wanted: KeyTerms): KeyTerms | TermsConflict {
  const permissions = wanted.permissions ?? parent.permissions;
  if (parent.permissions && permissions && excessPermissions(parent.permissions, permissions).length > 0)
    return 'permissions';
  const allowedIps = wanted.allowedIps.length > 0 ? wanted.allowedIps : parent.allowedIps;
  if (parent.allowedIps.length > 0 && !allowedIps.every((range) => parent.allowedIps.includes(range)))
    return 'allowed_ips';
  return { ...wanted, permissions, allowedIps, expiresAt: earlier(parent.expiresAt, wanted.expiresAt) };
}

export function freeSlots(taken: ReadonlySet<number>, limit: number): number[] {
  return Array.from({ length: limit }, (_, index) => index + 1).filter((slot) => !taken.has(slot));
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
