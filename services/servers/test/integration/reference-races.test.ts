import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { CreateSubuserRequest, ImportEggRequest_Format } from '@panel/protos/servers';
import { expect } from 'chai';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { newAccount } from '../support/fake-services.js';
import { createFixture, emptyNode, type Fixture, gameEgg, reasonOf } from '../support/fixture.js';
import { type Clients } from '../support/harness.js';
import { scheduleRequest } from '../support/schedules.js';

const callers = 50;
/** Fifty calls exceed the usual deadline on a busy machine. */
const patient = { timeoutMs: 50_000 };

/* One of fifty callers deletes what the others refer to: no reference may stay. */
describe('references under fifty concurrent callers', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  let mongo: MongoConnection;
  before(async () => {
    fixture = await createFixture({ memoryMb: 1_000_000, ports: ['20000-20299'] });
    ({ admin } = fixture);
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
  });
  after(async () => {
    await mongo.close();
    await fixture.stop();
  });

  /** Distinct answers, and the deletion's. */
  const race = async (refer: (index: number) => Promise<unknown>, remove: () => Promise<unknown>) => {
    let deletion = '';
    const answers = await Promise.all(
      Array.from({ length: callers }, async (_, index) => {
        if (index !== callers / 2) return reasonOf(refer(index));
        deletion = await reasonOf(remove());
        return deletion;
      }),
    );
    return { answers: [...new Set(answers)], deletion };
  };
  const count = async (collection: string, filter: Record<string, unknown>) =>
    mongo.collection<Record<string, unknown>>(collection).countDocuments(filter);
  const exists = async (collection: string, id: string) => (await count(collection, { _id: id })) > 0;
  const importEgg = async (nestId = '') => {
    const content = eggBytes({ ...gameEgg, name: randomUUID() });
    const { egg } = await admin.eggs.importEgg({ content, format: ImportEggRequest_Format.JSON, nestId }, patient);
    return egg?.id ?? expect.fail('no egg in the answer');
  };
  const createServer = async (changes: Parameters<Fixture['createServer']>[0]) =>
    admin.servers.createServer(fixture.request({ skipScripts: true, ...changes }), patient);
  const installed = async (changes: Parameters<Fixture['installed']>[0] = {}) =>
    fixture.installed({ skipScripts: true, ...changes });
  const untilGone = async (serverId: string) =>
    waitUntil('the server to be gone', async () => !(await exists('servers', serverId)), 30_000);

  it('leaves no egg in a deleted nest', async () => {
    const { nest } = await admin.nests.createNest({ name: randomUUID(), description: '', author: '' });
    const nestId = nest?.id ?? '';
    const { answers, deletion } = await race(
      async () => importEgg(nestId),
      async () => admin.nests.deleteNest({ nestId }, patient),
    );
    expect(['none', 'NEST_NOT_FOUND', 'NEST_IN_USE', 'INVALID_FIELDS']).to.include.members(answers);
    expect(await exists('nests', nestId)).to.equal(deletion !== 'none');
    if (deletion === 'none') expect(await count('eggs', { nestId })).to.equal(0);
  });

  it('leaves no server with a deleted egg', async () => {
    const eggId = await importEgg();
    const { deletion } = await race(
      async () => createServer({ eggId }),
      async () => admin.eggs.deleteEgg({ eggId }, patient),
    );
    expect(deletion).to.be.oneOf(['none', 'EGG_IN_USE']);
    expect(await exists('eggs', eggId)).to.equal(deletion !== 'none');
    if (deletion === 'none') expect(await count('servers', { eggId })).to.equal(0);
  });

  it('leaves no product with a deleted egg', async () => {
    const { products } = fixture.harness.fakes;
    for (let round = 0; round < 4; round++) {
      const eggId = await importEgg();
      const isThere = async () => (await reasonOf(admin.eggs.getEgg({ eggId }, patient))) === 'none';
      /** Like billing: read the egg, store, read it again. */
      const createProduct = async (index: number) => {
        if (!(await isThere())) return;
        const id = `${round} ${index}`;
        products.set(id, { name: id, eggId });
        if (!(await isThere())) products.delete(id);
      };
      // In the first rounds, deletions mostly; in the others, products.
      const isDeletion = (index: number) => (round < 2 ? index % 5 !== 4 : index % 5 === 4);
      await Promise.all(
        Array.from({ length: callers }, async (_, index) =>
          isDeletion(index) ? reasonOf(admin.eggs.deleteEgg({ eggId }, patient)) : createProduct(index),
        ),
      );
      const isLeft = await exists('eggs', eggId);
      const sold = [...products.values()].filter((product) => product.eggId === eggId);
      expect(isLeft || sold.length === 0, `round ${round}: ${sold.length} products of a deleted egg`).to.equal(true);
    }
  });

  it('leaves no server and no allocation on a deleted node', async () => {
    const { node } = await admin.nodes.createNode({ ...emptyNode, name: randomUUID(), memoryMb: 100_000 });
    const nodeId = node?.id ?? '';
    const range = { nodeId, ip: '127.0.0.1', alias: '', ports: [`30000-${30_000 + callers}`] };
    const { allocations } = await admin.allocations.createAllocations(range);
    const { deletion } = await race(
      async (index) =>
        index % 2 === 0
          ? createServer({ nodeId, allocationId: allocations[index]?.id ?? '' })
          : admin.allocations.createAllocations({ ...range, ip: '127.0.0.2', ports: [`${30_000 + index}`] }, patient),
      async () => admin.nodes.deleteNode({ nodeId }, patient),
    );
    expect(await exists('nodes', nodeId)).to.equal(deletion !== 'none');
    if (deletion !== 'none') return;
    expect(await count('servers', { nodeId })).to.equal(0);
    expect(await count('allocations', { nodeId })).to.equal(0);
  });

  it('leaves no schedule and no allocation of a deleted server', async () => {
    const { id: serverId } = await installed({ featureLimits: { databases: 0, backups: 0, allocations: callers } });
    const { deletion } = await race(
      async (index) =>
        index % 2 === 0
          ? fixture.owner.schedules.createSchedule(scheduleRequest(serverId), patient)
          : fixture.owner.servers.addServerAllocation({ serverId }, patient),
      async () => admin.servers.deleteServer({ serverId, force: false, keepBackups: undefined }, patient),
    );
    expect(deletion).to.equal('none');
    await untilGone(serverId);
    expect(await count('schedules', { serverId })).to.equal(0);
    expect(await count('allocations', { serverId })).to.equal(0);
  });

  it('leaves no subuser whose account is deleted', async () => {
    const servers = await Promise.all(Array.from({ length: 5 }, async () => installed()));
    const asIdentity = { kind: 'service', service: 'identity', ip: '127.0.0.1' } as const;
    const identity = fixture.harness.clients(asIdentity, fixture.harness.address);
    const guest = newAccount(fixture.harness.fakes, `guest-${randomUUID()}`);
    const invite = (index: number) =>
      CreateSubuserRequest.create({
        serverId: servers[index % servers.length]?.id ?? '',
        email: guest.email,
        permissions: ['control.console'],
      });
    const { deletion } = await race(
      async (index) => admin.subusers.createSubuser(invite(index), patient),
      async () => {
        // As identity: hidden first, then removed from servers.
        fixture.harness.fakes.users.delete(guest.id);
        await identity.ownership.removeUserFromServers({ userId: guest.id }, patient);
      },
    );
    expect(deletion).to.equal('none');
    expect(await count('servers', { 'subusers.userId': guest.id })).to.equal(0);
  });

  it('leaves no subuser with a deleted role of the server', async () => {
    const { id: serverId } = await installed();
    const { role } = await fixture.owner.subusers.createSubuserRole({
      serverId,
      name: 'Helpers',
      permissions: ['control.console'],
    });
    const roleId = role?.id ?? '';
    const { deletion } = await race(
      async (index) =>
        admin.subusers.createSubuser(
          CreateSubuserRequest.create({ serverId, email: `${index}@example.com`, permissions: [], roleId }),
          patient,
        ),
      async () => fixture.owner.subusers.deleteSubuserRole({ serverId, roleId }, patient),
    );
    expect(deletion).to.be.oneOf(['none', 'SUBUSER_ROLE_IN_USE', 'SERVER_CHANGED']);
    const hasRole = (await count('servers', { _id: serverId, 'subuserRoles.id': roleId })) > 0;
    expect(hasRole).to.equal(deletion !== 'none');
    if (deletion === 'none') expect(await count('servers', { 'subusers.roleId': roleId })).to.equal(0);
  });
});
