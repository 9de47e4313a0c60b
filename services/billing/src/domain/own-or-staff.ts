import { type Caller, isStaff, requireStaff, requireUser } from '@panel/rpc';

/** Own objects, or any for staff. */
export function mayUse(caller: Caller, ownerId: string): boolean {
  return (caller.actor.kind === 'user' && caller.actor.userId === ownerId) || isStaff(caller);
}

export interface ListScope {
  /** Staff only: all customers, or `userId` unless empty. */
  readonly isAll: boolean;
  readonly userId: string;
}

export function ownerFilter(caller: Caller, { isAll, userId }: ListScope): { readonly userId?: string } {
  if (!isAll) return { userId: requireUser(caller.actor).userId };
  requireStaff(caller);
  return userId === '' ? {} : { userId };
}
