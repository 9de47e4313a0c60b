import type { ExportGrant, FileGrant } from '@panel/rpc';
import { fail } from '../reasons.js';

/** Those whose work changes the volume. */
const changingPermissions: ReadonlySet<string> = new Set(['file.create', 'file.update', 'file.delete', 'file.archive']);

/** Whether work under this grant may change the volume. */
export function isChanging({ permission }: FileGrant): boolean {
  return changingPermissions.has(permission);
}

/** The grant, if it is for the permission that the row of the called RPC names. Throws GRANT_INSUFFICIENT. */
export function requireGrant(grant: FileGrant, row: { readonly grant?: string }): FileGrant {
  if (row.grant !== undefined && grant.permission === row.grant) return grant;
  throw fail('GRANT_INSUFFICIENT', `the grant does not allow ${row.grant ?? 'this'}`, { permission: row.grant });
}

/** As `requireGrant`, for uploads in pieces: one that replaces a file needs the right to change files instead. */
export function requireUploadGrant(grant: FileGrant, row: { readonly grant?: string }): FileGrant {
  return grant.permission === 'file.update' ? grant : requireGrant(grant, row);
}

/** The grant, unless it is limited to some paths: a backup holds all of them. Throws FILE_DENIED. */
export function requireUnrestricted(grant: FileGrant): FileGrant {
  if ((grant.pathRules ?? []).length === 0) return grant;
  throw fail('FILE_DENIED', 'a backup holds files that you may not reach');
}

/**
 * Refuse a grant for another server or transfer: the target checks it too, so that a mix-up is found before a server's files
 * reach the wrong node. Throws GRANT_INSUFFICIENT.
 */
export function requireExportGrant(grant: ExportGrant, wanted: Pick<ExportGrant, 'serverId' | 'operationId'>): void {
  if (grant.serverId === wanted.serverId && grant.operationId === wanted.operationId) return;
  throw fail('GRANT_INSUFFICIENT', 'the grant is for another server or transfer');
}
