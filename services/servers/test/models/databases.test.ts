import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { createDatabaseStore, type DatabaseStore } from '../../src/models/databases/database.js';
import { testSeal } from '../support/harness.js';

const leaseMs = 60_000;

describe('the deletion of a database of a server', () => {
  let mongo: MongoConnection;
  let databases: DatabaseStore;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('servers'), { appName: 'test' });
    databases = createDatabaseStore(mongo, testSeal);
    await createIndexes(mongo);
  });
  after(async () => {
    await mongo.dropDatabase();
    await mongo.close();
  });

  const create = async () => {
    const [id, createdAt] = [randomUUID(), new Date()];
    const lease = await databases.create(
      {
        id,
        serverId: randomUUID(),
        hostId: 'host',
        engine: 'mysql',
        name: `s_${id}`,
        username: 'u',
        password: 'p',
        pendingPassword: null,
        remote: '%',
        maxConnections: 0,
        state: 'creating',
        isOnHost: true,
        sizeBytes: 0,
        createdAt,
        updatedAt: createdAt,
      },
      leaseMs,
    );
    return { id, lease };
  };

  it('belongs to one of 50 callers, and is due for no other replica', async () => {
    const { id, lease } = await create();
    await databases.activate(lease);
    const claims = await Promise.all(Array.from({ length: 50 }, async () => databases.claimDeletion(id, leaseMs)));
    const own = claims.filter((claimed) => claimed !== null);
    expect(own.map(({ database }) => [database.id, database.state])).to.deep.equal([[id, 'deleting']]);
    expect(await databases.due(10)).to.not.include(id);
    expect(await databases.claim(id, leaseMs)).to.equal(null);
  });

  it('leaves a database alone that another process has', async () => {
    const { id } = await create();
    expect(await databases.claimDeletion(id, leaseMs)).to.equal(null);
    expect((await databases.get(id))?.state).to.equal('creating');
    expect(await databases.claimDeletion(randomUUID(), leaseMs)).to.equal(null);
  });
});
