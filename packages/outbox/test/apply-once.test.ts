import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { applyOnce } from '../src/index.js';

describe('applyOnce', () => {
  let connection: MongoConnection;
  before(async () => {
    connection = await connectMongo(testMongoUrl('outbox'), { appName: 'outbox-test' });
  });
  after(async () => connection.close());

  it('applies an entry once however often and in parallel it is delivered', async () => {
    const accounts = connection.collection<{ _id: string; balance: number }>('accounts');
    const account = randomUUID();
    await accounts.insertOne({ _id: account, balance: 0 });
    const apply = async (id: string) => {
      const { filter, update } = applyOnce(id);
      await accounts.updateOne({ _id: account, ...filter }, { $inc: { balance: 10 }, ...update });
    };
    await Promise.all(Array.from({ length: 50 }, async (_, index) => apply(index % 2 === 0 ? 'e1' : 'e2')));
    expect(await accounts.findOne({ _id: account })).to.deep.include({ balance: 20 });
  });
});
