import { Metadata, status } from '@grpc/grpc-js';
import { AppError, type ErrorKind, type ErrorMetadata } from '@panel/kit/errors';
import { databaseCondition } from '@panel/kit/mongo';

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

/** Trailing `{reason, metadata}` as JSON; binary, for any text. */
const detailKey = 'panel-error-bin';
/** grpc-js refuses headers over 8 KiB; larger metadata is dropped. */
const maxDetailBytes = 6 * 1024;

/** On the wire: a gRPC status, reason and metadata as JSON; no bytes without a reason. */
export interface Failure {
  readonly status: status;
  readonly message: string;
  readonly detail: Buffer;
}

export interface GrpcFailure {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** An AppError or a database condition; null for a defect. */
export function visibleError(error: unknown): AppError | null {
  if (!(error instanceof AppError)) return databaseCondition(error);
  return error.kind === 'internal' ? null : error;
}

/** Hidden errors become INTERNAL without their text. */
export function failureOf(error: unknown): Failure {
  const known = visibleError(error);
  if (known) return { status: statusByKind[known.kind], message: known.message, detail: encodeDetail(known) };
  const detail = Buffer.from(JSON.stringify({ reason: 'INTERNAL', metadata: {} }));
  return { status: status.INTERNAL, message: 'internal error', detail };
}

export function toGrpcFailure(error: unknown): GrpcFailure {
  const { status: code, message, detail } = failureOf(error);
  const metadata = new Metadata();
  metadata.set(detailKey, detail);
  return { code, details: message, metadata };
}

function encodeDetail(error: AppError): Buffer {
  const full = Buffer.from(JSON.stringify({ reason: error.reason, metadata: error.metadata }));
  if (full.length <= maxDetailBytes) return full;
  return Buffer.from(JSON.stringify({ reason: error.reason, metadata: { truncated: true } }));
}

/** Transport errors get their own reasons. */
export function errorOf(failure: Failure, cause?: unknown): AppError {
  const kind = kindByStatus.get(failure.status) ?? 'internal';
  const detail = decodeDetail(failure.detail);
  if (detail) return new AppError(kind, detail.reason, failure.message, detail.metadata, { cause });
  return new AppError(kind, transportReason(kind), failure.message || kind, {}, { cause });
}

export function fromGrpcFailure(error: { code: status; details: string; metadata?: Metadata }): AppError {
  const failure = { status: error.code, message: error.details, detail: detailOf(error.metadata) };
  // In a forwarded error, which has a detail, only the sub-call failed.
  if (failure.detail.length > 0 || !notBegun.test(error.details)) return errorOf(failure, error);
  return markUnsent(errorOf({ ...failure, status: status.UNAVAILABLE }, error));
}

/** By grpc-js's texts: no connection, or one whose server is leaving and has not begun the call (RFC 9113, 6.8). */
const notBegun =
  /^(\w+: )?No connection established|^Stream refused by server|^Failed to start HTTP\/2 stream|NGHTTP2_REFUSED_STREAM$/;
const unsentErrors = new WeakSet<AppError>();

/** The call never left this process or was not started by the peer. */
export function markUnsent(error: AppError): AppError {
  unsentErrors.add(error);
  return error;
}

export function wasUnsent(error: unknown): boolean {
  return error instanceof AppError && unsentErrors.has(error);
}

function transportReason(kind: ErrorKind): string {
  if (kind === 'unavailable') return 'SERVICE_UNAVAILABLE';
  if (kind === 'deadline_exceeded') return 'DEADLINE_EXCEEDED';
  if (kind === 'cancelled') return 'CANCELLED';
  if (kind === 'unimplemented') return 'NOT_IMPLEMENTED';
  return 'INTERNAL';
}

const noDetail = Buffer.alloc(0);

function detailOf(metadata?: Metadata): Buffer {
  const value = metadata?.get(detailKey)[0];
  return Buffer.isBuffer(value) ? value : noDetail;
}

function decodeDetail(detail: Buffer): { reason: string; metadata: ErrorMetadata } | null {
  if (detail.length === 0) return null;
  try {
    const parsed: unknown = JSON.parse(detail.toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null || !('reason' in parsed)) return null;
    const facts = 'metadata' in parsed && typeof parsed.metadata === 'object' ? parsed.metadata : {};
    return { reason: String(parsed.reason), metadata: { ...facts } };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
