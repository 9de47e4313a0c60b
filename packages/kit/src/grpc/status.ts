import { Metadata, status } from '@grpc/grpc-js';
import { AppError, type ErrorKind, type ErrorMetadata } from '../errors.js';

const statusByKind: Record<ErrorKind, status> = {
  invalid_argument: status.INVALID_ARGUMENT,
  failed_precondition: status.FAILED_PRECONDITION,
  aborted: status.ABORTED,
  already_exists: status.ALREADY_EXISTS,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  unauthenticated: status.UNAUTHENTICATED,
  permission_denied: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  unavailable: status.UNAVAILABLE,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  unimplemented: status.UNIMPLEMENTED,
  internal: status.INTERNAL,
};

const kindByStatus = new Map(Object.entries(statusByKind).map(([kind, code]) => [code, kind as ErrorKind]));

/** Trailing metadata key that carries `{reason, metadata}` as JSON; binary, so that any text passes. */
const detailKey = 'panel-error-bin';
/** grpc-js refuses headers over 8 KiB; metadata beyond this is left out rather than the whole answer lost. */
const maxDetailBytes = 6 * 1024;

export interface GrpcFailure {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** What a server sends for an error. Anything but an AppError becomes INTERNAL without a word of its text. */
export function toGrpcFailure(error: unknown): GrpcFailure {
  const known = error instanceof AppError && error.kind !== 'internal' ? error : null;
  const metadata = new Metadata();
  if (!known) {
    metadata.set(detailKey, Buffer.from(JSON.stringify({ reason: 'INTERNAL', metadata: {} })));
    return { code: status.INTERNAL, details: 'internal error', metadata };
  }
  metadata.set(detailKey, encodeDetail(known));
  return { code: statusByKind[known.kind], details: known.message, metadata };
}

function encodeDetail(error: AppError): Buffer {
  const full = Buffer.from(JSON.stringify({ reason: error.reason, metadata: error.metadata }));
  if (full.length <= maxDetailBytes) return full;
  return Buffer.from(JSON.stringify({ reason: error.reason, metadata: { truncated: true } }));
}

/** Rebuild the AppError at the client. Errors of the transport itself get reasons of their own. */
export function fromGrpcFailure(error: { code: status; details: string; metadata?: Metadata }): AppError {
  const kind = kindByStatus.get(error.code) ?? 'internal';
  const detail = decodeDetail(error.metadata);
  if (detail) return new AppError(kind, detail.reason, error.details, detail.metadata, { cause: error });
  return new AppError(kind, transportReason(kind), error.details || kind, {}, { cause: error });
}

/**
 * Whether a failed call never left this process, so that even one that changes something may be sent again. grpc-js says
 * it in words only (its picker's "No connection established"). The same words in an error that a service passed on do not
 * count: there our call arrived, and only its own sub-call did not.
 */
export function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof AppError) || error.kind !== 'unavailable') return false;
  const failure = error.cause as Partial<GrpcFailure> | undefined;
  if (failure?.metadata?.get(detailKey).length !== 0) return false;
  return /^(\w+: )?No connection established/.test(failure.details ?? '');
}

function transportReason(kind: ErrorKind): string {
  if (kind === 'unavailable') return 'SERVICE_UNAVAILABLE';
  if (kind === 'deadline_exceeded') return 'DEADLINE_EXCEEDED';
  if (kind === 'cancelled') return 'CANCELLED';
  if (kind === 'unimplemented') return 'NOT_IMPLEMENTED';
  return 'INTERNAL';
}

function decodeDetail(metadata?: Metadata): { reason: string; metadata: ErrorMetadata } | null {
  const value = metadata?.get(detailKey)[0];
  if (!Buffer.isBuffer(value)) return null;
  try {
    const parsed: unknown = JSON.parse(value.toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null || !('reason' in parsed)) return null;
    const facts = 'metadata' in parsed && typeof parsed.metadata === 'object' ? parsed.metadata : {};
    return { reason: String(parsed.reason), metadata: { ...facts } };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
