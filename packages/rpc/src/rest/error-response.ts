import { AppError, assertNever } from '@panel/kit/errors';
import { snakeCase } from '@panel/kit/text';
import { asSentence } from './as-sentence.js';

export interface ErrorResponse {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Of a validation error: a stable reason beside each text of `details`. */
  readonly reasons?: Readonly<Record<string, readonly string[]>>;
  /** Seconds; 0 unless waiting helps. */
  readonly retryAfterSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many the exhausted limit of a 429 allows. */
  readonly exhaustedMax?: number;
}

export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'server_locked'
  | 'server_offline'
  | 'validation_error'
  | 'rate_limit_exceeded'
  | 'internal_error'
  | 'service_unavailable';

// Callers cannot distinguish the cases.
const constantMessage = {
  unauthorized: 'The credentials are missing, wrong or expired.',
  forbidden: 'You may not do this.',
  notFound: 'There is nothing here, or it is not yours to see.',
  internal: 'Something went wrong on our side. Quote the X-Request-Id when you report it.',
  unavailable: 'A part of the panel is unavailable. Try again shortly.',
};

const ownDefects = new Set(['ACTOR_INVALID', 'GRANT_INVALID', 'SERVICE_REQUIRED', 'INTERNAL']);
const roleRefusals = new Set(['PERMISSION_MISSING', 'PERMISSION_DENIED', 'SERVER_FORBIDDEN', 'GRANT_INSUFFICIENT']);
const lockedReasons = new Set(['SERVER_LOCKED', 'SERVER_SUSPENDED']);
const tooManyReasons = new Set(['RATE_LIMIT_EXCEEDED', 'TOO_MANY_SOCKETS', 'BACKUP_RATE_LIMIT']);
const retryAfterUnavailableSeconds = 2;

/** Unknown errors become `internal_error` without their text. */
export function toErrorResponse(error: unknown): ErrorResponse {
  if (!(error instanceof AppError) || ownDefects.has(error.reason)) return internal();
  switch (error.kind) {
    case 'invalid_argument':
      return invalid(error);
    case 'unauthenticated':
      return answer(401, 'unauthorized', constantMessage.unauthorized, unauthorizedDetails(error.reason));
    case 'permission_denied':
      return forbidden(error);
    case 'not_found':
      return answer(404, 'not_found', constantMessage.notFound);
    case 'failed_precondition':
      return answer(409, stateCode(error.reason), error.message, factsOf(error));
    case 'aborted':
    case 'already_exists':
      return answer(409, 'conflict', error.message, factsOf(error));
    case 'resource_exhausted':
      return exhausted(error);
    case 'unavailable':
    case 'unimplemented':
    case 'deadline_exceeded':
    case 'cancelled':
      return unavailable(error.reason);
    case 'internal':
      return internal();
    default:
      return assertNever(error.kind);
  }
}

/** The client's reaction is other than a password sign-in. */
const unauthorizedReasons: Readonly<Record<string, string>> = {
  CHALLENGE_ENDED: 'challenge_ended',
  INVALID_LINK: 'invalid_link',
};

/** 503 causes for operators. */
const unavailableReasons: Readonly<Record<string, string>> = {
  DATABASE_UNAVAILABLE: 'database_unavailable',
  DATABASE_FULL: 'database_full',
};

function unavailable(reason: string): ErrorResponse {
  const shown = Object.hasOwn(unavailableReasons, reason) ? unavailableReasons[reason] : undefined;
  const details = shown === undefined ? {} : { reason: shown };
  return answer(503, 'service_unavailable', constantMessage.unavailable, details, retryAfterUnavailableSeconds);
}

function unauthorizedDetails(reason: string): ErrorResponse['details'] {
  const shown = Object.hasOwn(unauthorizedReasons, reason) ? unauthorizedReasons[reason] : undefined;
  return shown === undefined ? {} : { reason: shown };
}

function answer(
  status: number,
  code: ErrorCode,
  message: string,
  details: ErrorResponse['details'] = {},
  retryAfterSeconds = 0,
): ErrorResponse {
  return { status, code, message: asSentence(message), details, retryAfterSeconds };
}

function internal(): ErrorResponse {
  return answer(500, 'internal_error', constantMessage.internal);
}

/** Refusals by role are identical on every route; others give their reason. */
function forbidden(error: AppError): ErrorResponse {
  if (roleRefusals.has(error.reason)) return answer(403, 'forbidden', constantMessage.forbidden);
  return answer(403, 'forbidden', error.message, { reason: error.reason.toLowerCase() });
}

function invalid(error: AppError): ErrorResponse {
  if (error.reason === 'BAD_REQUEST') return answer(400, 'bad_request', error.message);
  if (error.reason === 'RANGE_NOT_SATISFIABLE') {
    const headers = { 'Content-Range': `bytes */${String(error.metadata['sizeBytes'])}` };
    return { ...answer(416, 'bad_request', error.message), headers };
  }
  if (error.reason === 'UPLOAD_REQUEST_INVALID') return invalidUpload(error);
  const details = messagesByField(error.metadata['fields']);
  const given = messagesByField(error.metadata['reasons']);
  const reasonsOf = ([field, texts]: [string, string[]]) =>
    [field, texts.map((_, at) => given[field]?.[at] ?? 'invalid')] as const;
  const reasons = Object.fromEntries(Object.entries(details).map(reasonsOf));
  return { ...answer(422, 'validation_error', error.message, details), reasons };
}

function messagesByField(value: unknown): Record<string, string[]> {
  if (typeof value !== 'object' || value === null) return {};
  const fields = Object.entries(value).filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  return Object.fromEntries(fields);
}

/** As in the tus protocol. */
function invalidUpload({ message, metadata }: AppError): ErrorResponse {
  if (metadata['status'] !== 412) return answer(400, 'bad_request', message);
  return { ...answer(412, 'bad_request', message), headers: { 'Tus-Version': '1.0.0' } };
}

function exhausted(error: AppError): ErrorResponse {
  if (tooManyReasons.has(error.reason)) return tooMany(error);
  if (error.reason === 'UPLOAD_TOO_LARGE') return answer(400, 'bad_request', error.message, factsOf(error));
  if (error.reason === 'HASHING_BUSY') return unavailable(error.reason);
  return answer(409, 'conflict', error.message, factsOf(error));
}

/** `details` repeats the seconds for readers of bodies; headers are of the exhausted limit, not of the request's. */
function tooMany({ message, metadata: { limit, max, retryAfterSeconds } }: AppError): ErrorResponse {
  const seconds = Number(retryAfterSeconds) || 1;
  const details = { ...(typeof limit === 'string' ? { limit } : {}), retry_after: seconds };
  const refusal = answer(429, 'rate_limit_exceeded', message, details, seconds);
  return typeof max === 'number' ? { ...refusal, exhaustedMax: max } : refusal;
}

function stateCode(reason: string): ErrorCode {
  if (lockedReasons.has(reason)) return 'server_locked';
  return reason === 'SERVER_OFFLINE' ? 'server_offline' : 'conflict';
}

function factsOf(error: AppError): Record<string, unknown> {
  const facts: Record<string, unknown> = { reason: error.reason.toLowerCase() };
  for (const [name, value] of Object.entries(error.metadata)) facts[snakeCase(name)] = value;
  return facts;
}

interface ErrorBody {
  readonly error: Pick<ErrorResponse, 'code' | 'message' | 'details' | 'reasons'>;
}

export function errorBody({ code, message, details, reasons }: ErrorResponse): ErrorBody {
  return { error: { code, message, details, ...(reasons ? { reasons } : {}) } };
}
