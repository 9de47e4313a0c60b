import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import type { CreateDatabaseResponse, Server } from '@panel/protos/servers';
import type { TestDatabaseServer } from '@panel/testing';
import {
  addHost,
  canLogIn,
  engines,
  hostRequest,
  type Login,
  panelNames,
  type TestEngine,
} from '../support/database-fixture.js';
import { allReasons, createFixture, expect, type Fixture, reasonOf } from '../support/fixture.js';
import { userActor } from '../support/harness.js';

const limits = (databases: number) => ({ featureLimits: { databases, backups: 0, allocations: 1 } });

function loginOf({ database, password }: CreateDatabaseResponse): Login {
  return { username: database?.username ?? '', password, name: database?.name ?? '' };
}

for (const engine of engines) {
  describe(`databases on ${engine.title}`, function () {
    this.timeout(180_000);
    let fixture: Fixture;
    let real: TestDatabaseServer;
    let hostId: string;

    before(async function () {
      const found = await engine.start();
      if (found === null) {
        this.skip();
        return;
      }
      real = found;
      fixture = await createFixture({ ports: ['25565-25700'] });
      hostId = await addHost(fixture.admin, hostRequest(engine, real));
    });

    after(async () => fixture?.stop());

    const newServer = async (databases = 5): Promise<Server> => fixture.installed(limits(databases));
    const create = async (server: Server, name: string, changes: { remote?: string } = {}) =>
      fixture.owner.databases.createDatabase({
        serverId: server.id,
        name,
        remote: '',
        engine: engine.engine,
        ...changes,
      });
    const list = async (server: Server) =>
      (await fixture.owner.databases.listDatabases({ serverId: server.id })).databases;

    it('makes a database whose returned password logs in and can use all of it', async () => {
      const server = await newServer();
      const created = await create(server, 'players');
      expect(created.database?.name).to.equal(`s${server.uuidShort}_players`);
      expect(created.password).to.match(/^[A-Za-z0-9]{32}$/);
      const rows = await engine.query(
        real,
        loginOf(created),
        'CREATE TABLE scores (id INT PRIMARY KEY, name VARCHAR(20))',
        "INSERT INTO scores VALUES (1, 'ada')",
        'SELECT name FROM scores',
      );
      expect(rows).to.deep.equal([{ name: 'ada' }]);
    });

    it('shows databases with address and size, and never a password', async () => {
      const server = await newServer();
      const { password } = await create(server, 'shown');
      const [shown] = await list(server);
      expect(shown).to.include({ address: real.host, port: real.port, remote: '%' });
      expect(JSON.stringify(shown)).not.to.include(password);
      if (engine.title === 'PostgreSQL') expect(shown?.sizeBytes).to.be.above(1_000_000);
    });

    it('keeps passwords sealed in the database of the service', async () => {
      const server = await newServer();
      const { password } = await create(server, 'sealed');
      const connection = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
      const retained = await connection.collection('databases').find().toArray();
      const hosts = await connection.collection('database_hosts').find().toArray();
      await connection.close();
      expect(JSON.stringify(retained)).not.to.include(password);
      expect(JSON.stringify(hosts)).not.to.include(real.password);
    });

    it('lets a user into no other database', async () => {
      const [one, other] = [await newServer(), await newServer()];
      const own = loginOf(await create(one, 'own'));
      const foreign = loginOf(await create(other, 'foreign'));
      const similar = loginOf(await create(one, 'a_b'));
      const near = loginOf(await create(one, 'axb'));
      expect(await canLogIn(engine, real, { ...own, name: foreign.name })).to.equal(false);
      // "_" is a wildcard in MySQL grants.
      expect(await canLogIn(engine, real, { ...similar, name: near.name })).to.equal(false);
      expect(await canLogIn(engine, real, similar)).to.equal(true);
    });

    it('gives no right to make databases or users, and none to read those of others', async () => {
      const login = loginOf(await create(await newServer(), 'least'));
      const forbidden = ['CREATE DATABASE stolen', `CREATE USER stolen`, `DROP USER ${real.username}`];
      for (const statement of forbidden) {
        const failure = await engine.query(real, login, statement).then(
          () => null,
          (error: unknown) => error,
        );
        expect(failure, statement).to.be.instanceOf(Error);
      }
    });

    it('ends the old password and the sessions of it when it is rotated', async () => {
      const server = await newServer();
      const created = await create(server, 'rotated');
      const old = loginOf(created);
      const session = engine.query(real, old, engine.title === 'MariaDB' ? 'SELECT SLEEP(30)' : 'SELECT pg_sleep(30)');
      const ended = session.then(
        (rows) => `ran to its end: ${JSON.stringify(rows)}`,
        () => 'ended',
      );
      await waitUntil('the session to be there', async () => (await sessionsOf(engine, real, old.username)) > 0);
      const request = { serverId: server.id, databaseId: created.database?.id ?? '' };
      const { password } = await fixture.owner.databases.rotateDatabasePassword(request);
      expect(password).not.to.equal(created.password);
      expect(await ended).not.to.include('"0"');
      expect(await canLogIn(engine, real, old)).to.equal(false);
      expect(await canLogIn(engine, real, { ...old, password })).to.equal(true);
    });

    it('drops database and user when it is deleted', async () => {
      const server = await newServer();
      const created = await create(server, 'gone');
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: created.database?.id ?? '' });
      expect(await list(server)).to.deep.equal([]);
      expect(await canLogIn(engine, real, loginOf(created))).to.equal(false);
      const names = await panelNames(engine, real);
      expect(names).not.to.include(created.database?.name);
      expect(names).not.to.include(created.database?.username);
    });

    it('makes 3 of 50 databases at once where 3 are allowed', async () => {
      const server = await newServer(3);
      const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => create(server, `race${i}`)));
      expect(answers.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(3);
      const refused = answers.flatMap((one) =>
        one.status === 'rejected' ? [Promise.reject(one.reason as Error)] : [],
      );
      expect(await allReasons(refused)).to.deep.equal(['DATABASE_LIMIT']);
      expect(await list(server)).to.have.lengthOf(3);
      const made = (await panelNames(engine, real)).filter((name) => name.startsWith(`s${server.uuidShort}_`));
      expect(made).to.have.lengthOf(3);
    });

    it('makes 1 of 50 databases of the same name', async () => {
      const server = await newServer(50);
      const answers = await Promise.allSettled(Array.from({ length: 50 }, () => create(server, 'same')));
      const made = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(made).to.have.lengthOf(1);
      expect(await canLogIn(engine, real, loginOf(made[0] ?? { database: undefined, password: '' }))).to.equal(true);
      expect(await list(server)).to.have.lengthOf(1);
    });

    it('leaves one password that logs in after 20 rotations at once', async () => {
      const server = await newServer();
      const created = await create(server, 'turns');
      const request = { serverId: server.id, databaseId: created.database?.id ?? '' };
      const answers = await Promise.allSettled(
        Array.from({ length: 20 }, () => fixture.owner.databases.rotateDatabasePassword(request)),
      );
      const passwords = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.password] : []));
      const valid = await Promise.all(
        passwords.map((password) => canLogIn(engine, real, { ...loginOf(created), password })),
      );
      expect(valid.filter(Boolean)).to.have.lengthOf(1);
    });

    it('never drops a database that the panel did not make', async () => {
      const server = await newServer();
      const name = `s${server.uuidShort}_foreign`;
      const admin = { username: real.username, password: real.password, name: engine.maintenance };
      await engine.query(real, admin, `CREATE DATABASE ${name}`);
      expect(await reasonOf(create(server, 'foreign'))).to.equal('DATABASE_EXISTS_ON_HOST');
      expect(await panelNames(engine, real)).to.include(name);
      expect(await list(server)).to.deep.equal([]);
      const report = await fixture.admin.databaseHosts.getDatabaseHostReport({ hostId, fresh: true });
      // The host has databases of other tests.
      const own = report.orphanDatabases.filter((one) => one.startsWith(`s${server.uuidShort}_`));
      expect(own).to.deep.equal([name]);
      await engine.query(real, admin, `DROP DATABASE ${name}`);
    });

    it('reports a database that somebody else has dropped', async () => {
      const server = await newServer();
      const created = await create(server, 'missing');
      const admin = { username: real.username, password: real.password, name: engine.maintenance };
      await engine.query(real, admin, `DROP DATABASE ${created.database?.name}`);
      const report = await fixture.admin.databaseHosts.getDatabaseHostReport({ hostId, fresh: true });
      expect(report.missingDatabases).to.deep.equal([created.database?.name]);
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: created.database?.id ?? '' });
    });

    it('drops the databases of a deleted server', async () => {
      const server = await newServer();
      const created = await create(server, 'with-server');
      await fixture.admin.servers.deleteServer({ serverId: server.id, force: false });
      await waitUntil('the database to be dropped', async () => {
        const names = await panelNames(engine, real);
        return !names.some((name) => name === created.database?.name || name === created.database?.username);
      });
    });

    it('leaves nothing of a creation whose host does not answer', async () => {
      const server = await newServer();
      await real.kill();
      try {
        expect(await reasonOf(create(server, 'down'))).to.equal('DATABASE_HOST_UNREACHABLE');
        expect(await list(server)).to.deep.equal([]);
      } finally {
        await real.start();
      }
      await waitUntil('the host to answer', async () => (await reasonOf(panelNames(engine, real))) === 'none');
      expect((await create(server, 'down')).password).not.to.equal('');
    });

    it('keeps the old password when the host does not answer a rotation', async () => {
      const server = await newServer();
      const created = await create(server, 'kept');
      const request = { serverId: server.id, databaseId: created.database?.id ?? '' };
      await real.kill();
      try {
        expect(await reasonOf(fixture.owner.databases.rotateDatabasePassword(request))).to.equal(
          'DATABASE_HOST_UNREACHABLE',
        );
      } finally {
        await real.start();
      }
      await waitUntil('the old password to work', async () => canLogIn(engine, real, loginOf(created)));
      await waitUntil('the database to be usable', async () =>
        fixture.owner.databases.rotateDatabasePassword(request).then(
          () => true,
          () => false,
        ),
      );
    });

    it('drops a database as soon as its host answers again, also when its server is gone', async () => {
      const [server, deleted] = [await newServer(), await newServer()];
      const one = await create(server, 'later');
      const other = await create(deleted, 'later');
      await real.kill();
      try {
        await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: one.database?.id ?? '' });
        expect((await list(server)).map(({ state }) => state)).to.deep.equal(['STATE_DELETING']);
        await fixture.admin.servers.deleteServer({ serverId: deleted.id, force: false });
        await waitUntil('the server to be gone', async () => (await reasonOf(list(deleted))) === 'SERVER_NOT_FOUND');
      } finally {
        await real.start();
      }
      await waitUntil('both to be dropped', async () => {
        const names: (string | undefined)[] = await panelNames(engine, real).catch(() => [one.database?.name]);
        return ![one, other].some(({ database }) => names.includes(database?.name));
      });
      await waitUntil('the slot to be free', async () => (await list(server)).length === 0);
    });

    it('answers a repeated creation with the same database and password', async () => {
      const server = await newServer(1);
      const request = { serverId: server.id, name: 'once', remote: '', engine: engine.engine };
      const idempotencyId = '2a1f5f1e-7f1c-4f6e-9a53-0d1e8a1b2c3d';
      const first = await fixture.owner.databases.createDatabase(request, { idempotencyId });
      const second = await fixture.owner.databases.createDatabase(request, { idempotencyId });
      expect(second).to.deep.equal(first);
      expect(await canLogIn(engine, real, loginOf(second))).to.equal(true);
    });

    it('shows the password of a new database, and rotates, only with database.view_password', async () => {
      const server = await newServer();
      const key = (...keyPermissions: string[]) =>
        fixture.harness.clients({ ...userActor(fixture.ownerId), keyPermissions } as never, fixture.harness.address);
      const request = { serverId: server.id, name: 'hidden', remote: '', engine: engine.engine };
      const created = await key('database.create').databases.createDatabase(request);
      expect(created.password).to.equal('');
      const one = { serverId: server.id, databaseId: created.database?.id ?? '' };
      expect(await reasonOf(key('database.update').databases.rotateDatabasePassword(one))).to.equal('SERVER_FORBIDDEN');
      const both = key('database.update', 'database.view_password').databases;
      expect((await both.rotateDatabasePassword(one)).password).not.to.equal('');
      expect(await reasonOf(key('database.read').databases.deleteDatabase(one))).to.equal('SERVER_FORBIDDEN');
      expect(await reasonOf(key('database.delete').databases.listDatabases(one))).to.equal('SERVER_FORBIDDEN');
    });

    it('finds a database under its own server only', async () => {
      const [server, other] = [await newServer(), await newServer()];
      const created = await create(server, 'parent');
      const request = { serverId: other.id, databaseId: created.database?.id ?? '' };
      const { databases } = fixture.owner;
      expect(await reasonOf(databases.deleteDatabase(request))).to.equal('DATABASE_NOT_FOUND');
      expect(await reasonOf(databases.rotateDatabasePassword(request))).to.equal('DATABASE_NOT_FOUND');
      const stranger = fixture.harness.clients(
        userActor('99999999-9999-4999-8999-999999999999'),
        fixture.harness.address,
      );
      expect(await reasonOf(stranger.databases.listDatabases({ serverId: server.id }))).to.equal('SERVER_NOT_FOUND');
      expect(await list(server)).to.have.lengthOf(1);
    });

    it('records what is done in the activity log, without passwords', async () => {
      const server = await newServer();
      const created = await create(server, 'logged');
      const isLogged = ({ event, serverId }: { event: string; serverId: string }) =>
        event === 'server:database.create' && serverId === server.id;
      const { activity } = fixture.harness.fakes;
      await waitUntil('the event', () => [...activity.values()].some(isLogged));
      expect(JSON.stringify([...activity.values()])).not.to.include(created.password);
    });
  });
}

async function sessionsOf(engine: TestEngine, real: TestDatabaseServer, username: string): Promise<number> {
  const admin = { username: real.username, password: real.password, name: engine.maintenance };
  const sql =
    engine.title === 'MariaDB'
      ? `SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '${username}'`
      : `SELECT pid FROM pg_stat_activity WHERE usename = '${username}'`;
  return (await engine.query(real, admin, sql)).length;
}
