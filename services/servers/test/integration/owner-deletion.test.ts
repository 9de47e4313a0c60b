import { expect } from 'chai';
import { UpdateServerRequest } from '@panel/protos/servers';
import { newUser } from '../support/fake-services.js';
import { createFixture, fieldsOf, type Fixture } from '../support/fixture.js';

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
    const { countByUserId } = await fixture.admin.ownership.countOwnedServers({ userIds: [userId] });
    expect(countByUserId[userId] ?? 0).to.equal(0);
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
});
