import { ApiError } from '@panel/client';

export { ApiError };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function refusedField(name: string, message: string): ApiError {
  const error = { code: 'validation_error', message, details: { [name]: [message] } };
  return ApiError.from(new Response(null, { status: 422 }), { error });
}
