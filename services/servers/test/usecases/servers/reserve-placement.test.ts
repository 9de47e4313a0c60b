import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { NodeHealth } from '../../../src/domain/nodes/node.js';
import { createStores, type Stores } from '../../../src/models/stores.js';
import { reservePlacement } from '../../../src/usecases/servers/reserve-placement.js';
import { aNode } from '../../support/node-fixture.js';
import { testSeal } from '../../support/harness.js';

const at = new Date();
const longAgo = new Date(at.getTime() - 3_600_000);
const healthy: NodeHealth = {
  isReachable: true,
  checkedAt: at,
  lastSeenAt: at,
  unknownInstances: [],
  reason: null,
  problem: null,
};
const troubled = (problem: string): NodeHealth => ({ ...healthy, reason: `words on ${problem}`, problem });
const offline = (problem: string): NodeHealth => ({ ...troubled(problem), isReachable: false });

describe('the place of a server', () => {
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('reserve_placement'), { appName: 'test' });
    stores = createStores(mongo, testSeal);
    await createIndexes(mongo);
  });
  after(() => mongo.close());

  /** A node that no watcher checks, and its only allocation. */
  const nodeWith = async (health: NodeHealth | null) => {
    const nodeId = randomUUID();
    await stores.nodes.create(nodeId, { ...aNode, name: nodeId, tags: [nodeId] }, at);
    if (health) await stores.nodes.setHealth(nodeId, health);
    const allocationId = randomUUID();
    const ports = { ip: '127.0.0.1', alias: '', ports: [25_565] };
    await stores.allocations.createAll({ nodeId, ...ports, batchId: randomUUID(), at, idOf: () => allocationId });
    return { nodeId, allocationId };
  };
  const reserve = async (nodeId: string, allocationId: string | null, hasFiles = false): Promise<object> =>
    reservePlacement(
      stores,
      {
        serverId: randomUUID(),
        resources: { memoryMb: 128, diskMb: 0, cpuPercent: 0 },
        place: allocationId === null ? null : { nodeId, allocationId },
        additionalAllocationIds: [],
        nodeTags: allocationId === null ? [nodeId] : [],
        hasFiles,
      },
      at,
    ).catch((error: object) => error);

  const refused: readonly (readonly [string, NodeHealth | null, string, string])[] = [
    ['was never checked', null, 'never_checked', 'never_checked'],
    ['does not answer', offline('engine_unreachable'), 'engine_unreachable', 'offline'],
    ['has another disk', offline('data_root_foreign'), 'data_root_foreign', 'offline'],
    ['waits for staff after an older dump', offline('data_root_newer'), 'data_root_newer', 'offline'],
    ['has no files service', troubled('files_unreachable'), 'files_unreachable', 'files'],
    [
      'is the machine of another one',
      troubled('machine_of_another_node'),
      'machine_of_another_node',
      'machine_of_another_node',
    ],
    [
      'had no engine long ago',
      { ...offline('engine_unreachable'), checkedAt: longAgo },
      'engine_unreachable',
      'offline',
    ],
    [
      'had no files service long ago',
      { ...troubled('files_unreachable'), checkedAt: longAgo },
      'files_unreachable',
      'files',
    ],
  ];
  for (const [what, health, problem, counted] of refused) {
    it(`places nothing on a node that ${what}, whether it is named or chosen`, async () => {
      const { nodeId, allocationId } = await nodeWith(health);
      const named = await reserve(nodeId, allocationId);
      expect(named).to.deep.include({ reason: 'NODE_NOT_READY', metadata: { node_id: nodeId, problem } });
      const chosen = await reserve(nodeId, null);
      expect(chosen).to.include({ reason: 'NO_NODE_FITS' });
      expect(chosen).to.have.nested.property(`metadata.nodes.${counted}`, 1);
      expect((await stores.nodes.get(nodeId))?.allocated.servers).to.equal(0);
    });
  }

  it('places a server on a node whose last check, long ago, found nothing', async () => {
    const { nodeId, allocationId } = await nodeWith({ ...healthy, checkedAt: longAgo });
    expect(await reserve(nodeId, allocationId)).to.deep.equal({ nodeId, allocationId });
    const other = await nodeWith({ ...healthy, checkedAt: longAgo });
    expect(await reserve(other.nodeId, null)).to.deep.equal(other);
  });

  it('takes the node of its files while that waits for staff, but not while it has no files service', async () => {
    const waiting = await nodeWith(offline('data_root_newer'));
    expect(await reserve(waiting.nodeId, waiting.allocationId, true)).to.deep.equal(waiting);
    const away = await nodeWith(troubled('files_unreachable'));
    expect(await reserve(away.nodeId, away.allocationId, true)).to.include({ reason: 'NODE_NOT_READY' });
  });
});
