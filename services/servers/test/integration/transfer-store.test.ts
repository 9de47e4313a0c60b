import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import type { GameServer } from '../../src/domain/servers/server.js';
import type { OperationLease } from '../../src/models/servers/server-operations.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { aNode } from '../support/node-fixture.js';
import { aServer, withPower } from '../support/server-fixture.js';
import { testSeal } from '../support/harness.js';

const target = '99999999-9999-4999-8999-999999999999';
const allocationIds = ['a0000000-0000-4000-8000-000000000000', 'b0000000-0000-4000-8000-000000000000'];

const place = {
  nodeName: { name: 'the target', revision: 3 },
  allocations: allocationIds.map((id, index) => ({
    backupId: null,
    hasFiles: false,
    id,
    ip: '127.0.0.1',
    alias: '',
    port: 26_000 + index,
    notes: '',
  })),
};
/** The time to live of a lease that has ended. */
const over = -1;
const resources = { memoryMb: 1, diskMb: 0, cpuPercent: 0 };

describe('transfer writes', () => {
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('transfers'), { appName: 'test' });
    stores = createStores(mongo, testSeal);
  });
  after(() => mongo.close());

  const stored = async (server: GameServer = aServer()): Promise<GameServer> => {
    const id = randomUUID();
    const own = { ...server, id, uuidShort: id.slice(0, 8) };
    await stores.servers.create(own);
    return own;
  };
  const begin = async (serverId: string) =>
    stores.servers.transfers.begin(serverId, {
      id: randomUUID(),
      targetNodeId: target,
      owner: 'one',
      ttlMs: 1_000,
      backupId: null,
      hasFiles: false,
    });
  const leaseOf = ({ id, operation }: GameServer): OperationLease => ({
    serverId: id,
    operationId: operation?.id ?? '',
    fence: operation?.fence ?? 0,
  });
  /** A reserved transfer, claimed by two workers in turn. */
  const claimedTwice = async (server?: GameServer) => {
    const { id } = await stored(server);
    const started = await begin(id);
    if (!started) throw new Error('it did not begin');
    await stores.servers.transfers.reserved(leaseOf(started), allocationIds);
    const first = await stores.servers.operations.claim(id, 'one', over);
    const second = await stores.servers.operations.claim(id, 'two', 60_000);
    if (!first || !second) throw new Error('it was not claimed');
    return { id, late: leaseOf(first), lease: leaseOf(second) };
  };

  it('starts one transfer under concurrency', async () => {
    const { id } = await stored();
    const started = await Promise.all(Array.from({ length: 50 }, () => begin(id)));
    expect(started.filter((server) => server !== null)).to.have.length(1);
  });

  it('starts a transfer only without a power lease and with no server data on the target', async () => {
    const lock = { id: randomUUID(), action: 'start' as const, owner: 'x', expiresAt: new Date(Date.now() + 60_000) };
    const locked = await stored(withPower('starting', { lease: lock }));
    expect(await begin(locked.id)).to.equal(null);
    const cleanup = {
      kind: 'source' as const,
      nodeId: target,
      copyId: randomUUID(),
      operationId: randomUUID(),
      generation: 1,
      retryAt: new Date(),
    };
    const haunted = await stored(aServer({ pendingCleanups: [cleanup] }));
    expect(await begin(haunted.id)).to.equal(null);
    await stores.servers.transfers.dropCleanup({ serverId: haunted.id, nodeId: target, copyId: cleanup.copyId });
    expect(await begin(haunted.id)).not.to.equal(null);
  });

  it('switches node and allocations in one update, once', async () => {
    const { id, late, lease } = await claimedTwice();
    const before = await stores.servers.get(id);
    expect(await stores.servers.transfers.moved(late, place), 'a worker that lost its lease').to.equal(null);
    expect(await stores.servers.transfers.advance(late, { step: 'copy', percent: 9, doneBytes: 9 })).to.equal(null);
    const moved = await stores.servers.transfers.moved(lease, place);
    const carried = { nodeName: 'the target', nodeNameRevision: 3, allocations: place.allocations };
    expect(moved).to.deep.include({ nodeId: target, allocationId: allocationIds[0], ...carried, operation: null });
    expect(moved?.status).to.equal('offline');
    expect(moved?.pendingCleanups?.map(({ kind, nodeId }) => [kind, nodeId])).to.deep.equal([
      ['source', before?.nodeId],
    ]);
    expect(moved?.lastTransfer).to.include({
      outcome: 'completed',
      sourceNodeId: before?.nodeId,
      targetNodeId: target,
    });
    expect(await stores.servers.transfers.moved(lease, place), 'the same again').to.equal(null);
    expect(await stores.servers.transfers.end(id, { outcome: 'cancelled' }), 'a late cancellation').to.equal(null);
    expect((await stores.servers.get(id))?.pendingCleanups).to.have.length(1);
  });

  it('refuses to switch a server whose game is running', async () => {
    for (const state of ['starting', 'running', 'stopping'] as const) {
      const { lease } = await claimedTwice(withPower(state));
      expect(await stores.servers.transfers.moved(lease, place), state).to.equal(null);
    }
  });

  it('ends the transfer in one update, with or without a lease', async () => {
    const { id, late, lease } = await claimedTwice();
    const failure = { outcome: 'failed', error: '$nodeId is no path' } as const;
    expect(await stores.servers.transfers.end(id, failure, late)).to.equal(null);
    const ended = await stores.servers.transfers.end(id, failure, lease);
    expect(ended).to.include({ nodeId: aServer().nodeId, operation: null, status: 'offline' });
    expect(ended?.lastTransfer).to.include({ outcome: 'failed', error: '$nodeId is no path' });
    expect(ended?.pendingCleanups?.map(({ kind, nodeId }) => [kind, nodeId])).to.deep.equal([['target', target]]);
    expect(await stores.servers.transfers.moved(lease, place), 'a late switch').to.equal(null);
    expect(await stores.servers.transfers.copyAnew(lease, randomUUID())).to.equal(null);
  });

  it('records the pending cleanup of a deletion during a transfer once', async () => {
    const { id, lease } = await claimedTwice();
    const operation = { id: randomUUID(), kind: 'deleting' as const, step: 'waiting', options: {} };
    const deleting = await stores.servers.updates.beginDelete(id, operation);
    expect(deleting?.operation).to.include({ kind: 'deleting', transfer: null });
    expect(deleting?.pendingCleanups?.map(({ kind, nodeId }) => [kind, nodeId])).to.deep.equal([['target', target]]);
    expect(await stores.servers.updates.forceDelete(id))
      .to.have.property('pendingCleanups')
      .with.length(1);
    expect(await stores.servers.transfers.moved(lease, place)).to.equal(null);
  });

  it('assigns a cleanup to one worker and again after its lease expired', async () => {
    const { id, lease } = await claimedTwice();
    await stores.servers.transfers.moved(lease, place);
    const [cleanup] = (await stores.servers.get(id))?.pendingCleanups ?? [];
    const key = { serverId: id, nodeId: cleanup?.nodeId ?? '', copyId: cleanup?.copyId ?? '' };
    const { transfers } = stores.servers;
    const due = async (nodeId: string) =>
      (await transfers.withPendingCleanups([nodeId], 100)).map((server) => server.id);
    await waitUntil('the cleanup to be due', async () => (await due(target)).includes(id));
    const claims = await Promise.all(Array.from({ length: 20 }, () => transfers.claimCleanup(key, 60_000)));
    expect(claims.filter(Boolean)).to.have.length(1);
    expect(await due(target)).not.to.include(id);
    expect(await transfers.postponeCleanup(key, over)).to.equal(true);
    expect(await due(target)).to.include(id);
    expect(await due(key.nodeId), 'by the node it is on').not.to.include(id);
    await transfers.dropCleanup(key);
    expect(await transfers.postponeCleanup(key, 0)).to.equal(false);
    expect(await transfers.claimCleanup(key, 0)).to.equal(false);
  });

  describe('transfer slots of a node', () => {
    const at = new Date();
    const nodeWith = async (count: number) => {
      const id = randomUUID();
      await stores.nodes.create(id, { ...aNode, name: id }, at);
      const serverIds = Array.from({ length: count }, () => randomUUID());
      for (const serverId of serverIds) await stores.nodes.reserve(id, serverId, resources, at);
      return { id, serverIds };
    };

    it('admits the configured number of 50 concurrent transfers', async () => {
      const { id, serverIds } = await nodeWith(50);
      const slot = { max: 3, ttlMs: 60_000 };
      const results = await Promise.all(serverIds.map((serverId) => stores.nodes.acquireSlot(id, serverId, slot)));
      expect(results.filter((isDelivered) => isDelivered)).to.have.length(3);
      const winners = serverIds.filter((_, i) => results[i]);
      for (const serverId of winners) expect(await stores.nodes.acquireSlot(id, serverId, slot)).to.equal(true);
      const [loser = ''] = serverIds.filter((_, i) => !results[i]);
      await stores.nodes.releaseSlot(id, winners[0] ?? '');
      expect(await stores.nodes.acquireSlot(id, loser, slot)).to.equal(true);
      expect(await stores.nodes.acquireSlot(id, winners[0] ?? '', slot)).to.equal(false);
    });

    it('ignores expired slots and deleted servers', async () => {
      const { id, serverIds } = await nodeWith(3);
      const [one = '', two = '', three = ''] = serverIds;
      expect(await stores.nodes.acquireSlot(id, one, { max: 1, ttlMs: over })).to.equal(true);
      expect(await stores.nodes.acquireSlot(id, two, { max: 1, ttlMs: 60_000 })).to.equal(true);
      expect(await stores.nodes.acquireSlot(id, three, { max: 1, ttlMs: 60_000 })).to.equal(false);
      await stores.nodes.release(id, two);
      expect(await stores.nodes.acquireSlot(id, three, { max: 1, ttlMs: 60_000 })).to.equal(true);
      expect((await stores.nodes.get(id))?.allocated).to.deep.include({ servers: 2, memoryMb: 2 });
    });
  });
});
