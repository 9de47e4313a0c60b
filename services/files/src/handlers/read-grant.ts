import type { ExportGrant, FileGrant } from '@panel/rpc';
import type { FilesContext } from '../context.js';
import { requireGrant, requireUploadGrant } from '../domain/grant.js';

type Verifier = Pick<FilesContext, 'grants'>;
/** The row of the called RPC. */
type Row = Parameters<typeof requireGrant>[1];

/** For the permission of the called RPC. Throws GRANT_INVALID, GRANT_INSUFFICIENT. */
export function readGrant({ grants }: Verifier, token: string, row: Row): FileGrant {
  return requireGrant(grants.verify(token), row);
}

/** As `readGrant`, for an upload that may replace a file. */
export function readUploadGrant({ grants }: Verifier, token: string, row: Row): FileGrant {
  return requireUploadGrant(grants.verify(token), row);
}

/** From another node's files service. Throws GRANT_INVALID. */
export function readExportGrant({ exportGrants }: Pick<FilesContext, 'exportGrants'>, token: string): ExportGrant {
  return exportGrants.verify(token);
}
