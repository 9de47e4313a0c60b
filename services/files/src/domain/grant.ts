import type { FileGrant, GrantSigner } from '@panel/rpc';
import { fail } from '../reasons.js';

/** The subuser permissions that file work needs. */
export type FilePermission = 'file.read' | 'file.read-content' | 'file.create' | 'file.update' | 'file.delete';

/** Those whose work changes something. */
export const changingPermissions: ReadonlySet<FilePermission> = new Set(['file.create', 'file.update', 'file.delete']);

/** The grant behind a token, for exactly this kind of work. Throws GRANT_INVALID, GRANT_INSUFFICIENT. */
export function requireGrant(grants: GrantSigner, token: string, permission: FilePermission): FileGrant {
  const grant = grants.verify(token);
  if (grant.permission === permission) return grant;
  throw fail('GRANT_INSUFFICIENT', `the grant does not allow ${permission}`, { permission });
}
