import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { dropTestDatabase, testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { derivedId } from '@panel/rpc';
import { journal } from '../../src/models/migrations/0004-journal.js';
import { creditLots } from '../../src/models/migrations/0003-credit-lots.js';
import { unitsAndReasons } from '../../src/models/migrations/0002-units-and-reasons.js';

describe('migrations of billing', () => {
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

  it('gives each balance a lot without a known source, however often it runs', async () => {
    const rows = mongo.collection<Record<string, unknown> & { _id: string }>('credit_accounts');
    await rows.insertMany([
      { _id: 'a:EUR', balanceMinor: 500, drains: 3 },
      { _id: 'b:EUR', balanceMinor: 0, drains: 0 },
      { _id: 'c:EUR', balanceMinor: -20, drains: 1 },
    ]);
    const { signal } = new AbortController();
    for (let run = 0; run < 2; run += 1) await creditLots.run(mongo, signal);
    const [first, ...others] = await rows.find().sort({ _id: 1 }).toArray();
    const [lot, ...more] = (first?.['lots'] ?? []) as Record<string, unknown>[];
    expect(lot).to.include({ id: 'a:EUR', source: 'correction', reference: '', amountMinor: 500 });
    expect(lot?.['openedAt']).to.be.a('date');
    expect(more).to.deep.equal([]);
    expect(first).to.include({ version: 3 }).and.not.to.have.property('drains');
    expect(others).to.deep.equal([
      { _id: 'b:EUR', balanceMinor: 0, lots: [], version: 0 },
      { _id: 'c:EUR', balanceMinor: -20, lots: [], version: 1 },
    ]);
  });

  it('begins the journal with the ledger and marks all invoices, however often it runs', async () => {
    const rows = (name: string) => mongo.collection<Record<string, unknown> & { _id: string }>(name);
    const row = { accountId: 'u:EUR', userId: 'u', currency: 'EUR', note: '', createdAt: new Date() };
    await rows('orders').insertOne({ _id: 'order' });
    await rows('invoices').insertMany([
      { _id: 'top-up', items: [{ purpose: 'credits' }] },
      { _id: 'sale', items: [] },
    ]);
    const lots = [{ id: 'lot', amountMinor: 30 }];
    await rows('credit_ledger').insertMany([
      { ...row, _id: '1', amountMinor: 100, reason: 'grant', reference: '' },
      { ...row, _id: '2', amountMinor: 50, reason: 'purchase', reference: 'top-up' },
      { ...row, _id: '3', amountMinor: -40, reason: 'payment', reference: 'order', lots },
      { ...row, _id: '4', amountMinor: -20, reason: 'dispute', reference: 'sale', lots: [] },
      { ...row, _id: '5', amountMinor: 0, reason: 'cancelled', reference: 'order' },
    ]);
    const { signal } = new AbortController();
    for (let run = 0; run < 2; run += 1) await journal.run(mongo, signal);
    const entries = await rows('journal').find().sort({ _id: 1 }).toArray();
    const linesOf = (lines: unknown) =>
      (lines as { account: string; amountMinor: number }[]).map(({ account, amountMinor }) => [account, amountMinor]);
    expect(entries.map(({ _id, lines }) => [_id, linesOf(lines)])).to.deep.equal([
      [
        'credits:1',
        [
          ['credits:u:EUR', -100],
          ['promotion', 100],
        ],
      ],
      [
        'credits:2',
        [
          ['credits:u:EUR', -50],
          ['sales:top-up', 50],
        ],
      ],
      [
        'credits:3',
        [
          ['credits:lot', 30],
          ['debt:u', 10],
          [`receivable:${derivedId('order', 'invoice')}`, -40],
        ],
      ],
      [
        'credits:4',
        [
          ['debt:u', 20],
          ['disputed:sale', -20],
        ],
      ],
    ]);
    expect(await rows('invoices').countDocuments({ journalMark: { $type: 'string' } })).to.equal(2);
  });
});
