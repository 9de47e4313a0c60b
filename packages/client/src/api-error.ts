import type { ErrorCode } from './generated/api.js';

/** An answer of the panel outside 2xx. */
export class ApiError extends Error {
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** Stable code; "unreadable" when the answer was not the panel's envelope. A newer panel may know more codes. */
    readonly code: ErrorCode | 'unreadable' | (string & {}),
    message: string,
    /** For validation errors: field name to messages. */
    readonly details: Readonly<Record<string, unknown>>,
    /** Quote it in a support request. */
    readonly requestId: string | null,
    /** Seconds to wait before another try; 0 when that makes no difference. */
    readonly retryAfterSeconds: number,
    /** Of validation errors: a stable reason beside each message of `fields`, in the same order. */
    readonly reasons: Readonly<Record<string, readonly string[]>> = {},
  ) {
    super(`${status} ${code}: ${message}`);
    this.name = 'ApiError';
  }

  /** Read the envelope of a failed answer. */
  static from(response: Response, body: unknown): ApiError {
    const error = isRecord(body) && isRecord(body.error) ? body.error : {};
    return new ApiError(
      response.status,
      typeof error.code === 'string' ? error.code : 'unreadable',
      typeof error.message === 'string' ? error.message : response.statusText,
      isRecord(error.details) ? error.details : {},
      response.headers.get('x-request-id'),
      secondsOf(response.headers.get('retry-after')),
      textsByField(error.reasons),
    );
  }

  /** Messages by field; empty unless the code is `validation_error`. */
  get fields(): Readonly<Record<string, readonly string[]>> {
    return this.code === 'validation_error' ? textsByField(this.details) : {};
  }
}

function textsByField(value: unknown): Record<string, string[]> {
  if (!isRecord(value)) return {};
  const named = Object.entries(value).filter(
    (entry): entry is [string, string[]] =>
      Array.isArray(entry[1]) && entry[1].every((text) => typeof text === 'string'),
  );
  return Object.fromEntries(named);
}

/** The account has two-factor authentication: sign in with a code too. */
export class TwoFactorRequired extends Error {
  constructor() {
    super('the account has two-factor authentication: a code is needed');
    this.name = 'TwoFactorRequired';
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Proxies may name a date instead; then it is the panel's own business when to try again. */
function secondsOf(header: string | null): number {
  return header !== null && /^\d+$/.test(header) ? Number(header) : 0;
}
