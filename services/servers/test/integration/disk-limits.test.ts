import { expect } from 'chai';
import { UpdateServerRequest } from '@panel/protos/servers';
import { waitUntil } from '@panel/kit/testing';
import { createFixture, type Fixture } from '../support/fixture.js';

const mebibyte = 1024 * 1024;

describe('disk limits for the kernel of a node', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  const start = async () => {
    fixture = await createFixture();
  };
  before(start);
  after(() => fixture.stop());
  const limits = () => fixture.harness.fakes.diskLimits;
  const update = async (serverId: string, diskMb: number) =>
    fixture.admin.servers.updateServer(UpdateServerRequest.create({ serverId, limits: { diskMb } }));

  it('sends the limit with the volume of a new server', async () => {
    const { id } = await fixture.installed();
    expect(limits().get(id)).to.equal(100 * mebibyte);
  });

  it('sends a limit when it changes, and 0 for none', async () => {
    const { id } = await fixture.installed();
    await update(id, 200);
    expect(limits().get(id)).to.equal(200 * mebibyte);
    await update(id, 0);
    expect(limits().get(id)).to.equal(0);
  });

  it('sends the limits of all servers of a node again after a start', async () => {
    const { id } = await fixture.installed();
    try {
      fixture.harness.fakes.filesAreDown = true;
      await update(id, 300);
      expect(limits().get(id)).to.equal(100 * mebibyte);
      fixture.harness.fakes.filesAreDown = false;
      await fixture.harness.stopReplica();
      await fixture.harness.startReplica();
      await waitUntil('the limit', async () => limits().get(id) === 300 * mebibyte, 60_000);
    } finally {
      // Its clients use the stopped replica.
      await fixture.stop();
      await start();
    }
  });
});
