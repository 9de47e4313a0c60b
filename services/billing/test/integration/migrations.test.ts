import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { dropTestDatabase, testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { unitsAndReasons } from '../../src/models/migrations/0002-units-and-reasons.js';

describe('the migration of units and reasons', () => {
  let url = '';
  let mongo: MongoConnection;
  before(async () => {
    url = testMongoUrl('billing_migrations');
    mongo = await connectMongo(url, { appName: 'test' });
  });
  after(async () => {
    await mongo?.close();
    await dropTestDatabase(url);
  });

  it('gives each subscription its unit and its reasons, however often it runs', async () => {
    const rows = mongo.collection<Record<string, unknown> & { _id: string }>('subscriptions');
    await rows.insertMany([
      { _id: 'a', unitProductId: 'p', returnDue: false, suspendReason: null },
      { _id: 'b', unitProductId: 'q', returnDue: true, suspendReason: 'overdue' },
    ]);
    const { signal } = new AbortController();
    for (let run = 0; run < 2; run += 1) await unitsAndReasons.run(mongo, signal);
    expect(await rows.find().sort({ _id: 1 }).toArray()).to.deep.equal([
      { _id: 'a', unit: { id: 'a', productId: 'p' }, unitsDue: [], suspendReasons: [] },
      {
        _id: 'b',
        unit: { id: 'b', productId: 'q' },
        unitsDue: [{ id: 'b', productId: 'q' }],
        suspendReasons: ['overdue'],
      },
    ]);
  });
});
