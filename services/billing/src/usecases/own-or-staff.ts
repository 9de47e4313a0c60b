import { type Caller, isStaff, requireStaff, requireUser } from '@panel/rpc';

/** Whether the caller may use an object: their own, or any for staff by the row of the RPC. */
export function mayUse(caller: Caller, ownerId: string): boolean {
  return (caller.actor.kind === 'user' && caller.actor.userId === ownerId) || isStaff(caller);
}

export interface ListScope {
  /** Of all customers, or of `userId` when it is not empty; for staff only. */
  readonly isAll: boolean;
  readonly userId: string;
}

/** Whose objects a list shows: the caller's own, or for staff those of all or of one user. */
export function ownerFilter(caller: Caller, { isAll, userId }: ListScope): { readonly userId?: string } {
  if (!isAll) return { userId: requireUser(caller.actor).userId };
  requireStaff(caller);
  return userId === '' ? {} : { userId };
}
