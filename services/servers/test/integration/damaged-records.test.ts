import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { ListServersRequest, ListServersRequest_Scope, Server, Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import { createStores } from '../../src/models/stores.js';
import { testSeal } from '../support/harness.js';
import { createSchedule } from '../support/schedules.js';
import { createFixture, emptyNode, type Fixture } from '../support/fixture.js';

/** Fields of list filters and sorts; all others can be lost. */
const retained = new Set(['_id', 'userId', 'viewerIds', 'createdAt', 'nodeId', 'ip', 'port', 'isVisible', 'status']);

describe('damaged record', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let mongo: MongoConnection;

  before(async () => {
    fixture = await createFixture();
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
  });
  after(async () => {
    await mongo.close();
    await fixture.stop();
  });
  const repairs: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const repair of repairs.splice(0)) await repair();
  });

  /** Removes all other fields; returns the repair, which also runs at the end. */
  const damage = async (name: string, id: string): Promise<() => Promise<unknown>> => {
    const collection = mongo.collection<Record<string, unknown> & { _id: string }>(name);
    const whole = await collection.findOne({ _id: id });
    if (!whole) throw new Error(`no ${id} in ${name}`);
    const lost = Object.keys(whole).filter((field) => !retained.has(field));
    await collection.updateOne({ _id: id }, { $unset: Object.fromEntries(lost.map((field) => [field, ''])) });
    const repair = async () => collection.replaceOne({ _id: id }, whole);
    repairs.push(repair);
    return repair;
  };
  const page = { page: 1, perPage: 100, sort: [], search: '' };

  it('shows a damaged server to staff and hides it from its owner, in lists with all other servers', async () => {
    const [good, bad] = [
      await fixture.installed({ skipScripts: true }),
      await fixture.installed({ skipScripts: true }),
    ];
    const repair = await damage('servers', bad.id);
    const scope = ListServersRequest_Scope.ALL;
    for (const sharesVariables of [false, true]) {
      const request = ListServersRequest.create({ scope, page, sharesVariables });
      const { servers, listed } = await fixture.admin.servers.listServers(request);
      const all = sharesVariables ? listed.map(({ server }) => Server.decode(server)) : servers;
      expect(all.map(({ id }) => id)).to.include.members([good.id, bad.id]);
      const shown = all.find(({ id }) => id === bad.id);
      expect(shown?.status).to.equal(Server_Status.UNKNOWN);
      expect(shown?.description).to.contain('damaged');
      const own = await fixture.owner.servers.listServers({ ...request, scope: ListServersRequest_Scope.OWN });
      const owned = sharesVariables ? own.listed.map(({ server }) => Server.decode(server)) : own.servers;
      expect(owned.map(({ id }) => id)).to.include(good.id);
      expect(owned.map(({ id }) => id)).not.to.include(bad.id);
    }
    await repair();
    const after = await fixture.admin.servers.listServers(
      ListServersRequest.create({ scope: ListServersRequest_Scope.ALL, page }),
    );
    expect(after.servers.find(({ id }) => id === bad.id)?.name).to.equal(bad.name);
  });

  it('reads the states of all other servers beside a damaged one', async () => {
    const [good, bad] = [
      await fixture.installed({ skipScripts: true }),
      await fixture.installed({ skipScripts: true }),
    ];
    await damage('servers', bad.id);
    const { servers } = createStores(mongo, testSeal);
    expect((await servers.states([good.id, bad.id])).map(({ id }) => id)).to.deep.equal([good.id]);
    expect((await servers.statesOfNode(fixture.nodeId)).map(({ id }) => id)).to.include(good.id);
  });

  it('lists all other nodes beside a damaged one', async () => {
    const { node } = await fixture.admin.nodes.createNode({ ...emptyNode, name: `soon damaged ${randomUUID()}` });
    await damage('nodes', node?.id ?? '');
    const { nodes } = await fixture.admin.nodes.listNodes({ page });
    expect(nodes.map(({ id }) => id)).to.include(fixture.nodeId);
  });

  it('lists all other records beside a damaged nest, allocation, schedule, database, database host or registry', async () => {
    const { id: serverId } = await fixture.installed({ skipScripts: true });
    const { nodeId } = fixture;
    const nest = (await fixture.admin.nests.listNests({ page })).nests[0]?.id ?? '';
    const schedule = await createSchedule(fixture.admin, serverId);
    const login = { host: 'ghcr.io', eggId: '', username: 'ada', password: 'secret' };
    const { registry } = await fixture.admin.registries.createRegistry(login);
    const at = new Date();
    const lists: [string, object, () => Promise<readonly { readonly id: string }[]>, string][] = [
      ['nests', {}, async () => (await fixture.admin.nests.listNests({ page })).nests, nest],
      [
        'allocations',
        { nodeId, isVisible: true, ip: '127.0.0.9', port: 1 },
        async () => (await fixture.admin.allocations.listAllocations({ nodeId, page })).allocations,
        fixture.allocationIds[0] ?? '',
      ],
      [
        'schedules',
        { serverId, slot: 1_000 },
        async () => (await fixture.owner.schedules.listSchedules({ serverId })).schedules,
        schedule.id,
      ],
      [
        'databases',
        { serverId },
        async () => (await fixture.owner.databases.listDatabases({ serverId })).databases,
        '',
      ],
      [
        'database_hosts',
        { reservations: [] },
        async () => (await fixture.admin.databaseHosts.listDatabaseHosts({ page, nodeId: '' })).hosts,
        '',
      ],
      [
        'registries',
        { slot: 1_000 },
        async () => (await fixture.admin.registries.listRegistries({ page })).registries,
        registry?.id ?? '',
      ],
    ];
    for (const [name, found, list, good] of lists) {
      const rows = mongo.collection<{ _id: string }>(name);
      const damaged = { _id: randomUUID(), createdAt: at, ...found };
      await rows.insertOne(damaged);
      const ids = (await list()).map(({ id }) => id);
      if (good !== '') expect(ids, name).to.include(good);
      await rows.deleteOne({ _id: damaged._id });
    }
  });

  it('lists all other eggs beside a damaged one', async () => {
    const { eggs } = await fixture.admin.eggs.listEggs({ nestId: '', page });
    await damage('eggs', fixture.eggId);
    const { eggs: rest } = await fixture.admin.eggs.listEggs({ nestId: '', page });
    expect(rest.length).to.be.within(eggs.length - 1, eggs.length);
  });
});
