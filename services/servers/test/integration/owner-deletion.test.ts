import { randomUUID } from 'node:crypto';
import { connectMongo } from '@panel/kit/mongo';
import { reasonOf, waitUntil } from '@panel/kit/testing';
import { UpdateServerRequest } from '@panel/protos/servers';
import { serviceActor } from '@panel/rpc';
import { expect } from 'chai';
import { readNewServer } from '../../src/handlers/server/read-request.js';
import { createStores } from '../../src/models/stores.js';
import { createServer } from '../../src/usecases/servers/create-server.js';
import { newUser } from '../support/fake-services.js';
import { createFixture, fieldsOf, type Fixture } from '../support/fixture.js';
import { testSeal } from '../support/harness.js';

describe('owner deletion concurrent with server changes', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let atStored: () => void = () => undefined;
  before(async () => {
    const failpoint = (point: string) => {
      if (point === 'create.stored' || point === 'update.stored') atStored();
    };
    fixture = await createFixture({ overrides: { failpoint } });
  });
  after(() => fixture.stop());
  beforeEach(() => {
    atStored = () => undefined;
  });

  it('refuses the creation and releases its reservation', async () => {
    const userId = newUser(fixture.harness.fakes);
    const before = (await fixture.admin.nodes.getNode({ nodeId: fixture.nodeId })).node?.allocated;
    atStored = () => fixture.harness.fakes.users.delete(userId);
    expect(await fieldsOf(fixture.createServer({ userId }))).to.deep.equal(['user_id']);
    // Deleted at once, or by the worker that has claimed its installation.
    await waitUntil('the server to be gone', async () => {
      const { countByUserId } = await fixture.admin.ownership.countOwnedServers({ userIds: [userId] });
      return (countByUserId[userId] ?? 0) === 0;
    });
    expect((await fixture.admin.nodes.getNode({ nodeId: fixture.nodeId })).node?.allocated).to.deep.equal(before);
  });

  it('keeps the previous owner when the new owner is deleted', async () => {
    const { id } = await fixture.installed({ skipScripts: true });
    const userId = newUser(fixture.harness.fakes);
    atStored = () => fixture.harness.fakes.users.delete(userId);
    const update = fixture.admin.servers.updateServer(UpdateServerRequest.create({ serverId: id, userId }));
    expect(await fieldsOf(update)).to.deep.equal(['user_id']);
    const { server } = await fixture.admin.servers.getServer({ serverId: id, asStaff: true });
    expect(server?.userId).to.equal(fixture.ownerId);
  });

  it('deletes a server with what its installation has made when a worker has claimed it', async () => {
    // Its worker would claim the installation first.
    await fixture.harness.stopReplica();
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    const stores = createStores(mongo, testSeal);
    const id = randomUUID();
    let asked = 0;
    const userExists = async () => {
      asked += 1;
      if (asked === 1) return true;
      expect(await stores.servers.operations.claim(id, 'a worker', 1_000)).not.to.equal(null);
      return false;
    };
    const operations = { runNow: () => undefined, cancel: () => undefined };
    const placementQueue = { run: async <T>(work: () => Promise<T>) => work() };
    const context = {
      stores,
      userExists,
      operations,
      placementQueue,
      failpoint: () => undefined,
      clock: () => new Date(),
    };
    const call = { idempotencyId: id, signal: new AbortController().signal, actor: serviceActor('test') };
    const request = readNewServer(fixture.request());
    expect(await reasonOf(createServer(context as never, request, call as never))).to.equal('INVALID_FIELDS');
    expect((await stores.servers.get(id))?.operation?.kind).to.equal('deleting');
    await fixture.harness.startReplica();
    await waitUntil('the server to be gone', async () => (await stores.servers.get(id)) === null, 60_000);
    expect(await stores.allocations.ofServers([id])).to.deep.equal([]);
    await mongo.close();
  });
});
