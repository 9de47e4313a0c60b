/** An answer of the panel outside 2xx. */
export class ApiError extends Error {
  constructor(
    /** HTTP status. */
    readonly status: number,
    /** Stable code, see the API reference; "unreadable" when the answer was not the panel's envelope. */
    readonly code: string,
    message: string,
    /** For validation errors: field name to messages. */
    readonly details: Readonly<Record<string, unknown>>,
    /** Quote it in a support request. */
    readonly requestId: string | null,
    /** Seconds to wait before another try; 0 when that makes no difference. */
    readonly retryAfterSeconds: number,
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
      Number(response.headers.get('retry-after') ?? 0),
    );
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
