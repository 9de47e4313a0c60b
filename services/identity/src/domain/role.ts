import { visible } from './normalise.js';

/** What its holders may do. */
export interface RoleRecord {
  readonly id: string;
  readonly name: string;
  /** The name as uniqueness sees it. */
  readonly nameKey: string;
  readonly description: string;
  readonly permissions: string[];
  readonly rateLimitMultiplier: number;
  /** System roles are the same in every installation and never change. */
  readonly isSystem: boolean;
  /** A deletion is in progress: the role is not assigned any more. */
  readonly deletingAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type RoleChanges = Partial<Pick<RoleRecord, 'name' | 'description' | 'permissions' | 'rateLimitMultiplier'>>;

/** What makes the name of a role unique: what people see of it. */
export function roleNameKey(name: string): string {
  return visible(name).replace(/\s+/g, ' ').trim().toLowerCase();
}

/** A deletion that has not ended by then is abandoned. */
const deletionTtlMs = 60_000;

/**
 * Whether the role may not be assigned. An assignment reads the role again afterwards, and a deletion marks the role
 * before it counts its users, so that one of the two always sees the other.
 */
export function isBeingDeleted(role: RoleRecord, now: Date): boolean {
  return role.deletingAt !== null && now.getTime() - role.deletingAt.getTime() < deletionTtlMs;
}
