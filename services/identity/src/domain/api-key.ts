import { excessPermissions } from './permissions.js';

export interface ApiKeyRecord {
  readonly id: string;
  readonly userId: string;
  /** 1 to `maxApiKeys`; unique per user: the limit survives races and crashes. */
  readonly slot: number;
  /** SHA-256 of the whole key, hex. */
  readonly hash: string;
  readonly identifier: string;
  readonly description: string;
  readonly allowedIps: string[];
  /** Restricts the owner's permissions; null: unrestricted. */
  readonly permissions: string[] | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

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
