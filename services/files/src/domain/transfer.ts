import type { ExportGrant } from '@panel/rpc';
import { type FieldMessages, invalidFields } from '@panel/kit/errors';
import { fail } from '../reasons.js';
import { requireServerId, uuid } from './server-id.js';

/** An operation id as it may name a directory: a UUID in lower case. Throws INVALID_FIELDS (`operation_id`). */
export function requireOperationId(text: string): string {
  if (uuid.test(text)) return text;
  throw invalidFields({ operation_id: ['must be a UUID in lower case'] });
}

/** Which server a transfer is of, and which transfer. Throws INVALID_FIELDS. */
export function requireTransferIds(request: { readonly serverId: string; readonly operationId: string }) {
  return { serverId: requireServerId(request.serverId), operationId: requireOperationId(request.operationId) };
}

/** An address to get a volume from, host:port. Throws INVALID_FIELDS (`source_address`). */
export function requireAddress(text: string): string {
  const fields: FieldMessages = { source_address: ['must be host:port'] };
  if (!/^(?:dns:\/\/\/)?(?:[A-Za-z0-9._-]{1,253}|\[[0-9a-fA-F:.]+(?:%[A-Za-z0-9]+)?\]):\d{1,5}$/.test(text))
    throw invalidFields(fields);
  return text;
}

/**
 * Refuse a grant for another server or transfer: the target checks it too, so that a mix-up is found before a server's files
 * reach the wrong node. Throws GRANT_INSUFFICIENT.
 */
export function requireExportGrant(grant: ExportGrant, wanted: Pick<ExportGrant, 'serverId' | 'operationId'>): void {
  if (grant.serverId === wanted.serverId && grant.operationId === wanted.operationId) return;
  throw fail('GRANT_INSUFFICIENT', 'the grant is for another server or transfer');
}
