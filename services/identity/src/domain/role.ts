import { visible } from './normalise.js';

export interface RoleRecord {
  readonly id: string;
  readonly name: string;
  /** Unique form of the name. */
  readonly nameKey: string;
  readonly description: string;
  readonly permissions: string[];
  readonly rateLimitMultiplier: number;
  /** Identical in every installation, immutable. */
  readonly isSystem: boolean;
  /** Deletion in progress: not assignable. */
  readonly deletingAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

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
