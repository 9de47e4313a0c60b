import { randomUUID } from 'node:crypto';
import { connectMongo, createIndexes, type MongoConnection, parsePage } from '@panel/kit/mongo';
import { testMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { viewerNameGrams } from '../../src/models/migrations/0003-viewer-name-grams.js';
import { trigramsOf } from '../../src/models/servers/name-search.js';
import { sortIndexes } from '../../src/models/servers/server-schema.js';
import type { ServerFilters } from '../../src/models/servers/server-list.js';
import { viewerNameGramsFor } from '../../src/models/servers/viewer-name-grams.js';
import { createStores, type Stores } from '../../src/models/stores.js';
import { sortable } from '../../src/handlers/server/read-request.js';
import { aServer } from '../support/server-fixture.js';
import { testSeal } from '../support/harness.js';

const owners = [randomUUID(), randomUUID()] as const;
const statuses = ['offline', 'running', 'suspended'] as const;
const all = 3_000;
const firstPage = parsePage(undefined, sortable);

describe('lists of thousands of servers', function () {
  this.timeout(180_000);
  let mongo: MongoConnection;
  let stores: Stores;
  before(async () => {
    mongo = await connectMongo(testMongoUrl('server_lists'), { appName: 'test' });
    stores = createStores(mongo, testSeal);
    await createIndexes(mongo);
    await stores.servers.create(aServer({ id: randomUUID(), uuidShort: 'template', name: 'bulk 1' }));
    const rows = mongo.collection<{ _id: string }>('servers');
    const template = await rows.findOne({}, { projection: { viewerNameGrams: 0 } });
    const ids = Array.from({ length: all }, () => randomUUID());
    const row = (id: string, index: number) => ({
      ...template,
      _id: id,
      uuidShort: `${index}`,
      ...named(index),
      ...viewersOf(index),
      status: statuses[index % 3],
      externalId: null,
    });
    await rows.insertMany(ids.map(row));
    await rows.deleteOne({ uuidShort: 'template' });
    await viewerNameGrams.run(mongo, new AbortController().signal);
  });
  after(() => mongo.close());

  const names = Object.keys(sortable);
  for (const first of names) {
    it(`sorts servers by ${first} and further fields, for all and for one owner, with and without filters`, async () => {
      const [ownerId] = owners;
      for (const [sort, searches] of [
        [[first], ['', 'u', 'bulk', 'ULK 77', 'none']],
        [
          [`-${first}`, 'memory', 'name'],
          ['', 'bulk'],
        ],
      ] as const) {
        for (const userId of [null, ownerId]) {
          for (const status of [null, 'running'] as const) {
            for (const search of searches) {
              const query = parsePage({ page: 3, perPage: 20, sort, search }, sortable);
              const { servers, total } = await stores.servers.list({ userId, status }, query);
              const expected = countOf(userId, status, search.toLowerCase());
              const label = JSON.stringify({ sort, userId, status, search });
              expect(total, label).to.equal(expected);
              expect(servers.length, label).to.equal(Math.max(0, Math.min(20, expected - 40)));
            }
          }
        }
      }
    });
  }

  it('lists only the servers of an owner, a node, an egg or an external id, with every other filter', async () => {
    const [one] = (await stores.servers.list({ userId: null, status: null }, firstPage)).servers;
    const { nodeId = '', eggId = '' } = one ?? {};
    const totalOf = async (filters: Omit<ServerFilters, 'userId' | 'status'> & Partial<ServerFilters>, search = '') => {
      const query = parsePage({ page: 1, perPage: 100, sort: ['-memory', 'name'], search }, sortable);
      return (await stores.servers.list({ userId: null, status: null, ...filters }, query)).total;
    };
    for (const only of [{ nodeId }, { eggId }, { nodeId, eggId }]) {
      expect(await totalOf({ only }), JSON.stringify(only)).to.equal(all);
      expect(await totalOf({ only, status: 'running' })).to.equal(countOf(null, 'running', ''));
      expect(await totalOf({ only }, 'ULK 77')).to.equal(countOf(null, null, 'ulk 77'));
    }
    const [ownerId] = owners;
    const owned = await mongo.collection('servers').countDocuments({ userId: ownerId });
    expect(owned).to.be.within(1, all - 1);
    expect(await totalOf({ only: { ownerId } })).to.equal(owned);
    expect(await totalOf({ only: { ownerId, nodeId, eggId } })).to.equal(owned);
    const elsewhere = randomUUID();
    for (const only of [{ ownerId: elsewhere }, { nodeId: elsewhere }, { eggId: elsewhere }, { externalId: 'x' }]) {
      expect(await totalOf({ only }), JSON.stringify(only)).to.equal(0);
    }
    const unreachableNodes = [nodeId];
    const reported = await totalOf({ only: { nodeId }, status: 'unknown', unreachableNodes });
    expect(reported).to.equal(countOf(null, 'running', ''));
    expect(await totalOf({ only: { nodeId: elsewhere }, status: 'unknown', unreachableNodes })).to.equal(0);
    await mongo.collection('servers').updateOne({ uuidShort: '7' }, { $set: { externalId: 'x' } });
    expect(await totalOf({ only: { externalId: 'x' } })).to.equal(1);
    await mongo.collection('servers').updateOne({ uuidShort: '7' }, { $set: { externalId: null } });
  });

  it('reads owned and shared servers in order from one index', async () => {
    for (const [sort, field] of Object.entries(sortable)) {
      const index = Object.entries(sortIndexes).find(([, indexed]) => indexed === field)?.[0];
      const plan = await mongo.db?.command({
        explain: {
          find: 'servers',
          filter: { viewerIds: owners[0] },
          sort: { [field]: -1, _id: -1 },
          hint: `server_viewer_${index}`,
          limit: 25,
        },
        verbosity: 'executionStats',
      });
      expect(JSON.stringify(plan?.['queryPlanner']), sort).not.to.include('"SORT"');
      expect(plan?.['executionStats'].totalDocsExamined, sort).to.equal(25);
    }
  });

  it('finds a part of a name among those of a user without reading the others', async () => {
    const [userId] = owners;
    const query = parsePage({ page: 1, perPage: 25, sort: [], search: 'ulk 77' }, sortable);
    const { servers, total } = await stores.servers.list({ userId, status: null }, query);
    expect(servers.length).to.equal(total);
    const plan = await mongo.db?.command({
      explain: {
        find: 'servers',
        filter: { viewerIds: userId, viewerNameGrams: { $in: viewerNameGramsFor(userId, 'ulk 77') } },
        sort: { createdAt: -1, _id: -1 },
        hint: 'server_viewer_name_grams',
        limit: 25,
      },
      verbosity: 'executionStats',
    });
    expect(JSON.stringify(plan?.['queryPlanner'])).not.to.include('"SORT"');
    expect(plan?.['executionStats'].totalDocsExamined).to.be.within(total, 3 * total);
  });

  it('shows running only where the engine answers and unknown elsewhere', async () => {
    const rows = mongo.collection<{ _id: string }>('servers');
    const there = randomUUID();
    const some = await rows.find({ status: 'running' }).limit(10).toArray();
    await rows.updateMany({ _id: { $in: some.map(({ _id }) => _id) } }, { $set: { nodeId: there } });
    for (const sort of [[], ['-memory', 'name']]) {
      const query = parsePage({ page: 1, perPage: 5, sort, search: '' }, sortable);
      const count = async (
        status: 'running' | 'unknown' | 'offline',
        userId: string | null,
        unreachableNodes: string[],
      ) => (await stores.servers.list({ userId, status, unreachableNodes }, query)).total;
      expect(await count('running', null, [there])).to.equal(990);
      expect(await count('unknown', null, [there])).to.equal(10);
      expect(await count('unknown', owners[0], [there])).to.equal(10);
      expect(await count('unknown', owners[1], [there])).to.equal(0);
      expect(await count('unknown', null, [])).to.equal(0);
      expect(await count('offline', null, [there])).to.equal(1000);
    }
  });

  it('sorts thousands of allocations and finds a free one', async () => {
    const nodeId = randomUUID();
    const batch = { nodeId, alias: '', at: new Date(), idOf: () => randomUUID() };
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) {
      const ports = Array.from({ length: 1000 }, (_, index) => 20_000 + index);
      await stores.allocations.createAll({ ...batch, ip, ports, batchId: randomUUID() });
    }
    const rows = mongo.collection('allocations');
    await rows.updateMany({ nodeId, port: { $lt: 20_500 } }, { $set: { serverId: 'somebody' } });
    const fields = { created_at: 'createdAt', port: 'port', ip: 'ip' };
    for (const first of Object.keys(fields)) {
      for (const sort of [[first], [`-${first}`], ['-ip', first], [first, '-port', '-ip']]) {
        const query = parsePage({ page: 1, perPage: 5, sort, search: '' }, fields);
        expect((await stores.allocations.list(nodeId, query)).total).to.equal(4000);
      }
    }
    const taken = await stores.allocations.takeAny(nodeId, randomUUID(), new Date());
    expect(taken?.port).to.equal(20_500);
    const there = await stores.allocations.takeAny(nodeId, randomUUID(), new Date(), '192.0.2.4');
    expect(there).to.include({ ip: '192.0.2.4', port: 20_500 });
  });

  /** Every second server of a user is shared by another user. */
  function viewersOf(index: number) {
    const viewer = owners[index % 3 === 0 ? 1 : 0];
    const userId = index % 2 === 0 ? viewer : randomUUID();
    return { userId, viewerIds: userId === viewer ? [userId] : [userId, viewer] };
  }

  function named(index: number) {
    const name = `bulk ${index}`;
    return { name, nameKey: name, nameTrigrams: trigramsOf(name) };
  }

  function countOf(userId: string | null, status: string | null, search: string): number {
    return Array.from({ length: all }, (_, index) => index).filter(
      (index) =>
        named(index).nameKey.includes(search) &&
        (userId === null || owners[index % 3 === 0 ? 1 : 0] === userId) &&
        (status === null || statuses[index % 3] === status),
    ).length;
  }
});
