import { randomUUID } from 'node:crypto';
import { createLogger } from '@panel/kit/process';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import type { TestDatabaseServer } from '@panel/testing';
import { addHost, hostRequest, mysql, panelNames } from '../support/database-fixture.js';
import { createFixture, expect, type Fixture, reasonOf } from '../support/fixture.js';
import { CreationQueue } from '../../src/creation-queue.js';
import { createStores } from '../../src/models/stores.js';
import { deleteDatabaseHost } from '../../src/usecases/database-hosts/delete-database-host.js';
import { createDatabase } from '../../src/usecases/databases/create-database.js';
import { testSeal, userActor } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';

const limits = (databases: number) => ({ featureLimits: { databases, backups: 0, allocations: 1 } });
const operator = userActor('0b0f5a3e-52a4-4a3b-9f0c-6f2f1d1f5a11', ['*']);
const log = createLogger({ service: 'test', level: 'silent' });
const nothingRecorded = { record: async () => undefined };
const patient = { timeoutMs: 50_000 };

describe('a database host that is lost', function () {
  this.timeout(240_000);
  let fixture: Fixture;
  let real: TestDatabaseServer;
  let mongo: MongoConnection;

  before(async function () {
    const found = await mysql.start();
    if (found === null) {
      this.skip();
      return;
    }
    real = found;
    fixture = await createFixture();
    mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
  });

  after(async () => {
    await mongo?.close();
    await fixture?.stop();
  });

  const count = async (collection: string, filter: object) => mongo.collection(collection).countDocuments(filter);
  const create = async (serverId: string, name: string) =>
    fixture.owner.databases.createDatabase({ serverId, name, remote: '', engine: mysql.engine }, patient);
  const databasesOf = async (serverId: string) => (await fixture.owner.databases.listDatabases({ serverId })).databases;
  const lostOf = (serverId: string) =>
    [...fixture.harness.fakes.activity.values()].filter(
      (event) => event.event === 'server:database.lost' && event.serverId === serverId,
    );
  /** No address of this machine listens there. */
  const loseHost = async (hostId: string) => {
    await mongo.collection<{ _id: string }>('database_hosts').updateOne({ _id: hostId }, { $set: { port: 1 } });
  };
  const hostWith = async (databases: number) => {
    const hostId = await addHost(fixture.admin, hostRequest(mysql, real, { name: `host ${Math.random()}` }));
    const server = await fixture.installed(limits(databases));
    const names = [];
    for (let i = 0; i < databases; i++) names.push((await create(server.id, `d${i}`)).database?.name ?? '');
    return { hostId, serverId: server.id, names };
  };
  const databaseHosts = () => fixture.admin.databaseHosts;
  const stores = () => createStores(mongo, testSeal);

  it('goes by force with its databases: slots are free, secrets gone, and each server is told', async () => {
    const { hostId, serverId, names } = await hostWith(2);
    await loseHost(hostId);
    expect(await reasonOf(create(serverId, 'more'))).to.equal('DATABASE_LIMIT');
    const before = await panelNames(mysql, real);
    const answer = await databaseHosts().deleteDatabaseHost({ hostId, force: true }, patient);
    expect(answer.forgottenDatabasesCount).to.equal(2);
    expect(await reasonOf(databaseHosts().getDatabaseHost({ hostId }))).to.equal('DATABASE_HOST_NOT_FOUND');
    expect(await databasesOf(serverId)).to.deep.equal([]);
    expect(await count('databases', { hostId })).to.equal(0);
    expect(await count('database_hosts', { _id: hostId as never })).to.equal(0);
    await waitUntil('both events', () => lostOf(serverId).length === 2);
    expect(lostOf(serverId).map(({ properties }) => properties['name'])).to.have.members(names);
    // Nothing is done on the host: it may be another one's now.
    expect(await panelNames(mysql, real)).to.deep.equal(before);

    const next = await addHost(fixture.admin, hostRequest(mysql, real, { name: 'next' }));
    await Promise.all([create(serverId, 'a'), create(serverId, 'b')]);
    expect(await databasesOf(serverId)).to.have.lengthOf(2);
    await databaseHosts().deleteDatabaseHost({ hostId: next, force: true }, patient);
  });

  it('forgets databases whose work waits for the host', async () => {
    const { hostId, serverId } = await hostWith(1);
    await loseHost(hostId);
    const [database] = await databasesOf(serverId);
    await fixture.owner.databases.deleteDatabase({ serverId, databaseId: database?.id ?? '' }, patient);
    expect(await databasesOf(serverId)).to.have.lengthOf(1);
    await databaseHosts().deleteDatabaseHost({ hostId, force: true }, patient);
    expect(await databasesOf(serverId)).to.deep.equal([]);
    expect(await count('databases', { hostId })).to.equal(0);
  });

  it('takes no database from the moment on when its removal has begun', async () => {
    const { hostId, serverId } = await hostWith(1);
    const more = await fixture.installed(limits(1));
    const { databaseHosts: hosts } = stores();
    await hosts.beginRemoval(hostId, new Date());
    expect(await hosts.reserve(hostId, randomUUID())).to.equal(false);
    expect(await reasonOf(create(more.id, 'late'))).to.equal('NO_DATABASE_HOST');
    await waitUntil('the removal', async () => (await count('database_hosts', { _id: hostId as never })) === 0, 30_000);
    expect(await databasesOf(serverId)).to.deep.equal([]);
  });

  it('frees the slot of a creation that is overtaken by the removal', async () => {
    const { hostId } = await hostWith(0);
    const server = await fixture.installed(limits(1));
    const real = stores();
    const context = {
      stores: real,
      log,
      failpoint: () => undefined,
      clock: () => new Date(),
      activity: nothingRecorded,
    };
    let isOvertaken = false;
    // The record is there, its slot is taken, and its place on the host is next.
    const addDatabase: typeof real.servers.updates.addDatabase = async (...slot) => {
      if (!isOvertaken) await deleteDatabaseHost(context, { hostId, force: true }, operator);
      isOvertaken = true;
      return real.servers.updates.addDatabase(...slot);
    };
    const raced = { ...real, servers: { ...real.servers, updates: { ...real.servers.updates, addDatabase } } };
    const creation = createDatabase(
      {
        ...context,
        stores: raced,
        databaseLeaseMs: 60_000,
        creationQueue: new CreationQueue({ concurrency: 1, maxWaiting: 1 }),
        databaseEngines: {} as never,
        databaseWorker: {} as never,
      },
      server.id,
      { name: 'overtaken', remote: '%', engine: null },
      { actor: userActor(fixture.ownerId), permission: { server: ['database.create'] } } as never,
    );
    expect(await reasonOf(creation)).to.equal('DATABASE_HOST_FULL');
    expect((await real.servers.get(server.id))?.databaseIds).to.deep.equal([]);
  });

  it('leaves no database and no slot under 50 callers that create and remove', async () => {
    const hostId = await addHost(fixture.admin, hostRequest(mysql, real, { name: 'raced' }));
    const server = await fixture.installed(limits(50));
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        index % 10 === 5
          ? reasonOf(databaseHosts().deleteDatabaseHost({ hostId, force: true }, patient))
          : reasonOf(create(server.id, `r${index}`)),
      ),
    );
    expect(answers).to.include('none');
    expect(await count('databases', { hostId })).to.equal(0);
    const servers = mongo.collection<{ _id: string; databaseIds: string[] }>('servers');
    expect((await servers.findOne({ _id: server.id }))?.databaseIds).to.deep.equal([]);
  });

  it('goes to the end after a replica was killed at any step', async () => {
    for (const point of ['removing', 'told', 'slot_released', 'before_removal']) {
      const { hostId, serverId } = await hostWith(2);
      await loseHost(hostId);
      const environment = fixture.harness.environment({ FAILPOINT: `database_host.${point}:kill` });
      const replica = await ServiceProcess.start(environment);
      const admin = fixture.harness.clients(operator, replica.address);
      const removed = reasonOf(admin.databaseHosts.deleteDatabaseHost({ hostId, force: true }));
      expect(await removed, point).not.to.equal('none');
      await replica.ended();
      await waitUntil(
        `the removal after ${point}`,
        async () => (await count('database_hosts', { _id: hostId as never })) === 0,
        30_000,
      );
      expect(await databasesOf(serverId), point).to.deep.equal([]);
      expect(await count('databases', { hostId }), point).to.equal(0);
      await waitUntil(`the events after ${point}`, () => lostOf(serverId).length >= 2);
      expect(lostOf(serverId), point).to.have.lengthOf(2);
    }
  });
});
