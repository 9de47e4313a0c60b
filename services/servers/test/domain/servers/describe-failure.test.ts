import { AppError } from '@panel/kit/errors';
import { runtimeError } from '@panel/runtime';
import { expect } from 'chai';
import { dumpFailure } from '../../../src/database-engines/dumps/backup-dumps.js';
import { describeFailure } from '../../../src/domain/servers/describe-failure.js';
import { fail } from '../../../src/reasons.js';

describe('what an owner reads of a failure', () => {
  const address = '10.0.0.7:2376';
  const cases: readonly (readonly [string, unknown, string])[] = [
    [
      'an engine that refuses',
      runtimeError('NODE_UNREACHABLE', 'the container engine does not answer', {
        reason: `connect ECONNREFUSED ${address}`,
      }),
      'the container engine does not answer',
    ],
    [
      'an engine that answers with an error',
      runtimeError('ENGINE_FAILED', 'the container engine answered with an error', {
        reason: `no route to ${address}`,
      }),
      'the container engine answered with an error',
    ],
    [
      'a service without a connection',
      new AppError('unavailable', 'SERVICE_UNAVAILABLE', `No connection established. Last error: ${address}`),
      'a part of the panel does not answer',
    ],
    [
      'a service that is slow',
      new AppError('deadline_exceeded', 'DEADLINE_EXCEEDED', `Deadline exceeded after 5s,remote_addr=${address}`),
      'a part of the panel does not answer',
    ],
    [
      'a database host that refuses',
      fail('DATABASE_HOST_UNREACHABLE', `connect ECONNREFUSED ${address}`),
      'the database host does not answer',
    ],
    ['an error of ours', new Error(`at ${address}`), 'an unexpected error'],
  ];
  for (const [what, error, words] of cases) {
    it(`names no address of ${what}`, () => {
      expect(describeFailure(error)).to.equal(words);
      expect(dumpFailure(error).message).to.equal(words);
    });
  }

  it('keeps the words of the engine on an image', () => {
    const error = runtimeError('IMAGE_PULL_FAILED', 'the image could not be pulled', { reason: 'no such tag' });
    expect(describeFailure(error)).to.equal('the image could not be pulled (no such tag)');
  });
});
