import { invalidFields } from '@panel/kit/errors';
import { uuid } from '../domain/server-id.js';

/** Throws INVALID_FIELDS unless a lower-case UUID. */
export function readId(text: string, field: string): string {
  if (uuid.test(text)) return text;
  throw invalidFields({ [field]: ['must be a UUID in lower case'] });
}

export function readServerId(text: string): string {
  return readId(text, 'server_id');
}

/** Throws INVALID_FIELDS. */
export function readTransferIds(request: { readonly serverId: string; readonly operationId: string }) {
  return { serverId: readServerId(request.serverId), operationId: readId(request.operationId, 'operation_id') };
}

/** host:port. Throws INVALID_FIELDS. */
export function readAddress(text: string): string {
  if (/^(?:dns:\/\/\/)?(?:[A-Za-z0-9._-]{1,253}|\[[0-9a-fA-F:.]+(?:%[A-Za-z0-9]+)?\]):\d{1,5}$/.test(text)) return text;
  throw invalidFields({ source_address: ['must be host:port'] });
}
