import { expect } from 'chai';
import mongoose from 'mongoose';
import { databaseCondition } from '../../src/mongo/index.js';

const { MongoBulkWriteError, MongoNetworkError, MongoServerError } = mongoose.mongo;

class PoolClearedOnNetworkError extends MongoNetworkError {
  override get name(): string {
    return 'PoolClearedOnNetworkError';
  }
}

describe('condition of the database', () => {
  const cases: readonly [string, unknown, string | null][] = [
    ['a lost connection', new MongoNetworkError('reset'), 'DATABASE_UNAVAILABLE'],
    [
      'a connection that is given up for its server',
      new PoolClearedOnNetworkError('interrupted'),
      'DATABASE_UNAVAILABLE',
    ],
    ['an engine that steps down', new MongoServerError({ message: 'stepped down', code: 189 }), 'DATABASE_UNAVAILABLE'],
    [
      'a server that never answered',
      new mongoose.Error.MongooseServerSelectionError('connect ECONNREFUSED'),
      'DATABASE_UNAVAILABLE',
    ],
    ['a full disk', new MongoServerError({ message: 'no space', code: 14031 }), 'DATABASE_FULL'],
    [
      'a bulk write whose connection was lost',
      new MongoBulkWriteError(new MongoNetworkError('reset'), {} as never),
      'DATABASE_UNAVAILABLE',
    ],
    [
      'a bulk write with a duplicate key',
      new MongoBulkWriteError({ message: 'E11000', code: 11000, writeErrors: [] }, {} as never),
      null,
    ],
    ['a query above its time', new MongoServerError({ message: 'exceeded', code: 50 }), 'DATABASE_TIMEOUT'],
    ['a duplicate key', new MongoServerError({ message: 'E11000', code: 11000 }), null],
    ['a defect', new TypeError('undefined is not a function'), null],
    ['nothing', undefined, null],
  ];

  for (const [name, error, reason] of cases) {
    it(`derives the condition of ${name}: ${reason ?? 'none'}`, () => {
      expect(databaseCondition(error)?.reason ?? null).to.equal(reason);
    });
  }
});
