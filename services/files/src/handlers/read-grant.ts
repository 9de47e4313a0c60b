import type { ExportGrant, FileGrant } from '@panel/rpc';
import type { FilesContext } from '../context.js';
import { requireGrant, requireUploadGrant } from '../domain/grant.js';

type Verifier = Pick<FilesContext, 'grants'>;
type Row = Parameters<typeof requireGrant>[1];

/** Throws GRANT_INVALID, GRANT_INSUFFICIENT. */
export function readGrant({ grants }: Verifier, token: string, row: Row): FileGrant {
  return requireGrant(grants.verify(token), row);
}

export function readUploadGrant({ grants }: Verifier, token: string, row: Row): FileGrant {
  return requireUploadGrant(grants.verify(token), row);
}

/** Throws GRANT_INVALID. */
export function readExportGrant({ exportGrants }: Pick<FilesContext, 'exportGrants'>, token: string): ExportGrant {
  return exportGrants.verify(token);
}
