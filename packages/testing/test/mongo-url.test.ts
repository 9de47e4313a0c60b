import { expect } from 'chai';
import { createConnection } from 'mongoose';
import { testMongoUrl } from '../src/index.js';

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
