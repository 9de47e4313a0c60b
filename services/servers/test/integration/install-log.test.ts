import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { userActor } from '../support/harness.js';
import { createFixture, reasonOf, type Fixture } from '../support/fixture.js';

describe('GetInstallLog', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture({ ports: ['31000-31009'] });
  });
  after(() => fixture.stop());

  it('returns the log to the owner and staff with servers.view only', async () => {
    const { id } = await fixture.installed();
    const logFor = async (...permissions: string[]) => {
      const clients = fixture.harness.clients(userActor(randomUUID(), permissions), fixture.harness.address);
      return clients.servers.getInstallLog({ serverId: id });
    };
    const { lines } = await fixture.owner.servers.getInstallLog({ serverId: id });
    expect(lines.map(({ text }) => text)).to.include('installed');
    for (const permission of ['servers.view', 'servers.update', '*'])
      expect(await logFor(permission)).to.deep.equal({ lines });
    for (const permission of ['servers.suspend', 'nodes.view', 'servers.create'])
      expect(await reasonOf(logFor(permission)), permission).to.equal('SERVER_NOT_FOUND');
  });
});
