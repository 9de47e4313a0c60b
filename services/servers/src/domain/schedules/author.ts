import type { Caller } from '@panel/rpc';
import { fail } from '../../reasons.js';
import { type Access, allows } from '../servers/access.js';
import { missingPermissions, type ScheduleTask } from './schedule.js';

/** Internal services act for the owner. */
export function authorOf({ actor }: Caller, server: { readonly userId: string }): string {
  return actor.kind === 'user' ? actor.userId : server.userId;
}

/** Throws SERVER_FORBIDDEN. */
export function requireTaskPermissions(access: Access, tasks: readonly ScheduleTask[]): void {
  const [missing] = missingPermissions(tasks, (permission) => allows(access, permission));
  if (missing === undefined) return;
  throw fail('SERVER_FORBIDDEN', `a task of the schedule needs the right ${missing}`, { permission: missing });
}
