import type { ErrorCode } from '@panel/rpc';
import { ownHeaders } from '../declaration/response-headers.js';
import { type JsonSchema, openEnum } from './json-schema.js';

/** A record: the compiler requires every code. */
const errorCodes: Readonly<Record<ErrorCode, true>> = {
  bad_request: true,
  unauthorized: true,
  forbidden: true,
  not_found: true,
  conflict: true,
  server_locked: true,
  server_offline: true,
  validation_error: true,
  rate_limit_exceeded: true,
  internal_error: true,
  service_unavailable: true,
};

export const errorCodeSchema: JsonSchema = openEnum(Object.keys(errorCodes));

export const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: { $ref: '#/components/schemas/ErrorCode' },
        message: { type: 'string' },
        reasons: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
          description: 'Of a validation error: a stable reason for each message of `details`.',
        },
        details: {
          type: 'object',
          description:
            'Facts, with `reason` where there is one; of a validation error, messages by field; of a 429, `limit` and `retry_after`.',
        },
      },
    },
  },
};

export const metaSchema: JsonSchema = {
  type: 'object',
  required: ['current_page', 'per_page', 'total', 'total_pages'],
  properties: {
    current_page: { type: 'integer', minimum: 1 },
    per_page: { type: 'integer', minimum: 1 },
    total: { type: 'integer', minimum: 0 },
    total_pages: { type: 'integer', minimum: 0 },
  },
};

const header = (text: string, type: 'integer' | 'string') => ({ description: text, schema: { type } });

/** Of every response. */
const commonHeaders = {
  'X-RateLimit-Limit': header('The limit that is closest to being reached, per minute.', 'integer'),
  'X-RateLimit-Remaining': header('Remaining requests of it.', 'integer'),
  'X-RateLimit-Reset': header('Unix time in seconds at which its window starts again.', 'integer'),
  'Retry-After': header('Seconds to wait; 0 unless waiting helps.', 'integer'),
  'X-Request-Id': header('Quote it in a support request.', 'string'),
};

/** Of some failures. */
const failureHeaders = {
  'Tus-Version': header('Versions of the tus protocol that are spoken.', 'string'),
  'WWW-Authenticate': header('How to say who is calling.', 'string'),
};

export const responseHeaders: Readonly<Record<string, object>> = {
  ...commonHeaders,
  ...failureHeaders,
  ...Object.fromEntries(Object.entries(ownHeaders).map(([name, text]) => [name, header(text, 'string')])),
};

/** With the common ones. */
export function headersWith(...own: readonly string[]): Readonly<Record<string, object>> {
  const names = [...Object.keys(commonHeaders), ...own];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function failure(code: ErrorCode, text: string, facts: object = {}, ...own: readonly string[]) {
  const example = { error: { code, message: text, details: {}, ...facts } };
  const schema: JsonSchema = { $ref: '#/components/schemas/Error' };
  return { description: text, headers: headersWith(...own), content: { 'application/json': { schema, example } } };
}

/** Without reasons. */
const errorResponses = {
  BadRequest: failure('bad_request', 'Not JSON, the wrong content type, too large, or ambiguous headers.'),
  Unauthorized: failure('unauthorized', 'The credentials are missing, wrong or expired.', {}, 'WWW-Authenticate'),
  Forbidden: failure('forbidden', 'You may not do this.'),
  NotFound: failure('not_found', 'There is nothing here, or it is not yours to see.'),
  PreconditionFailed: failure('bad_request', 'Of a version of the protocol that is not spoken.', {}, 'Tus-Version'),
  RangeNotSatisfiable: failure('bad_request', 'There are fewer bytes than the range starts at.', {}, 'Content-Range'),
  Conflict: failure(
    'conflict',
    'Taken, in use, used up, or in the wrong state: also `server_locked` and `server_offline`.',
  ),
  ValidationError: failure('validation_error', 'The given data was invalid.', {
    details: { name: ['is required'] },
    reasons: { name: ['required'] },
  }),
  RateLimitExceeded: failure('rate_limit_exceeded', 'Too many requests: try again in 17 seconds.', {
    details: { limit: 'general', retry_after: 17 },
  }),
  InternalError: failure('internal_error', 'Something went wrong on our side.'),
  ServiceUnavailable: failure('service_unavailable', 'A part of the panel is unavailable.'),
};

export type ErrorName = keyof typeof errorResponses;
const names = Object.keys(errorResponses) as ErrorName[];

/** From the shared middleware. */
export const usualReasons: Readonly<Partial<Record<ErrorName, readonly string[]>>> = {
  Forbidden: ['ip_not_allowed', 'two_factor_required'],
  ServiceUnavailable: ['database_full', 'database_unavailable'],
};

/** With values of `details.reason`. */
export function failureWith(name: ErrorName, reasons: readonly string[]) {
  const { description, headers, content } = errorResponses[name];
  const said = objectWith('error', objectWith('details', objectWith('reason', openEnum(reasons))));
  return {
    description: `${description} \`details.reason\`: ${reasons.map((reason) => `\`${reason}\``).join(', ')}.`,
    headers,
    content: { 'application/json': { schema: { allOf: [content['application/json'].schema, said] } } },
  };
}

function objectWith(name: string, schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { [name]: schema } };
}

/** Conflicts always have their own reasons. */
export const commonResponses = Object.fromEntries(
  names
    .filter((name) => name !== 'Conflict')
    .map((name) => [name, usualReasons[name] ? failureWith(name, usualReasons[name]) : errorResponses[name]]),
);
