import { AppError } from '@panel/kit/errors';
import { type StatusCode, statusCodes } from './protocol.js';

/** Null for a defect, which is not disclosed. */
export function statusOf(error: unknown): { readonly code: StatusCode; readonly message: string } | null {
  if (!(error instanceof AppError)) return null;
  return { code: codeOf(error), message: error.message };
}

function codeOf({ kind, reason }: AppError): StatusCode {
  if (reason === 'NOT_A_DIRECTORY') return statusCodes.noSuchFile;
  if (kind === 'not_found') return statusCodes.noSuchFile;
  if (kind === 'permission_denied') return statusCodes.permissionDenied;
  return statusCodes.failure;
}
