import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection } from '@panel/kit/mongo';
import { createMetrics, type Metrics } from '@panel/kit/process';
import { testMongoUrl } from '@panel/testing';
import { testCa } from '@panel/testing/engine';
import { expect } from 'chai';
import type { NodeHealth } from '../../src/domain/nodes/node.js';
import type { GameServer } from '../../src/domain/servers/server.js';
import { FleetMetrics } from '../../src/metrics/fleet-metrics.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { testSeal } from '../support/harness.js';
import { aNode } from '../support/node-fixture.js';
import { anOperation, aServer, withPower } from '../support/server-fixture.js';

interface Replica {
  readonly metrics: Metrics;
  readonly stores: Stores;
  measure(): Promise<void>;
}

const checkedAt = new Date();
const health: NodeHealth = { isReachable: true, checkedAt, lastSeenAt: checkedAt, unknownInstances: [], reason: null };

describe('metrics of nodes and servers', function () {
  this.timeout(180_000);
  let mongo: MongoConnection;
  let url: string;
  const connections: MongoConnection[] = [];
  const nodeIds = {
    online: randomUUID(),
    dead: randomUUID(),
    fileless: randomUUID(),
    unmounted: randomUUID(),
    unwatched: randomUUID(),
  };

  const startReplica = async (): Promise<Replica> => {
    const connection = await connectMongo(url, { appName: 'test' });
    connections.push(connection);
    const metrics = createMetrics('servers');
    const fleet = new FleetMetrics(metrics);
    const stores = createStores(connection, testSeal, { onServerChange: (server) => fleet.observe(server) });
    const job = fleet.createJob({ ...stores, clock: () => checkedAt });
    return { metrics, stores, measure: async () => void (await job.run(new AbortController().signal)) };
  };
  /** By labels without `service`. */
  const valuesOf = async ({ metrics }: Replica, name: string): Promise<Record<string, number>> => {
    const found = (await metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
    return Object.fromEntries(
      found.map(({ labels, value }) => {
        const named = Object.entries(labels).filter(([label]) => !['service', 'node_id'].includes(label));
        return [named.map(([, text]) => text).join(' '), value];
      }),
    );
  };
  const add = async ({ stores }: Replica, server: GameServer) => {
    const id = randomUUID();
    await stores.servers.create({ ...server, id, uuidShort: id.slice(0, 8) });
    return id;
  };

  before(async () => {
    url = testMongoUrl('fleet_metrics');
    mongo = await connectMongo(url, { appName: 'test' });
    createStores(mongo, testSeal);
    await createIndexes(mongo);
  });
  after(async () => {
    for (const connection of connections) await connection.close().catch(() => undefined);
    await mongo.close();
  });

  it('shows each node with its engine, clocks and certificates, the same on every replica', async () => {
    const one = await startReplica();
    const { nodes } = one.stores;
    const engine = { ...aNode.engine, tlsCa: testCa };
    for (const [name, id] of Object.entries(nodeIds)) await nodes.create(id, { ...aNode, name, engine }, checkedAt);
    await nodes.setHealth(nodeIds.online, { ...health, filesClockMs: -7_500, engineClockMs: 0 });
    const dead = { ...health, isReachable: false, reason: 'gone', problem: 'engine_unreachable' };
    await nodes.setHealth(nodeIds.dead, dead);
    await nodes.setHealth(nodeIds.unmounted, { ...dead, problem: 'data_root_foreign' });
    await nodes.setHealth(nodeIds.fileless, { ...health, reason: 'no files', problem: 'files_unreachable' });
    const two = await startReplica();
    for (const replica of [one, two]) {
      await replica.measure();
      expect(await valuesOf(replica, 'servers_node_engine_up')).to.deep.equal({
        online: 1,
        dead: 0,
        fileless: 1,
        unmounted: 1,
      });
      expect(await valuesOf(replica, 'servers_node_files_up')).to.deep.equal({ online: 1, fileless: 0 });
      expect(await valuesOf(replica, 'servers_node_status')).to.include({
        'online online': 1,
        'online offline': 0,
        'dead offline': 1,
        'dead online': 0,
        'unmounted offline': 1,
        'unwatched unknown': 1,
      });
      expect(await valuesOf(replica, 'servers_node_clock_offset_seconds')).to.deep.equal({
        'online files': -7.5,
        'online engine': 0,
      });
      const ends = await valuesOf(replica, 'servers_node_certificate_end_timestamp_seconds');
      expect(ends['dead tls_ca']).to.be.greaterThan(Date.now() / 1_000);
    }
  });

  it('forgets a node that is deleted', async () => {
    const replica = await startReplica();
    await replica.measure();
    await replica.stores.nodes.delete(nodeIds.unwatched);
    await replica.measure();
    expect(await valuesOf(replica, 'servers_node_status')).not.to.have.property('unwatched unknown');
  });

  it('counts servers by status, from an index alone', async () => {
    const replica = await startReplica();
    await add(replica, withPower('running'));
    await add(replica, withPower('running'));
    await add(replica, aServer());
    await replica.measure();
    const counts = await valuesOf(replica, 'servers');
    expect(counts).to.include({ running: 2, offline: 1, install_failed: 0, suspended: 0 });
    const plan = await mongo
      .collection('servers')
      .aggregate([{ $match: { status: { $gt: '' } } }, { $group: { _id: '$status', count: { $sum: 1 } } }], {
        hint: 'server_status',
      })
      .explain();
    expect(JSON.stringify(plan)).to.include('server_status').and.not.to.include('"FETCH"');
  });

  it('counts an operation once, in the process that ended it', async () => {
    const [worker, other] = [await startReplica(), await startReplica()];
    const operation = anOperation('installing');
    const id = await add(worker, aServer({ operation, status: 'installing' }));
    const lease = { serverId: id, operationId: operation.id, fence: 1 };
    const failed = { state: 'failed', error: 'no', exitCode: 1, at: checkedAt } as const;
    await worker.stores.servers.operations.progress(lease, 'run_script', 40);
    await worker.stores.servers.operations.finishInstall(lease, failed, false);
    await worker.stores.servers.updates.setSuspended(id, true);
    const before = await valuesOf(other, 'servers_operations_ended_total');
    expect(before['installing failed']).to.equal(0);
    const counts = await valuesOf(worker, 'servers_operations_ended_total');
    expect(counts).to.include({ 'installing failed': 1, 'installing completed': 0, 'transferring failed': 0 });
  });

  it('shows nothing of a database that does not answer', async () => {
    const replica = await startReplica();
    await replica.measure();
    await connections.at(-1)?.close();
    const error = await replica.measure().catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(Error);
    for (const name of ['servers', 'servers_node_status', 'servers_node_engine_up', 'servers_node_files_up'])
      expect(await valuesOf(replica, name)).to.deep.equal({});
  });
});
