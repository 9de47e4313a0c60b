import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { userActor } from '../support/harness.js';
import { createFixture, reasonOf, waitForServer, type Fixture } from '../support/fixture.js';
import { ServiceProcess } from '../support/service-process.js';

describe('GetMetrics', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  const startedAtMs = Date.now();
  const lastHour = (serverId: string) => ({ serverId, fromTime: undefined, toTime: undefined });

  before(async () => {
    // Clock ×10: one sample per second.
    const clock = () => new Date(startedAtMs + (Date.now() - startedAtMs) * 10);
    fixture = await createFixture({ overrides: { clock } });
  });
  after(() => fixture.stop());

  it('shows the usage of a running game to those who may see it, over a killed replica and until the server is deleted', async () => {
    const { id } = await fixture.installed();
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    const known = async (clients = fixture.owner) => {
      const { memoryBytes, stepSeconds } = await clients.console.getMetrics(lastHour(id));
      expect(stepSeconds).to.equal(10);
      return memoryBytes.filter((bytes) => bytes > 0).length;
    };
    await waitUntil('samples', async () => (await known()) >= 3, 40_000);
    const before = await known();
    const other = await ServiceProcess.start(fixture.harness.environment());
    const there = fixture.harness.clients(userActor(fixture.ownerId), other.address);
    expect((await there.console.getMetrics(lastHour(id))).cpuPercent.length).to.equal(360);
    await other.kill();
    expect(await known()).to.be.at.least(before);

    const stranger = fixture.harness.clients(userActor(randomUUID()), fixture.harness.address);
    expect(await reasonOf(stranger.console.getMetrics(lastHour(id)))).to.equal('SERVER_NOT_FOUND');
    const staff = fixture.harness.clients(userActor(randomUUID(), ['servers.view']), fixture.harness.address);
    expect(await known(staff)).to.be.at.least(before);

    await fixture.admin.servers.deleteServer({ serverId: id, force: false });
    await waitUntil('the server to be gone', async () => (await reasonOf(known())) === 'SERVER_NOT_FOUND');
  });
});
