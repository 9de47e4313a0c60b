import { excessPermissions } from './permissions.js';

/** A key for programs. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly userId: string;
  /** 1 to `maxApiKeys`; unique with the user, so that no race makes one key too many and no crash loses a slot. */
  readonly slot: number;
  /** SHA-256 of the whole key, hexadecimal. */
  readonly hash: string;
  readonly identifier: string;
  readonly description: string;
  readonly allowedIps: string[];
  /** Subset of what the owner may do; null for all of it. */
  readonly permissions: string[] | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** Keys of one user. */
export const maxApiKeys = 25;

/** What limits a key. */
export type KeyTerms = Pick<ApiKeyRecord, 'description' | 'allowedIps' | 'permissions' | 'expiresAt'>;

/** What is wrong with the terms of a key that is created through another key. */
type TermsConflict = 'permissions' | 'allowed_ips';

/**
 * The terms of a key created through `parent`: it inherits each limit of its parent, so that a stolen key cannot be traded
 * for a better one.
 */
export function inheritTerms(parent: KeyTerms, wanted: KeyTerms): KeyTerms | TermsConflict {
  const permissions = wanted.permissions ?? parent.permissions;
  if (parent.permissions && permissions && excessPermissions(parent.permissions, permissions).length > 0)
    return 'permissions';
  const allowedIps = wanted.allowedIps.length > 0 ? wanted.allowedIps : parent.allowedIps;
  if (parent.allowedIps.length > 0 && !allowedIps.every((range) => parent.allowedIps.includes(range)))
    return 'allowed_ips';
  return { ...wanted, permissions, allowedIps, expiresAt: earlier(parent.expiresAt, wanted.expiresAt) };
}

/** Slots that are not taken. */
export function freeSlots(taken: ReadonlySet<number>, limit: number): number[] {
  return Array.from({ length: limit }, (_, index) => index + 1).filter((slot) => !taken.has(slot));
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
