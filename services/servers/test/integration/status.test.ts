import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { operationKinds, powerStates, statusOf } from '../../src/domain/servers/server.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { testSeal } from '../support/harness.js';
import { anOperation, aServer } from '../support/server-fixture.js';

describe('stored server status', () => {
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('status'), { appName: 'test' });
    stores = createStores(mongo, testSeal);
    await createIndexes(mongo);
  });
  after(() => mongo.close());

  it('equals the domain function for every combination after every change', async () => {
    const installs = ['pending', 'installed', 'failed'] as const;
    for (const state of powerStates) {
      for (const suspended of [true, false]) {
        for (const installState of installs) {
          for (const kind of [null, ...operationKinds]) {
            const id = randomUUID();
            const base = aServer({ id, uuidShort: id.slice(0, 8), suspended, operation: kind && anOperation(kind) });
            const lock = {
              id: 'lock',
              action: 'start' as const,
              owner: 'test',
              expiresAt: new Date(Date.now() + 60_000),
            };
            const server = {
              ...base,
              install: { ...base.install, state: installState },
              power: { ...base.power, state, lease: lock },
            };
            await stores.servers.create(server);
            await stores.servers.power.release(id, 'lock');
            const after = await stores.servers.get(id);
            const combination = JSON.stringify({ state, suspended, installState, kind });
            expect(after?.status, combination).to.equal(statusOf(server));
          }
        }
      }
    }
  });

  it('never evaluates a value as an expression', async () => {
    const id = randomUUID();
    await stores.servers.create(aServer({ id, uuidShort: id.slice(0, 8), operation: anOperation('installing') }));
    const operationId = anOperation('installing').id;
    await stores.servers.operations.progress({ serverId: id, operationId, fence: 1 }, '$power.state', 50);
    expect((await stores.servers.get(id))?.operation?.step).to.equal('$power.state');
    const error = '$$NOW {"$literal":1}';
    const install = { state: 'failed' as const, error, exitCode: null, at: new Date() };
    await stores.servers.operations.finishInstall({ serverId: id, operationId, fence: 1 }, install, false);
    expect((await stores.servers.get(id))?.install.error).to.equal(error);
  });

  for (const suspended of [true, false]) {
    it(`requests ${suspended ? 'no' : 'a'} start after installation when suspended is ${suspended}`, async () => {
      const id = randomUUID();
      const operation = anOperation('installing');
      await stores.servers.create(aServer({ id, uuidShort: id.slice(0, 8), operation, suspended }));
      const install = { state: 'installed' as const, error: null, exitCode: 0, at: new Date() };
      const lease = { serverId: id, operationId: operation.id, fence: 1 };
      const after = await stores.servers.operations.finishInstall(lease, install, true);
      expect(after?.power.desired).to.equal(suspended ? 'offline' : 'running');
      const lifted = await stores.servers.updates.setSuspended(id, false);
      const isDue = (await stores.servers.dueForStart([lifted?.nodeId ?? ''], 1000)).some((state) => state.id === id);
      expect(isDue).to.equal(!suspended);
    });
  }

  it('refuses a write with an outdated fencing token', async () => {
    const id = randomUUID();
    const operation = anOperation('installing');
    await stores.servers.create(aServer({ id, uuidShort: id.slice(0, 8), operation }));
    const first = await stores.servers.operations.claim(id, 'a', -1);
    const second = await stores.servers.operations.claim(id, 'b', 60_000);
    expect(await stores.servers.operations.claim(id, 'c', 60_000)).to.equal(null);
    const lease = (fence: number | undefined) => ({ serverId: id, operationId: operation.id, fence: fence ?? 0 });
    expect(await stores.servers.operations.progress(lease(first?.operation?.fence), 'x', 1)).to.equal(null);
    expect(await stores.servers.operations.renew(lease(first?.operation?.fence), 1)).to.equal(false);
    expect(
      (await stores.servers.operations.progress(lease(second?.operation?.fence), 'y', 1))?.operation?.step,
    ).to.equal('y');
  });
});
