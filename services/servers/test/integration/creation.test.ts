import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { derivedId } from '@panel/rpc';
import { expect } from 'chai';
import { EggSpec, ImportEggRequest_Format, type Server } from '@panel/protos/servers';
import { createStores } from '../../src/models/stores.js';
import { sweepReservations } from '../../src/nodes/sweep-reservations.js';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { createAttempts } from '../support/attempts.js';
import { type Clients, testSeal, userActor } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';
import { createFixture, emptyNode, reasonOf, type Fixture } from '../support/fixture.js';

const page = { page: 1, perPage: 100, sort: [], search: '' };
const limits = { memoryMb: 128, swapMb: 0, diskMb: 100, ioWeight: 500, cpuPercent: 50 };

/** Fifty calls exceed the usual deadline on a busy machine. */
const creationOptions = () => ({ idempotencyId: randomUUID(), timeoutMs: 50_000 });
type CreationOptions = ReturnType<typeof creationOptions>;

interface Row {
  readonly _id: string;
  readonly [field: string]: unknown;
}

describe('repeated creations', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let mongo: MongoConnection;
  let replicas: Clients[];
  const operator = userActor(randomUUID(), ['*']);
  before(async () => {
    fixture = await createFixture({ ports: ['20000-20099'], memoryMb: 1_000_000 });
    const second = await fixture.harness.startReplica();
    replicas = [fixture.harness.address, second].map((address) => fixture.harness.clients(operator, address));
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
  });
  after(async () => {
    await mongo?.close();
    await fixture.stop();
  });

  /** At two replicas, with time for many at once on a busy machine. */
  const fifty = async <T>(call: (clients: Clients, options: CreationOptions) => Promise<T>): Promise<T[]> => {
    const options = { ...creationOptions(), timeoutMs: 60_000 };
    return Promise.all(Array.from({ length: 50 }, async (_, index) => call(at(index % 2), options)));
  };
  const at = (index: number): Clients => replicas[index] ?? expect.fail('no such replica');
  const rows = (name: string) => mongo.collection<Row>(name);
  const count = async (name: string, filter: object) => rows(name).countDocuments(filter);
  const newNode = async (changes: object = {}, ports: string[] = []) => {
    const { node } = await at(0).nodes.createNode({ ...emptyNode, name: randomUUID(), ...changes });
    const nodeId = node?.id ?? '';
    fixture.harness.processNodes.push(nodeId);
    if (ports.length > 0) await at(0).allocations.createAllocations({ nodeId, ip: '127.0.0.1', alias: '', ports });
    return nodeId;
  };
  const allocated = async (nodeId: string) => (await at(0).nodes.getNode({ nodeId })).node?.allocated;
  const taken = async (nodeId: string) => {
    const { allocations } = await at(0).allocations.listAllocations({ nodeId, page });
    return allocations.filter(({ serverId }) => serverId !== '');
  };
  const idsOf = (servers: readonly (Server | undefined)[]) => [...new Set(servers.map((server) => server?.id))];

  it('creates one node from 50 repeated requests', async () => {
    const name = randomUUID();
    const answers = await fifty(async ({ nodes }, options) => nodes.createNode({ ...emptyNode, name }, options));
    fixture.harness.processNodes.push(answers[0]?.node?.id ?? '');
    expect(new Set(answers.map(({ node }) => node?.id)).size).to.equal(1);
    expect(await count('nodes', { name })).to.equal(1);
  });

  it('creates one nest and one egg from 50 repeated requests', async () => {
    const name = randomUUID();
    const nests = await fifty(async (clients, options) =>
      clients.nests.createNest({ name, description: '', author: 'me@example.org' }, options),
    );
    for (const answer of nests) expect(answer).to.deep.equal(nests[0]);
    expect(await count('nests', { name })).to.equal(1);
    const nestId = nests[0]?.nest?.id ?? '';
    const { egg } = await at(0).eggs.getEgg({ eggId: fixture.eggId });
    const spec = EggSpec.create({ ...egg?.spec, name });
    const eggs = await fifty(async (clients, options) => clients.eggs.createEgg({ nestId, spec }, options));
    for (const answer of eggs) expect(answer).to.deep.equal(eggs[0]);
    expect(await count('eggs', { 'spec.name': name })).to.equal(1);
  });

  it('imports one egg from 50 repeated requests, without an own id too', async () => {
    const name = randomUUID();
    const content = eggBytes({ name, uuid: undefined });
    const format = ImportEggRequest_Format.JSON;
    const eggs = await fifty(async (clients, options) =>
      clients.eggs.importEgg({ content, format, nestId: '' }, options),
    );
    for (const answer of eggs) expect(answer).to.deep.equal(eggs[0]);
    expect(await count('eggs', { 'spec.name': name })).to.equal(1);
  });

  it('creates one range of allocations from 50 repeated requests and returns it to all', async () => {
    const nodeId = await newNode();
    const request = { nodeId, ip: '127.0.0.1', alias: '', ports: ['30000-30049'] };
    const answers = await fifty(async ({ allocations }, options) => allocations.createAllocations(request, options));
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(answers[0]?.allocations).to.have.length(50);
    expect(await count('allocations', { nodeId, isVisible: true })).to.equal(50);
    expect(await reasonOf(at(0).allocations.createAllocations(request))).to.equal('ALLOCATION_EXISTS');
  });

  it('completes a range whose creator died before it became visible', async () => {
    const nodeId = await newNode();
    const request = { nodeId, ip: '127.0.0.1', alias: '', ports: ['30000-30009'] };
    const options = { idempotencyId: randomUUID() };
    const first = await at(0).allocations.createAllocations(request, options);
    await rows('allocations').updateMany({ nodeId }, { $set: { isVisible: false } });
    expect(await at(1).allocations.createAllocations(request, options)).to.deep.equal(first);
    expect(await count('allocations', { nodeId, isVisible: true })).to.equal(10);
    const other = { idempotencyId: randomUUID() };
    expect(await reasonOf(at(0).allocations.createAllocations(request, other))).to.equal('ALLOCATION_EXISTS');
  });

  /** A range of ten whose maker dies after nine. */
  const halfRange = async () => {
    const nodeId = await newNode();
    const request = { nodeId, ip: '127.0.0.1', alias: '', ports: ['30000-30009'] };
    const options = { idempotencyId: randomUUID() };
    await at(0).allocations.createAllocations(request, options);
    await rows('allocations').updateMany({ nodeId }, { $set: { isVisible: false } });
    await rows('allocations').deleteOne({ nodeId, port: 30_009 });
    return { nodeId, request, options };
  };

  it('completes a range immediately when its creator died midway', async () => {
    const { nodeId, request, options } = await halfRange();
    const { allocations } = await at(1).allocations.createAllocations(request, options);
    expect(allocations.map(({ port }) => port)).to.deep.equal(Array.from({ length: 10 }, (_, index) => 30_000 + index));
    expect(await count('allocations', { nodeId, isVisible: true })).to.equal(10);
  });

  it('reports no conflict with ports of a partial range', async () => {
    const { nodeId, request, options } = await halfRange();
    const other = { ...request, ports: ['30005-30012'] };
    const { allocations } = await at(0).allocations.createAllocations(other, { idempotencyId: randomUUID() });
    expect(allocations).to.have.length(8);
    expect(await count('allocations', { nodeId })).to.equal(8);
    expect(await reasonOf(at(1).allocations.createAllocations(request, options))).to.equal('ALLOCATION_EXISTS');
    expect(await count('allocations', { nodeId })).to.equal(8);
  });

  it('leaves no visible part of an abandoned range after the sweep', async () => {
    const { nodeId } = await halfRange();
    await sweepReservations(createStores(mongo, testSeal), createAttempts(), new Date(Date.now() + 3 * 60_000));
    expect(await count('allocations', { nodeId })).to.equal(0);
  });

  it('completes ranges although their creator is repeatedly declared dead', async () => {
    const stores = createStores(mongo, testSeal);
    const over = new AbortController();
    const sweeps = (async () => {
      while (!over.signal.aborted) {
        await stores.allocations.sweepBatches(new Date(Date.now() + 60 * 60_000));
        await new Promise(setImmediate);
      }
    })();
    const nodeId = await newNode();
    const makeOne = async (index: number) => {
      const options = creationOptions();
      const request = { nodeId, ip: `127.0.1.${index}`, alias: '', ports: ['30000-30999'] };
      const make = async (replica: number) => at(replica).allocations.createAllocations(request, options);
      const reasons = await Promise.all([0, 1, 0, 1].map(async (replica) => reasonOf(make(replica))));
      expect(['none', 'CREATION_IN_PROGRESS']).to.include.members(reasons);
      return async () => make(0);
    };
    const repeats = await Promise.all(Array.from({ length: 5 }, async (_, index) => makeOne(index)));
    over.abort();
    await sweeps;
    for (const repeat of repeats) expect((await repeat()).allocations).to.have.length(1000);
    // The embedded engine fails to compare indexes without matches.
    const hint = { hint: 'allocation_node_port' };
    const visible = await rows('allocations').countDocuments({ nodeId, isVisible: true }, hint);
    expect([visible, await rows('allocations').countDocuments({ nodeId }, hint)]).to.deep.equal([5000, 5000]);
  });

  it('returns the remaining allocations of a range and recreates none', async () => {
    const nodeId = await newNode();
    const request = { nodeId, ip: '127.0.0.1', alias: '', ports: ['30000-30002'] };
    const options = { idempotencyId: randomUUID() };
    const { allocations } = await at(0).allocations.createAllocations(request, options);
    for (const gone of [0, 2]) {
      await at(0).allocations.deleteAllocation({ nodeId, allocationId: allocations[gone]?.id ?? '' });
      const repeated = await at(1).allocations.createAllocations(request, options);
      expect(repeated.allocations.map(({ port }) => port)).to.deep.equal(gone === 0 ? [30_001, 30_002] : [30_001]);
    }
    expect(await count('allocations', { nodeId })).to.equal(1);
  });

  it('creates one server from 50 repeated requests with a given allocation and counts it once', async () => {
    const nodeId = await newNode({ memoryMb: 200 }, ['31000-31001']);
    const [first, second] = (await at(0).allocations.listAllocations({ nodeId, page })).allocations;
    const place = { nodeId, allocationId: first?.id ?? '', additionalAllocationIds: [second?.id ?? ''] };
    const request = fixture.request({ ...place, limits, externalId: randomUUID(), skipScripts: true });
    const answers = await fifty(async ({ servers }, options) => servers.createServer(request, options));
    expect(idsOf(answers.map(({ server }) => server))).to.have.length(1);
    expect(await count('servers', { nodeId })).to.equal(1);
    expect(await allocated(nodeId)).to.include({ servers: 1, memoryMb: 128 });
    expect(await taken(nodeId)).to.have.length(2);
    await noneIsUnconfirmed(nodeId);
  });

  it('creates one server from 50 repeated requests with automatic placement on a node with room for one', async () => {
    const tag = randomUUID();
    const nodes = [await newNode({ memoryMb: 200, tags: [tag] }, ['31000']), await newNode({ tags: [tag] }, ['31000'])];
    const request = fixture.request({ nodeTags: [tag], limits, skipScripts: true });
    const answers = await fifty(async ({ servers }, options) => servers.createServer(request, options));
    expect(idsOf(answers.map(({ server }) => server))).to.have.length(1);
    expect(await count('servers', { nodeId: { $in: nodes } })).to.equal(1);
    const sums = await Promise.all(nodes.map(allocated));
    expect(sums.reduce((sum, each) => sum + (each?.servers ?? 0), 0)).to.equal(1);
    expect((await Promise.all(nodes.map(taken))).flat()).to.have.length(1);
    for (const nodeId of nodes) await noneIsUnconfirmed(nodeId);
  });

  for (const [point, choice] of [
    ['create.reserved', 'the operator'],
    ['create.reserved', 'the panel'],
    ['create.stored', 'the operator'],
    ['create.stored', 'the panel'],
  ] as const) {
    it(`creates one server when the service is killed at ${point}, with the placement by ${choice}`, async () => {
      const tag = randomUUID();
      const nodeId = await newNode({ memoryMb: 200, tags: [tag] }, ['31000']);
      const [allocation] = (await at(0).allocations.listAllocations({ nodeId, page })).allocations;
      const place = choice === 'the panel' ? { nodeTags: [tag] } : { nodeId, allocationId: allocation?.id ?? '' };
      const request = fixture.request({ ...place, limits, skipScripts: true });
      const options = { idempotencyId: randomUUID() };
      const dying = await ServiceProcess.start(fixture.harness.environment({ FAILPOINT: `${point}:kill` }));
      const lost = fixture.harness.clients(operator, dying.address).servers.createServer(request, options);
      const failed = await lost.then(
        () => 'answered',
        () => 'failed',
      );
      await dying.ended();
      expect(failed).to.equal('failed');
      expect(await count('servers', { nodeId })).to.equal(point === 'create.stored' ? 1 : 0);
      const { server } = await at(0).servers.createServer(request, options);
      expect(server?.node?.id).to.equal(nodeId);
      expect((await at(1).servers.createServer(request, options)).server?.id).to.equal(server?.id);
      expect(await count('servers', { nodeId })).to.equal(1);
      await sweepReservations(createStores(mongo, testSeal), createAttempts(), new Date(Date.now() + 3 * 60_000));
      expect(await allocated(nodeId)).to.include({ servers: 1, memoryMb: 128 });
      expect((await taken(nodeId)).map(({ serverId }) => serverId)).to.deep.equal([server?.id]);
    });
  }

  it('leaves nothing when all of 50 requests are refused', async () => {
    const nodeId = await newNode({ memoryMb: 100 }, ['31000']);
    const [allocation] = (await at(0).allocations.listAllocations({ nodeId, page })).allocations;
    const request = fixture.request({ nodeId, allocationId: allocation?.id ?? '', limits });
    const reasons = await fifty(async ({ servers }, options) => reasonOf(servers.createServer(request, options)));
    expect(new Set(reasons)).to.deep.equal(new Set(['NODE_CAPACITY']));
    expect(await allocated(nodeId)).to.include({ servers: 0 });
    expect(await taken(nodeId)).to.deep.equal([]);
  });

  it('derives another id when the short id is taken, and the same one again on repetition', async () => {
    const idempotencyId = randomUUID();
    const options = { idempotencyId };
    const request = fixture.request({ skipScripts: true });
    const { server } = await at(0).servers.createServer(request, options);
    const id = server?.id ?? '';
    // Another user's server with the same short id.
    const stored = (await rows('servers').findOne({ _id: id })) ?? expect.fail();
    const foreign = `${id.slice(0, 8)}${randomUUID().slice(8)}`;
    await rows('servers').deleteOne({ _id: id });
    await rows('servers').insertOne({ ...stored, _id: foreign });
    const [one, two] = [
      await at(0).servers.createServer(request, options),
      await at(1).servers.createServer(request, options),
    ];
    expect(one.server?.id).to.equal(derivedId(id, 'next')).and.to.equal(two.server?.id);
    expect(one.server?.uuidShort).to.equal(one.server?.id.slice(0, 8));
  });

  it('adds one allocation from 50 repeated requests, up to the limit', async () => {
    const nodeId = await newNode({}, ['31000-31009']);
    const [allocation] = (await at(0).allocations.listAllocations({ nodeId, page })).allocations;
    const featureLimits = { databases: 0, backups: 0, allocations: 2 };
    const place = { nodeId, allocationId: allocation?.id ?? '' };
    const { id: serverId } = await fixture.installed({ ...place, featureLimits, skipScripts: true });
    const answers = await fifty(async ({ servers }, options) => servers.addServerAllocation({ serverId }, options));
    expect(new Set(answers.map((answer) => answer.allocation?.id)).size).to.equal(1);
    expect(await taken(nodeId)).to.have.length(2);
    expect((await rows('servers').findOne({ _id: serverId }))?.['allocations']).to.have.length(2);
    expect(await reasonOf(at(0).servers.addServerAllocation({ serverId }))).to.equal('ALLOCATION_LIMIT');
    await noneIsUnconfirmed(nodeId);
  });

  it('completes an assignment whose process died before the server had the allocation', async () => {
    const nodeId = await newNode({}, ['31000-31001']);
    const [allocation] = (await at(0).allocations.listAllocations({ nodeId, page })).allocations;
    const featureLimits = { databases: 0, backups: 0, allocations: 2 };
    const place = { nodeId, allocationId: allocation?.id ?? '' };
    const { id: serverId } = await fixture.installed({ ...place, featureLimits, skipScripts: true });
    const options = { idempotencyId: randomUUID() };
    const first = await at(0).servers.addServerAllocation({ serverId }, options);
    const allocationId = first.allocation?.id ?? '';
    const isListed = { $pull: { allocations: { id: allocationId } } } as object;
    await rows('servers').updateOne({ _id: serverId }, isListed);
    await rows('allocations').updateOne({ _id: allocationId }, { $set: { pendingSince: new Date() } });
    const repeated = await at(1).servers.addServerAllocation({ serverId }, options);
    expect(repeated.allocation?.id).to.equal(allocationId);
    expect(await rows('servers').countDocuments({ _id: serverId, 'allocations.id': allocationId })).to.equal(1);
    await noneIsUnconfirmed(nodeId);
  });

  it('gives another user with the same idempotency id an object of their own', async () => {
    const options = { idempotencyId: randomUUID() };
    const other = fixture.harness.clients(userActor(randomUUID(), ['*']), fixture.harness.address);
    const nest = (name: string) => ({ name, description: '', author: '' });
    const [mine, theirs] = [
      await at(0).nests.createNest(nest(randomUUID()), options),
      await other.nests.createNest(nest(randomUUID()), options),
    ];
    expect(mine.nest?.id).to.not.equal(theirs.nest?.id);
    const request = fixture.request({ skipScripts: true });
    const [one, two] = [
      await at(0).servers.createServer(request, options),
      await other.servers.createServer(request, options),
    ];
    expect(one.server?.id).to.not.equal(two.server?.id);
  });

  async function noneIsUnconfirmed(nodeId: string): Promise<void> {
    expect(await count('allocations', { nodeId, pendingSince: { $ne: null } })).to.equal(0);
    expect(await count('nodes', { _id: nodeId, 'reservations.isConfirmed': false })).to.equal(0);
  }
});
