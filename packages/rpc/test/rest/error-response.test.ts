import { AppError, type ErrorKind, fieldProblem, invalidFields, rateLimited } from '@panel/kit/errors';
import { expect } from 'chai';
import { errorBody, toErrorResponse } from '../../src/rest/error-response.js';

describe('error response', () => {
  const cases: [ErrorKind, string, number, string][] = [
    ['invalid_argument', 'INVALID_FIELDS', 422, 'validation_error'],
    ['invalid_argument', 'BAD_REQUEST', 400, 'bad_request'],
    ['invalid_argument', 'RANGE_NOT_SATISFIABLE', 416, 'bad_request'],
    ['failed_precondition', 'SERVER_LOCKED', 409, 'server_locked'],
    ['failed_precondition', 'SERVER_SUSPENDED', 409, 'server_locked'],
    ['failed_precondition', 'SERVER_OFFLINE', 409, 'server_offline'],
    ['failed_precondition', 'NODE_IN_USE', 409, 'conflict'],
    ['aborted', 'CHANGED', 409, 'conflict'],
    ['already_exists', 'EMAIL_TAKEN', 409, 'conflict'],
    ['resource_exhausted', 'API_KEY_LIMIT', 409, 'conflict'],
    ['resource_exhausted', 'UPLOAD_TOO_LARGE', 400, 'bad_request'],
    ['resource_exhausted', 'HASHING_BUSY', 503, 'service_unavailable'],
    ['resource_exhausted', 'RATE_LIMIT_EXCEEDED', 429, 'rate_limit_exceeded'],
    ['unauthenticated', 'INVALID_CREDENTIALS', 401, 'unauthorized'],
    ['permission_denied', 'PERMISSION_MISSING', 403, 'forbidden'],
    ['not_found', 'SERVER_NOT_FOUND', 404, 'not_found'],
    ['unavailable', 'SERVICE_UNAVAILABLE', 503, 'service_unavailable'],
    ['deadline_exceeded', 'DEADLINE_EXCEEDED', 503, 'service_unavailable'],
    ['unimplemented', 'NOT_IMPLEMENTED', 503, 'service_unavailable'],
    ['internal', 'INTERNAL', 500, 'internal_error'],
    ['unauthenticated', 'ACTOR_INVALID', 500, 'internal_error'],
    ['resource_exhausted', 'INTERNAL', 500, 'internal_error'],
  ];
  for (const [kind, reason, status, code] of cases) {
    it(`answers ${kind} (${reason}) with ${status} ${code}`, () => {
      expect(toErrorResponse(new AppError(kind, reason, 'text'))).to.include({ status, code });
    });
  }

  it('contains Retry-After exactly where a retry helps', () => {
    expect(toErrorResponse(new AppError('unavailable', 'X', '')).retryAfterSeconds).to.be.greaterThan(0);
    const limited = rateLimited('too many codes', { name: 'coupon_codes', max: 10, remainingMs: 17_000 });
    expect(toErrorResponse(limited)).to.deep.include({
      retryAfterSeconds: 17,
      details: { limit: 'coupon_codes', retry_after: 17 },
      exhaustedMax: 10,
    });
    expect(toErrorResponse(new AppError('aborted', 'X', '')).retryAfterSeconds).to.equal(0);
  });

  it('names the database as the cause of a 503', () => {
    const reasonOf = (reason: string) => toErrorResponse(new AppError('unavailable', reason, 'text')).details;
    expect(reasonOf('DATABASE_UNAVAILABLE')).to.deep.equal({ reason: 'database_unavailable' });
    expect(reasonOf('DATABASE_FULL')).to.deep.equal({ reason: 'database_full' });
    expect(reasonOf('SERVICE_UNAVAILABLE')).to.deep.equal({});
  });

  it('names the fields of a validation error', () => {
    expect(toErrorResponse(invalidFields({ memory: ['must be at least 128 MB'] })).details).to.deep.equal({
      memory: ['must be at least 128 MB'],
    });
  });

  it('gives a reason beside each message of a field', () => {
    const problems = { memory: ['is odd', fieldProblem('out_of_range', 'must be at least 128 MB')] };
    const response = toErrorResponse(invalidFields(problems));
    expect(response.details).to.deep.equal({ memory: ['is odd', 'must be at least 128 MB'] });
    expect(response.reasons).to.deep.equal({ memory: ['invalid', 'out_of_range'] });
    expect(errorBody(response).error.reasons).to.deep.equal(response.reasons);
    // An older service sends texts only.
    const old = new AppError('invalid_argument', 'INVALID_FIELDS', 'x', {
      fields: { name: ['is required', 'is odd'] },
    });
    expect(toErrorResponse(old).reasons).to.deep.equal({ name: ['invalid', 'invalid'] });
    expect(errorBody(toErrorResponse(new AppError('not_found', 'X', 'x'))).error).not.to.have.property('reasons');
  });

  it('names the facts of a conflict in the terms of the API', () => {
    const conflict = new AppError('resource_exhausted', 'DISK_LIMIT', 'the disk is full', { usedBytes: 5, limit: 4 });
    expect(toErrorResponse(conflict).details).to.deep.equal({ reason: 'disk_limit', used_bytes: 5, limit: 4 });
  });

  it('contains nothing of an unexpected error', () => {
    for (const thrown of [new Error('secret'), new TypeError('secret'), 'secret', undefined]) {
      const answer = toErrorResponse(thrown);
      expect(answer.status).to.equal(500);
      expect(JSON.stringify(answer)).not.to.contain('secret');
    }
  });

  it('answers everything unknown, unauthorised or forbidden by role with one text', () => {
    for (const kind of ['not_found', 'unauthenticated'] as const) {
      const [one, other] = [
        toErrorResponse(new AppError(kind, 'A', 'one', { id: 1 })),
        toErrorResponse(new AppError(kind, 'B', 'two')),
      ];
      expect(one).to.deep.equal(other);
    }
  });
});
