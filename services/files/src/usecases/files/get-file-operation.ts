import type { FileGrant } from '@panel/rpc';
import { createFileGuard } from '../../domain/file-guard.js';
import type { FileOperation } from '../../domain/file-operation.js';
import { fail } from '../../reasons.js';
import type { FileOperations } from '../../operations/file-operations.js';

/** An operation of a server that the caller may know of. Throws OPERATION_NOT_FOUND. */
export async function requireVisibleOperation(
  operations: FileOperations,
  grant: FileGrant,
  id: string,
): Promise<FileOperation> {
  const operation = await operations.wait(grant.serverId, id, 0);
  if (!createFileGuard(grant).hides(operation.path, true)) return operation;
  throw fail('OPERATION_NOT_FOUND', 'there is no such operation');
}
