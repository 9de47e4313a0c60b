import type { ExportGrant, FileGrant } from '@panel/rpc';
import { fail } from '../reasons.js';

const changingPermissions: ReadonlySet<string> = new Set(['file.create', 'file.update', 'file.delete', 'file.archive']);

export function isChanging({ permission }: FileGrant): boolean {
  return changingPermissions.has(permission);
}

/** Requires the permission of the called RPC. Throws GRANT_INSUFFICIENT. */
export function requireGrant(grant: FileGrant, row: { readonly grant?: string }): FileGrant {
  if (row.grant !== undefined && grant.permission === row.grant) return grant;
  throw fail('GRANT_INSUFFICIENT', `the grant does not allow ${row.grant ?? 'this'}`, { permission: row.grant });
}

/** `file.update` replaces a file. */
export function requireUploadGrant(grant: FileGrant, row: { readonly grant?: string }): FileGrant {
  return grant.permission === 'file.update' ? grant : requireGrant(grant, row);
}

/** A backup has all paths. Throws FILE_DENIED for path rules. */
export function requireUnrestricted(grant: FileGrant): FileGrant {
  if ((grant.pathRules ?? []).length === 0) return grant;
  throw fail('FILE_DENIED', 'a backup holds files that you may not reach');
}

/** Also checked by the target, before files reach a wrong node. Throws GRANT_INSUFFICIENT. */
export function requireExportGrant(grant: ExportGrant, wanted: Pick<ExportGrant, 'serverId' | 'operationId'>): void {
  if (grant.serverId === wanted.serverId && grant.operationId === wanted.operationId) return;
  throw fail('GRANT_INSUFFICIENT', 'the grant is for another server or transfer');
}
