import { isAppError } from '@panel/kit/errors';
import type { FileOperation } from '@panel/protos/files';
import type { CallOptions } from '@panel/rpc';
import type { z } from 'zod';
import type { Services } from '../../services.js';
import { readFileOperation } from '../files/node-files.js';
import { type anyOperation, presentFileOperation, serverOperation } from './operation-resource.js';

interface OperationRequest {
  readonly serverId: string;
  readonly operationId: string;
}

/** Of the server, else of its files. Throws OPERATION_NOT_FOUND, also to those who may not read the files. */
export async function readOperation(
  services: Services,
  request: OperationRequest,
  rpc: CallOptions,
): Promise<z.input<typeof anyOperation>> {
  try {
    return serverOperation.present((await services.servers.getOperation(request, rpc)).operation);
  } catch (error) {
    if (!isAppError(error, 'OPERATION_NOT_FOUND')) throw error;
    const found = await findFileOperation(services, request, rpc);
    if (!found) throw error;
    return presentFileOperation(found);
  }
}

/** Null: unknown, or not for the caller. */
async function findFileOperation(
  services: Services,
  { serverId, operationId }: OperationRequest,
  rpc: CallOptions,
): Promise<FileOperation | null> {
  try {
    return (await readFileOperation(services, serverId, operationId, rpc)) ?? null;
  } catch (error) {
    if (isHidden(error)) return null;
    throw error;
  }
}

/** A suspension closes files, not operations. */
function isHidden(error: unknown): boolean {
  if (isAppError(error, 'SERVER_SUSPENDED')) return true;
  return isAppError(error) && (error.kind === 'not_found' || error.kind === 'permission_denied');
}
