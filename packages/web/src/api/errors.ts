import { ApiError } from '@panel/client';

export { ApiError };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function refusedField(name: string, message: string): ApiError {
  const error = { code: 'validation_error', message, details: { [name]: [message] } };
  return ApiError.from(new Response(null, { status: 422 }), { error });
}

/** Where a proxy refuses one of these, smaller pieces are of no use. */
export const smallRequestBytes = 64 * 1024;

/** By a proxy: the panel says it in its own words. */
export function isTooLargeForProxy(error: unknown): boolean {
  return error instanceof ApiError && error.status === 413 && error.code === 'unreadable';
}

/** The words of the proxy are left out: they are a page of HTML, or English. */
class ProxyLimitError extends ApiError {
  constructor(
    { status, code, requestId }: ApiError,
    readonly requestBytes: number,
  ) {
    super(status, code, '', {}, requestId, 0);
  }
}

/** The same error; a proxy's refusal gets the size of what was refused. */
export function withRequestSize(error: unknown, requestBytes: number): unknown {
  return error instanceof ApiError && isTooLargeForProxy(error) ? new ProxyLimitError(error, requestBytes) : error;
}

/** 0: not known, or of another refusal. */
export function refusedBytes(error: unknown): number {
  return error instanceof ProxyLimitError ? error.requestBytes : 0;
}
