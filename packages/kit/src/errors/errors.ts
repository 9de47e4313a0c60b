/**
 * What went wrong, in the few kinds a caller can act on. Each kind maps to one status of every protocol; the reason says which case of the kind it is.
 */
export type ErrorKind =
  /** The request has a bad shape; `metadata.fields` names the fields: `{ field: [message, …] }`. */
  | 'invalid_argument'
  /** The object is in the wrong state for this. */
  | 'failed_precondition'
  /** A concurrent change won; trying again may succeed. */
  | 'aborted'
  | 'already_exists'
  /** A limit is used up. */
  | 'resource_exhausted'
  /** There is no valid proof of who is calling. */
  | 'unauthenticated'
  | 'permission_denied'
  /** It does not exist, or is not the caller's to know of. */
  | 'not_found'
  /** A dependency is unavailable; trying again later may succeed. */
  | 'unavailable'
  | 'deadline_exceeded'
  | 'cancelled'
  | 'unimplemented'
  /** A defect. Its message and metadata never leave the process. */
  | 'internal';

/** Facts about an error, plain JSON. They travel to the caller, so they hold nothing secret. */
export type ErrorMetadata = Readonly<Record<string, unknown>>;

/** Messages per field, as a form would show them. */
export type FieldMessages = Record<string, string[]>;

/**
 * The one error type that crosses our own boundaries. `reason` is UPPER_SNAKE, stable, and part of the API between the
 * services; the message is for people and may change.
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
 * The error factory of one service or module: its reasons, each with its kind, in one place.
 * `const fail = defineReasons({ USER_NOT_FOUND: 'not_found' })`, then `throw fail('USER_NOT_FOUND', 'no such user', { userId })`.
 */
export function defineReasons<const R extends Record<string, ErrorKind>>(reasons: R) {
  return (
    reason: keyof R & string,
    message: string,
    metadata?: ErrorMetadata,
    options?: { cause?: unknown },
  ): AppError => new AppError(reasons[reason] ?? 'internal', reason, message, metadata, options);
}

/** An `invalid_argument` error whose metadata names the broken fields. */
export function invalidFields(fields: FieldMessages, message = 'the given data was invalid'): AppError {
  return new AppError('invalid_argument', 'INVALID_FIELDS', message, { fields });
}

/** Whether `error` is an AppError, and if `reasons` are given, one of these. */
export function isAppError(error: unknown, ...reasons: string[]): error is AppError {
  return error instanceof AppError && (reasons.length === 0 || reasons.includes(error.reason));
}

/** The reason of an AppError, "UNKNOWN" of any other error: a label for logs and metrics. */
export function errorReason(error: unknown): string {
  return error instanceof AppError ? error.reason : 'UNKNOWN';
}

/** The text of whatever was thrown, for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
