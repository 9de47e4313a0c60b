import { randomUUID } from 'node:crypto';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { CreateServerRequest, ListServersRequest, type Server } from '@panel/protos/servers';
import { createStores } from '../../src/models/stores.js';
import { sweepReservations } from '../../src/nodes/sweep-reservations.js';
import { createAttempts } from '../support/attempts.js';
import { newUser } from '../support/fake-services.js';
import { userActor, testSeal } from '../support/harness.js';
import { createFixture, emptyNode, fieldsOf, reasonOf, type Fixture } from '../support/fixture.js';

describe('CreateServer', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture({ ports: ['20000-20199'], memoryMb: 1_000_000 });
  });
  after(() => fixture.stop());

  const newNode = async (changes: object = {}, ports: string[] = []) => {
    const { admin, harness } = fixture;
    const { node } = await admin.nodes.createNode({ ...emptyNode, name: randomUUID(), ...changes });
    const nodeId = node?.id ?? '';
    harness.processNodes.push(nodeId);
    const made = ports.length
      ? await admin.allocations.createAllocations({ nodeId, ip: '127.0.0.1', alias: '', ports })
      : null;
    return { nodeId, allocationIds: (made?.allocations ?? []).map(({ id }) => id) };
  };
  const allocated = async (nodeId: string) => (await fixture.admin.nodes.getNode({ nodeId })).node?.allocated;
  const assigned = async (nodeId: string) => {
    const { allocations } = await fixture.admin.allocations.listAllocations({
      nodeId,
      page: { page: 1, perPage: 100, sort: [], search: '' },
    });
    return allocations.filter(({ serverId }) => serverId !== '').map(({ serverId }) => serverId);
  };
  /** With time for many at once on a busy machine. */
  const attempt = (changes: Parameters<Fixture['createServer']>[0]) =>
    fixture.admin.servers.createServer(fixture.request({ skipScripts: true, ...changes }), { timeoutMs: 60_000 }).then(
      ({ server }): Server | string => server ?? 'no server in the answer',
      (error: { reason: string }): Server | string => error.reason,
    );

  it('lists own servers for the owner and all servers for staff', async () => {
    const server = await fixture.createServer({ externalId: `ext ${randomUUID()}`, skipScripts: true });
    expect(server).to.include({ name: 'a game', userId: fixture.ownerId, isOwner: false });
    expect(server.externalId).not.to.equal('');
    const { server: own } = await fixture.owner.servers.getServer({ serverId: server.id, asStaff: false });
    expect(own).to.include({ externalId: '', isOwner: true, uuidShort: server.id.slice(0, 8) });
    expect(own?.permissions).to.deep.equal(['*']);
    expect(await reasonOf(fixture.owner.servers.getServer({ serverId: server.id, asStaff: true }))).to.equal(
      'PERMISSION_MISSING',
    );
  });

  const bad: readonly (readonly [string, object, string[]])[] = [
    ['little memory', { limits: { memoryMb: 127, swapMb: 0, diskMb: 0, ioWeight: 500, cpuPercent: 0 } }, ['memory']],
    [
      'impossible limits',
      { limits: { memoryMb: 128, swapMb: -2, diskMb: -1, ioWeight: 5, cpuPercent: -1 } },
      ['cpu', 'disk', 'io', 'swap'],
    ],
    ['negative feature limits', { featureLimits: { databases: -1, backups: 0, allocations: 0 } }, ['databases_limit']],
    ['no name', { name: ' ' }, ['name']],
    ['an unknown user', { userId: randomUUID() }, ['user_id']],
    ['an unknown egg', { eggId: randomUUID() }, ['egg_id']],
    ['a node without an allocation', { nodeId: randomUUID() }, ['allocation_id']],
    ['an allocation without a node', { allocationId: randomUUID() }, ['node_id']],
    ['an image that is none', { dockerImage: '--privileged' }, ['docker_image']],
    ['an unknown variable', { environment: { NOPE: '1' } }, ['environment.NOPE']],
    ['a value against its rules', { environment: { GREETING: 'x'.repeat(21) } }, ['environment.GREETING']],
    ['a value with a line break', { environment: { GREETING: 'a\nb' } }, ['environment.GREETING']],
  ];
  for (const [name, changes, fields] of bad) {
    it(`refuses ${name} and names ${fields.join(', ')}`, async () => {
      expect(await fieldsOf(fixture.createServer(changes))).to.deep.equal(fields);
    });
  }

  it('requires servers.create', async () => {
    expect(await reasonOf(fixture.owner.servers.createServer(CreateServerRequest.create({})))).to.equal(
      'PERMISSION_MISSING',
    );
  });

  it('assigns one allocation to exactly one of 50 concurrent requests', async () => {
    const { nodeId, allocationIds } = await newNode({}, ['21000']);
    const [allocationId = ''] = allocationIds;
    const results = await Promise.all(Array.from({ length: 50 }, () => attempt({ nodeId, allocationId })));
    const made = results.filter((result) => typeof result !== 'string');
    expect(made).to.have.length(1);
    expect(new Set(results.filter((result) => typeof result === 'string'))).to.deep.equal(
      new Set(['ALLOCATION_TAKEN']),
    );
    expect(await allocated(nodeId)).to.include({ memoryMb: 128, servers: 1 });
    expect(await assigned(nodeId)).to.deep.equal(made.map(({ id }) => id));
  });

  it('fills a node exactly to its capacity under 50 concurrent requests', async () => {
    const { nodeId, allocationIds } = await newNode({ memoryMb: 1000, memoryOverallocatePercent: 30 }, ['22000-22049']);
    const results = await Promise.all(allocationIds.map((allocationId) => attempt({ nodeId, allocationId })));
    expect(results.filter((result) => typeof result !== 'string')).to.have.length(10);
    expect(results.filter((result) => result === 'NODE_CAPACITY')).to.have.length(40);
    expect(await allocated(nodeId)).to.include({ memoryMb: 1280, servers: 10 });
    expect(await assigned(nodeId)).to.have.length(10);
  });

  it('counts disk and cpu and ignores resources without a limit', async () => {
    const limits = (diskMb: number, cpuPercent: number) => ({
      memoryMb: 128,
      swapMb: 0,
      diskMb,
      ioWeight: 500,
      cpuPercent,
    });
    const small = await newNode({ diskMb: 100, cpuPercent: 100, memoryOverallocatePercent: -1, memoryMb: 1 }, [
      '23000-23009',
    ]);
    const at = (index: number, disk: number, cpu: number) =>
      attempt({ nodeId: small.nodeId, allocationId: small.allocationIds[index], limits: limits(disk, cpu) });
    expect(await at(0, 101, 0)).to.equal('NODE_CAPACITY');
    expect(await at(0, 0, 101)).to.equal('NODE_CAPACITY');
    expect(await at(0, 100, 100)).to.be.an('object');
    expect(await at(1, 0, 0)).to.be.an('object');
    expect(await at(2, 1, 0)).to.equal('NODE_CAPACITY');
  });

  it('releases every reservation when an additional allocation is taken', async () => {
    const { nodeId, allocationIds } = await newNode({}, ['24000-24003']);
    const [first = '', second = '', third = '', fourth = ''] = allocationIds;
    expect(await attempt({ nodeId, allocationId: first })).to.be.an('object');
    const refused = attempt({ nodeId, allocationId: second, additionalAllocationIds: [third, first] });
    expect(await refused).to.equal('ALLOCATION_TAKEN');
    expect(await allocated(nodeId)).to.include({ servers: 1 });
    const whole = await attempt({ nodeId, allocationId: second, additionalAllocationIds: [third, fourth] });
    expect(typeof whole !== 'string' && whole.allocations.map(({ port }) => port)).to.deep.equal([24001, 24002, 24003]);
    const unknown = fixture.createServer({ nodeId, allocationId: randomUUID() });
    expect(await fieldsOf(unknown)).to.deep.equal(['allocation_id']);
    const { allocationIds: elsewhere } = await newNode({}, ['24000']);
    const additional = fixture.createServer({ nodeId, allocationId: fourth, additionalAllocationIds: elsewhere });
    expect(await reasonOf(additional)).to.equal('ALLOCATION_TAKEN');
    const { nodeId: other, allocationIds: its } = await newNode({}, ['24000']);
    const [own] = its;
    const mixed = fixture.createServer({ nodeId: other, allocationId: own, additionalAllocationIds: elsewhere });
    expect(await fieldsOf(mixed)).to.deep.equal(['additional_allocation_ids']);
    expect(await assigned(other)).to.deep.equal([]);
    expect(await allocated(other)).to.include({ servers: 0 });
    const nowhere = fixture.createServer({ nodeId: randomUUID(), allocationId: own });
    expect(await fieldsOf(nowhere)).to.deep.equal(['node_id']);
  });

  it('refuses a node in maintenance', async () => {
    const { nodeId, allocationIds } = await newNode({ maintenanceMode: true }, ['25000']);
    expect(await attempt({ nodeId, allocationId: allocationIds[0] })).to.equal('NODE_MAINTENANCE');
    expect(await assigned(nodeId)).to.deep.equal([]);
  });

  it('places a server on the node with most free memory among the requested tags', async () => {
    const tag = `t${randomUUID()}`;
    const small = await newNode({ memoryMb: 300, tags: [tag] }, ['26000-26009']);
    const large = await newNode({ memoryMb: 400, tags: [tag, 'eu'] }, ['26100-26109']);
    await newNode({ memoryMb: 900_000, tags: [tag] });
    await newNode({ memoryMb: 900_000, tags: [tag], maintenanceMode: true }, ['26200']);
    const placed = [];
    for (let count = 0; count < 6; count++) {
      const result = await attempt({ nodeTags: [tag] });
      placed.push(typeof result === 'string' ? result : result.node?.id);
    }
    const names = { [small.nodeId]: 'small', [large.nodeId]: 'large', NO_NODE_FITS: 'none' };
    expect(placed.map((id) => names[id ?? ''])).to.deep.equal(['large', 'small', 'large', 'small', 'large', 'none']);
    expect(await attempt({ nodeTags: [tag, 'us'] })).to.equal('NO_NODE_FITS');
  });

  it('places no server on an offline node and reports why no node fits', async () => {
    const tag = `t${randomUUID()}`;
    const dead = await newNode({ memoryMb: 900_000, tags: [tag] }, ['26300-26309']);
    const unwatched = await newNode({ memoryMb: 1_000, tags: [tag] }, ['26300-26301']);
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    try {
      // In the future: the watcher must not replace it.
      const health = { isReachable: false, checkedAt: new Date(), lastSeenAt: null, unknownInstances: [], reason: 'x' };
      const nodes = mongo.collection<{ _id: string }>('nodes');
      await nodes.updateOne({ _id: dead.nodeId }, { $set: { health, runtime: 'docker' } });
      const placed = [await attempt({ nodeTags: [tag] }), await attempt({ nodeTags: [tag] })];
      for (const server of placed) {
        if (typeof server === 'string') expect.fail(server);
        expect(server.node?.id).to.equal(unwatched.nodeId);
      }
      const refused = await fixture
        .createServer({ nodeTags: [tag], skipScripts: true })
        .catch((error: unknown) => error);
      expect(refused).to.have.nested.property('metadata.nodes').that.includes({ offline: 1, allocations: 1 });
    } finally {
      await mongo.close();
    }
  });

  it('assigns every allocation once for 50 concurrent placements', async () => {
    const tag = `t${randomUUID()}`;
    const { nodeId } = await newNode({ memoryMb: 100_000, tags: [tag] }, ['27000-27019']);
    const results = await Promise.all(Array.from({ length: 50 }, () => attempt({ nodeTags: [tag] })));
    expect(results.filter((result) => typeof result !== 'string')).to.have.length(20);
    // A timed-out call frees its reservation after its response.
    await waitUntil('the room of refused calls', async () => (await allocated(nodeId))?.servers === 20);
    expect(await allocated(nodeId)).to.include({ servers: 20, memoryMb: 20 * 128 });
    expect(new Set(await assigned(nodeId)).size).to.equal(20);
  });

  it('refuses an external id that is taken', async () => {
    const externalId = randomUUID();
    const results = await Promise.all(Array.from({ length: 10 }, () => attempt({ externalId })));
    expect(results.filter((result) => typeof result !== 'string')).to.have.length(1);
    expect(new Set(results.filter((result) => typeof result === 'string'))).to.deep.equal(
      new Set(['EXTERNAL_ID_TAKEN']),
    );
  });

  it('counts the servers of users', async () => {
    const userId = newUser(fixture.harness.fakes);
    for (let count = 0; count < 3; count++) await fixture.createServer({ userId, skipScripts: true });
    const { countByUserId } = await fixture.admin.ownership.countOwnedServers({ userIds: [userId, randomUUID()] });
    expect(countByUserId).to.deep.equal({ [userId]: 3 });
    const stranger = fixture.harness.clients(userActor(userId), fixture.harness.address);
    expect(await reasonOf(stranger.ownership.countOwnedServers({ userIds: [userId] }))).to.equal('PERMISSION_MISSING');
  });

  it('releases reservations of a dead process after two minutes and keeps those of servers', async () => {
    const { nodeId, allocationIds } = await newNode({}, ['28000-28002']);
    const retained = await attempt({ nodeId, allocationId: allocationIds[0] });
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    try {
      const stores = createStores(mongo, testSeal);
      const at = new Date();
      const ghost = randomUUID();
      await stores.nodes.reserve(nodeId, ghost, { memoryMb: 500, diskMb: 0, cpuPercent: 0 }, at);
      await stores.allocations.take(nodeId, allocationIds[1] ?? '', ghost, at);
      await sweepReservations(stores, createAttempts(), new Date(at.getTime() + 119_000));
      expect(await allocated(nodeId)).to.include({ servers: 2 });
      await sweepReservations(stores, createAttempts(), new Date(at.getTime() + 121_000));
      expect(await allocated(nodeId)).to.include({ servers: 1, memoryMb: 128 });
      expect(await assigned(nodeId)).to.deep.equal([typeof retained === 'string' ? retained : retained.id]);
    } finally {
      await mongo.close();
    }
  });

  it('sorts, filters and searches lists within the scope of the caller', async () => {
    const userId = newUser(fixture.harness.fakes);
    const third = `char.lie${randomUUID()}`;
    const owner = fixture.harness.clients(userActor(userId), fixture.harness.address);
    const limits = (memoryMb: number) => ({ memoryMb, swapMb: 0, diskMb: 0, ioWeight: 500, cpuPercent: 0 });
    for (const [name, memory] of [
      ['bravo', 300],
      ['Alpha', 200],
      [third, 400],
    ] as const) {
      await fixture.createServer({ userId, name, limits: limits(memory), skipScripts: true });
    }
    const names = async (sort: string[], search = '', clients = owner, scope = 'SCOPE_OWN') => {
      const page = { page: 1, perPage: 50, sort, search };
      const { servers } = await clients.servers.listServers({
        ...ListServersRequest.create(),
        page,
        scope: scope as never,
        status: 'STATUS_UNSPECIFIED' as never,
      });
      return servers.map(({ name }) => name);
    };
    expect(await names(['name'])).to.deep.equal(['Alpha', 'bravo', third]);
    expect(await names(['-memory'])).to.deep.equal([third, 'bravo', 'Alpha']);
    expect(await names([])).to.deep.equal(['bravo', 'Alpha', third]);
    expect(await names(['name'], 'A')).to.deep.equal(['Alpha', 'bravo', third]);
    expect(await names(['name'], 'r.l')).to.deep.equal([third]);
    expect(await reasonOf(names(['power.lease']))).to.equal('INVALID_FIELDS');
    expect(await reasonOf(names([], '', owner, 'SCOPE_ALL'))).to.equal('PERMISSION_MISSING');
    expect(await names([], third.slice(3), fixture.admin, 'SCOPE_ALL')).to.deep.equal([third]);
  });

  it('answers another user exactly as for a random id, on every call', async () => {
    const { id } = await fixture.createServer({ skipScripts: true });
    const stranger = fixture.harness.clients(userActor(newUser(fixture.harness.fakes)), fixture.harness.address);
    const watch = async (serverId: string) => {
      for await (const _ of stranger.console.watchServer({ serverId, historyLines: 10 })) return 'watching';
      return 'nothing';
    };
    const calls: ((serverId: string) => Promise<unknown>)[] = [
      (serverId) => stranger.servers.getServer({ serverId, asStaff: false }),
      (serverId) => stranger.servers.grantFileAccess({ serverId, permission: 'file.read' }),
      (serverId) => stranger.console.sendPowerAction({ serverId, action: 'POWER_ACTION_START' as never }),
      (serverId) => stranger.console.sendPowerAction({ serverId, action: 'POWER_ACTION_UNSPECIFIED' as never }),
      (serverId) => stranger.console.sendCommand({ serverId, command: '' }),
      (serverId) => stranger.console.getResources({ serverId }),
      watch,
    ];
    for (const call of calls) {
      const [own, random] = await Promise.all(
        [id, randomUUID()].map((serverId) => call(serverId).catch((error: unknown) => error)),
      );
      expect(own).to.include({ reason: 'SERVER_NOT_FOUND', kind: 'not_found' });
      expect((own as Error).message).to.equal((random as Error).message);
      expect(own).to.deep.include({ metadata: (random as { metadata: object }).metadata });
    }
  });
});
