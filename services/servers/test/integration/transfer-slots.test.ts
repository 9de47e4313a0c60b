import { realTime, waitUntil } from '@panel/kit/testing';
import { type Server, Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import { createTwoNodes, type TwoNodes, worldFile } from '../support/two-nodes.js';
import { reasonOf } from '../support/fixture.js';

const isRunning = ({ status }: Server) => status === Server_Status.RUNNING;

describe('volume freeze during a transfer', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  beforeEach(async () => {
    nodes = await createTwoNodes();
  });
  afterEach(() => nodes.stop());

  it('lasts from before the copy until the outcome is decided', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await fixture.installed({ nodeId: a.nodeId, allocationId: a.allocationIds[0] });
    for (const point of ['copy', 'commit', 'verify'] as const) {
      const gate = (point === 'verify' ? a : b).files.transfers.stopAt(point);
      await waitUntil('the next transfer', async () => (await reasonOf(nodes.transfer(id))) === 'none');
      await gate.reached;
      expect(a.files.transfers.frozen.get(id)?.size, point).to.equal(1);
      await fixture.admin.servers.cancelTransfer({ serverId: id });
      await waitUntil('the files to be thawed', () => a.files.transfers.frozen.get(id)?.size === 0);
      gate.open();
      await nodes.settledOn(a, id);
    }
  });

  it('ends when the target node has failed', async () => {
    const { fixture, a, b } = nodes;
    const { id } = await fixture.installed({ nodeId: a.nodeId, allocationId: a.allocationIds[1] });
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(id);
    await gate.reached;
    b.files.filesAreDown = true;
    await fixture.admin.servers.cancelTransfer({ serverId: id });
    await waitUntil('the files to be thawed', () => a.files.transfers.frozen.get(id)?.size === 0);
    b.files.filesAreDown = false;
    gate.open();
    await nodes.settledOn(a, id);
  });
});

describe('transfers to one node', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  beforeEach(async () => {
    nodes = await createTwoNodes({ environment: { TRANSFERS_PER_NODE: '1', NODE_LEASE_TTL: '4s' } });
  });
  afterEach(() => nodes.stop());

  it('runs transfers to one node one after the other while the waiting games keep running', async () => {
    const { b } = nodes;
    const [one, two] = [await nodes.running(), await nodes.running()];
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(one.id);
    await gate.reached;
    await nodes.transfer(two.id);
    await realTime(6_000, 'the lease of a dead worker would end, by the clock of the database');
    const { operation } = await nodes.view(two.id);
    expect(operation).to.include({ step: 'waiting', progressPercent: 0 });
    expect(await nodes.a.instance(two.id)).to.equal('running');
    expect(b.files.transfers.asked).to.have.length(1);
    gate.open();
    await nodes.settledOn(b, one.id);
    await nodes.settledOn(b, two.id);
    await nodes.until(two.id, isRunning);
    expect(b.read(two.id, worldFile)).to.equal(`the fixture of ${two.id}`);
  });

  it('cancels a waiting transfer without affecting the games', async () => {
    const { a, b } = nodes;
    const [one, two] = [await nodes.running(), await nodes.running()];
    const { admin } = nodes.fixture;
    const gate = b.files.transfers.stopAt('copy');
    await nodes.transfer(one.id);
    await gate.reached;
    await nodes.transfer(two.id);
    await admin.servers.cancelTransfer({ serverId: two.id });
    const after = await nodes.settledOn(a, two.id);
    expect(after.status).to.equal(Server_Status.RUNNING);
    expect((await admin.console.getResources({ serverId: two.id })).resources?.uptimeMs).to.be.greaterThan(0);
    await admin.servers.cancelTransfer({ serverId: one.id });
    gate.open();
    await nodes.settledOn(a, one.id);
    await nodes.transfer(two.id);
    await nodes.settledOn(b, two.id);
  });
});
