import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createFileGuard } from '../../domain/file-guard.js';
import type { FileOperation } from '../../domain/file-operation.js';
import { fail } from '../../reasons.js';

type Context = Pick<FilesContext, 'operations'>;

export const operationWaitMs = 5_000;

/** If visible to the caller. Throws OPERATION_NOT_FOUND. */
export async function getFileOperation({ operations }: Context, grant: FileGrant, id: string): Promise<FileOperation> {
  const operation = await operations.wait(grant.serverId, id, 0);
  if (!createFileGuard(grant).hides(operation.path, true)) return operation;
  throw fail('OPERATION_NOT_FOUND', 'there is no such operation');
}

/** Includes damaged records, which fail when presented. */
export async function listFileOperations({ operations }: Context, grant: FileGrant): Promise<FileOperation[]> {
  const guard = createFileGuard(grant);
  const found = await operations.list(grant.serverId);
  return found.filter((operation) => !('path' in operation) || !guard.hides(operation.path, true));
}

/** Throws OPERATION_NOT_FOUND. */
export async function cancelFileOperation(context: Context, grant: FileGrant, id: string): Promise<FileOperation> {
  await getFileOperation(context, grant, id);
  return context.operations.cancel(grant.serverId, id);
}
