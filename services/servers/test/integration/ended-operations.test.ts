import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { findOperation } from '../../src/domain/servers/find-operation.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { testSeal } from '../support/harness.js';
import { aServer } from '../support/server-fixture.js';

describe('ended operations of a server', function () {
  this.timeout(60_000);
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('ended_operations'), { appName: 'test' });
    stores = createStores(mongo, testSeal);
    await createIndexes(mongo);
  });
  after(() => mongo.close());

  const make = async (): Promise<string> => {
    const id = randomUUID();
    await stores.servers.create(aServer({ id, uuidShort: id.slice(0, 8) }));
    return id;
  };
  const restore = { backupId: randomUUID(), isTruncating: false, paths: [], databases: [], hasDumps: false };
  const found = async (serverId: string, operationId: string) => {
    const server = (await stores.servers.get(serverId)) ?? expect.fail('no server');
    const { of, operation } = findOperation(server, operationId) ?? expect.fail('no operation');
    return of === 'ended' ? [operation.kind, operation.state, operation.error] : [of];
  };
  const restored = async (serverId: string, error: string | null): Promise<string> => {
    const operationId = randomUUID();
    expect(await stores.servers.backups.beginRestore(serverId, operationId, restore)).not.to.equal(null);
    expect(await found(serverId, operationId)).to.deep.equal(['current']);
    const fence = (await stores.servers.get(serverId))?.operation?.fence ?? 0;
    expect(await stores.servers.operations.finish({ serverId, operationId, fence }, error)).not.to.equal(null);
    return operationId;
  };

  it('tells whether a restore was completed, and why it was not', async () => {
    const serverId = await make();
    const failed = await restored(serverId, 'the backup is damaged');
    const completed = await restored(serverId, null);
    expect(await found(serverId, failed)).to.deep.equal(['restoring', 'failed', 'the backup is damaged']);
    expect(await found(serverId, completed)).to.deep.equal(['restoring', 'completed', null]);
  });

  it('tells that a transfer was cancelled', async () => {
    const serverId = await make();
    const id = randomUUID();
    const begun = { id, targetNodeId: randomUUID(), owner: 'a worker', ttlMs: 60_000, backupId: null, hasFiles: false };
    expect(await stores.servers.transfers.begin(serverId, begun)).not.to.equal(null);
    await stores.servers.transfers.end(serverId, { outcome: 'cancelled' });
    expect(await found(serverId, id)).to.deep.equal(['transferring', 'cancelled', null]);
  });

  it('keeps the last 20 of a server', async () => {
    const serverId = await make();
    const ids: string[] = [];
    for (let count = 0; count < 22; count += 1) ids.push(await restored(serverId, null));
    const retained = (await stores.servers.get(serverId))?.endedOperations?.map(({ id }) => id);
    expect(retained).to.deep.equal(ids.slice(2).reverse());
  });
});
