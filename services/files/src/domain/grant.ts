import type { FileGrant } from '@panel/rpc';
import { fail } from '../reasons.js';

/** The subuser permissions that file work needs. */
export type FilePermission =
  'file.read' | 'file.read-content' | 'file.create' | 'file.update' | 'file.delete' | 'file.archive';

/** Those whose work changes the volume. */
const changingPermissions: ReadonlySet<string> = new Set(['file.create', 'file.update', 'file.delete', 'file.archive']);

/** Whether work under this grant may change the volume. */
export function isChanging({ permission }: FileGrant): boolean {
  return changingPermissions.has(permission);
}

/** The grant, if it allows exactly this kind of work. Throws GRANT_INSUFFICIENT. */
export function requireGrant(grant: FileGrant, permission: FilePermission): FileGrant {
  if (grant.permission === permission) return grant;
  throw fail('GRANT_INSUFFICIENT', `the grant does not allow ${permission}`, { permission });
}
