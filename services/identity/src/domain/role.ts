import { date, flag, id, listOf, number, orNull, type RecordOf, text } from '@panel/kit/records';
import { visible } from './normalise.js';

export const roleFields = {
  id,
  name: id,
  /** Unique form of the name. */
  nameKey: id,
  description: text,
  permissions: listOf(text),
  rateLimitMultiplier: number,
  /** Identical in every installation, immutable. */
  isSystem: flag,
  /** Deletion in progress: not assignable. */
  deletingAt: orNull(date),
  createdAt: date,
  updatedAt: date,
};
export type RoleRecord = RecordOf<typeof roleFields>;

export type RoleChanges = Partial<Pick<RoleRecord, 'name' | 'description' | 'permissions' | 'rateLimitMultiplier'>>;

/** Unique form, by the visible name. */
export function roleNameKey(name: string): string {
  return visible(name).replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Later it is abandoned. */
const deletionTtlMs = 60_000;

/**
 * An assignment reads the role again afterwards, a deletion marks the role before it counts users: one of the two
 * always detects the other.
 */
export function isBeingDeleted(role: RoleRecord, now: Date): boolean {
  return role.deletingAt !== null && now.getTime() - role.deletingAt.getTime() < deletionTtlMs;
}
