import { describeProblems, type FieldProblem } from './field-problem.js';

/** Each maps to one status of every protocol; the reason gives the case. */
export type ErrorKind =
  /** Malformed request; `metadata.fields` has `{ field: [message, …] }`, `metadata.reasons` their reasons. */
  | 'invalid_argument'
  /** The object's state forbids this. */
  | 'failed_precondition'
  /** A concurrent change won; a retry may succeed. */
  | 'aborted'
  | 'already_exists'
  /** A limit is used up. */
  | 'resource_exhausted'
  /** No valid credentials. */
  | 'unauthenticated'
  | 'permission_denied'
  /** Missing, or hidden from the caller. */
  | 'not_found'
  /** A dependency is unavailable; a later retry may succeed. */
  | 'unavailable'
  | 'deadline_exceeded'
  | 'cancelled'
  | 'unimplemented'
  /** A defect. Message and metadata never leave the process. */
  | 'internal';

/** Plain JSON. Sent to the caller, so without secrets. */
export type ErrorMetadata = Readonly<Record<string, unknown>>;

/**
 * Crosses internal boundaries. `reason` is UPPER_SNAKE, stable, and part of the services' API; the message may change.
 */
export class AppError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly reason: string,
    message: string,
    readonly metadata: ErrorMetadata = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'AppError';
  }
}

/**
 * `const fail = defineReasons({ USER_NOT_FOUND: 'not_found' })`, then `throw fail('USER_NOT_FOUND', 'no such user', {
 * userId })`.
 */
export function defineReasons<const R extends Record<string, ErrorKind>>(reasons: R) {
  return (
    reason: keyof R & string,
    message: string,
    metadata?: ErrorMetadata,
    options?: { cause?: unknown },
  ): AppError => new AppError(reasons[reason] ?? 'internal', reason, message, metadata, options);
}

/** An `invalid_argument` error that names the fields, with a text and a reason for each problem. */
export function invalidFields(
  fields: Readonly<Record<string, readonly FieldProblem[]>>,
  message = 'the given data was invalid',
): AppError {
  return new AppError('invalid_argument', 'INVALID_FIELDS', message, describeProblems(fields));
}

interface ExhaustedLimit {
  /** Stable, part of the API: "invitations". */
  readonly name: string;
  /** How many it allows at once or in its window. */
  readonly max: number;
  /** Until more are allowed. */
  readonly remainingMs: number;
}

/** Metadata of an error that names an exhausted limit. */
export function exhaustedLimit({ name, max, remainingMs }: ExhaustedLimit) {
  return { limit: name, max, retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1_000)) };
}

/** Throws INVALID_FIELDS if any field has a problem. */
export function requireValid(fields: Readonly<Record<string, readonly FieldProblem[]>>): void {
  if (Object.keys(fields).length > 0) throw invalidFields(fields);
}

/** `what` was counted too often: "too many invitations". */
export function rateLimited(what: string, exhausted: ExhaustedLimit): AppError {
  const metadata = exhaustedLimit(exhausted);
  const message = `${what}: try again in ${metadata.retryAfterSeconds} seconds`;
  return new AppError('resource_exhausted', 'RATE_LIMIT_EXCEEDED', message, metadata);
}

export function isAppError(error: unknown, ...reasons: string[]): error is AppError {
  return error instanceof AppError && (reasons.length === 0 || reasons.includes(error.reason));
}

/** What was asked does not answer, or not in time: a later call may. */
export function isUnavailable(error: unknown): error is AppError {
  return isAppError(error) && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
}

/** "UNKNOWN" for other errors. For logs and metrics. */
export function errorReason(error: unknown): string {
  return error instanceof AppError ? error.reason : 'UNKNOWN';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
