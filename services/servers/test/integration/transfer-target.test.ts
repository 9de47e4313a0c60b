import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createTwoNodes, reservedOn, type TwoNodes } from '../support/two-nodes.js';

describe('the target of a transfer', function () {
  this.timeout(180_000);
  let nodes: TwoNodes;
  before(async () => {
    nodes = await createTwoNodes();
  });
  after(() => nodes.stop());

  it('refuses a node with a problem, which the reason names', async () => {
    const { fixture, b } = nodes;
    const { id } = await fixture.installed({ nodeId: nodes.a.nodeId, allocationId: nodes.a.allocationIds[0] ?? '' });
    b.files.transfers.clockOffsetMs = -90_000;
    const problem = async () => (await fixture.admin.nodes.getNode({ nodeId: b.nodeId })).node?.problem;
    await waitUntil('the problem', async () => (await problem()) === 'clock_differs', 60_000);
    const refused: unknown = await nodes.transfer(id).catch((error: unknown) => error);
    const metadata = { node_id: b.nodeId, problem: 'clock_differs' };
    expect(refused).to.deep.include({ reason: 'NODE_NOT_READY', metadata });
    expect(await reservedOn(fixture.admin, b, id)).to.equal(0);
  });
});
