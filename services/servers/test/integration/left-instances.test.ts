import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { createStores, type Stores } from '../../src/models/stores.js';
import { deleteNode } from '../../src/usecases/nodes/delete-node.js';
import { aNode } from '../support/node-fixture.js';
import { testSeal } from '../support/harness.js';

describe('left instances', () => {
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('left_instances'), { appName: 'test' });
    stores = createStores(mongo, testSeal);
    await createIndexes(mongo);
  });
  after(() => mongo.close());

  it('knows every node where one server left some, until each is removed', async () => {
    const { leftInstances } = stores;
    const [serverId, other, home, source] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await Promise.all([home, source, home].map((nodeId) => leftInstances.add(serverId, nodeId)));
    expect(await leftInstances.among(home, [serverId, other])).to.deep.equal([serverId]);
    expect(await leftInstances.among(source, [serverId, other])).to.deep.equal([serverId]);
    await leftInstances.remove(serverId, home);
    expect(await leftInstances.among(home, [serverId])).to.deep.equal([]);
    expect(await leftInstances.among(source, [serverId])).to.deep.equal([serverId]);
  });

  it('forgets those of a node that is removed', async () => {
    const { leftInstances } = stores;
    const [serverId, gone, retained] = [randomUUID(), randomUUID(), randomUUID()];
    await stores.nodes.create(gone, { ...aNode, name: gone }, new Date());
    await leftInstances.add(serverId, gone);
    await leftInstances.add(serverId, retained);
    await deleteNode({ stores }, gone);
    expect(await leftInstances.among(gone, [serverId])).to.deep.equal([]);
    expect(await leftInstances.among(retained, [serverId])).to.deep.equal([serverId]);
  });
});
