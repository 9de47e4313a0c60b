import { expect } from 'chai';
import { createConnection } from 'mongoose';
import { returnTestDatabase, reusedMongoUrl, testMongoUrl } from '../src/index.js';

describe('testMongoUrl', () => {
  it('returns a new database of a MongoDB that answers', async () => {
    const [first, second] = [testMongoUrl('fresh'), testMongoUrl('fresh')];
    expect(first).to.not.equal(second);
    const connection = await createConnection(first).asPromise();
    try {
      expect(connection.name).to.match(/^(.*_)?fresh_[0-9a-f]{12}$/);
      expect(await connection.collection('things').countDocuments()).to.equal(0);
    } finally {
      await connection.close();
    }
  });
});

describe('reusedMongoUrl', () => {
  it('gives the empty collections of a returned database to a later fixture, and lets the latest one rest', async () => {
    const [first, second] = [reusedMongoUrl('reused'), reusedMongoUrl('reused')];
    const connection = await createConnection(first).asPromise();
    try {
      const things = connection.collection('things');
      await things.createIndex({ name: 1 }, { name: 'by_name' });
      await things.insertOne({ name: 'left by the first fixture' });
      await returnTestDatabase('reused', first);
      expect(await things.countDocuments()).to.equal(0);
      expect([first, second]).not.to.include(reusedMongoUrl('reused'));
      await things.insertOne({ name: 'sent last by a process that was killed' });
      await returnTestDatabase('reused', second);
      expect(reusedMongoUrl('reused')).to.equal(first);
      expect(await things.countDocuments()).to.equal(0);
      expect((await things.indexes()).map(({ name }) => name)).to.include('by_name');
    } finally {
      await connection.close();
    }
  });
});
