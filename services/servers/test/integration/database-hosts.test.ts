import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { DatabaseEngine, ListServersRequest, ListServersRequest_Scope } from '@panel/protos/servers';
import type { TestDatabaseServer } from '@panel/testing';
import { addHost, engines, hostRequest, mysql, panelNames, postgresql } from '../support/database-fixture.js';
import { createFixture, emptyNode, expect, fieldsOf, type Fixture, reasonOf } from '../support/fixture.js';

const everyServer = ListServersRequest.create({
  page: { page: 1, perPage: 100, sort: [], search: '' },
  scope: ListServersRequest_Scope.ALL,
});
const limits = (databases: number) => ({ featureLimits: { databases, backups: 0, allocations: 1 } });

for (const engine of engines) {
  describe(`a database host of ${engine.title}`, function () {
    this.timeout(180_000);
    let fixture: Fixture;
    let real: TestDatabaseServer;

    before(async function () {
      const found = await engine.start();
      if (found === null) {
        this.skip();
        return;
      }
      real = found;
      fixture = await createFixture();
    });

    after(async () => fixture?.stop());

    afterEach(async () => {
      const { hosts } = await fixture.admin.databaseHosts.listDatabaseHosts({ page: undefined, nodeId: '' });
      const { servers } = await fixture.admin.servers.listServers(everyServer);
      // Includes remains of failed tests, and servers whose deletion ends meanwhile.
      for (const { id } of servers) {
        const deleted = reasonOf(fixture.admin.servers.deleteServer({ serverId: id, force: true }));
        expect(['none', 'SERVER_NOT_FOUND']).to.include(await deleted);
      }
      for (const { id } of hosts) {
        await waitUntil('the database host to be free of databases', async () => {
          const deleted = reasonOf(fixture.admin.databaseHosts.deleteDatabaseHost({ hostId: id, force: false }));
          return ['none', 'DATABASE_HOST_NOT_FOUND'].includes(await deleted);
        });
      }
    });

    it('saves a database host once its connection and rights are proved, and leaves nothing of the proof', async () => {
      const before = await panelNames(engine, real);
      const { host } = await fixture.admin.databaseHosts.createDatabaseHost(hostRequest(engine, real));
      expect(host?.version).to.match(/\d+\.\d+/);
      expect(JSON.stringify(host)).not.to.include(real.password);
      expect(await panelNames(engine, real)).to.deep.equal(before);
    });

    it('refuses a database host with a wrong password, an unused port, a forbidden or unknown address, naming the field', async () => {
      const tries = {
        username: [{ password: 'wrong' }, { username: 'nobody' }],
        host: [{ port: 1 }, { address: '169.254.169.254' }, { address: 'no-such-host.invalid' }],
      };
      for (const [field, changes] of Object.entries(tries)) {
        for (const change of changes) {
          const failed = fixture.admin.databaseHosts.createDatabaseHost(hostRequest(engine, real, change));
          expect(await fieldsOf(failed), JSON.stringify(change)).to.deep.equal([field]);
        }
      }
      const { hosts } = await fixture.admin.databaseHosts.listDatabaseHosts({ page: undefined, nodeId: '' });
      expect(hosts).to.deep.equal([]);
    });

    it('refuses a database host for an account without the rights', async () => {
      const admin = { username: real.username, password: real.password, name: engine.maintenance };
      const made = {
        MariaDB: "CREATE USER weak@'%' IDENTIFIED BY 'weak'",
        PostgreSQL: "CREATE ROLE weak LOGIN PASSWORD 'weak'",
      };
      await engine.query(real, admin, made[engine.title as keyof typeof made]);
      const weak = { username: 'weak', password: 'weak' };
      const failed = fixture.admin.databaseHosts.createDatabaseHost(hostRequest(engine, real, weak));
      expect(await fieldsOf(failed)).to.deep.equal(['username']);
      await engine.query(real, admin, `DROP USER weak`);
    });

    it('finds database hosts by part of their name, and sorts them', async () => {
      for (const name of ['beta', 'alpha']) await addHost(fixture.admin, hostRequest(engine, real, { name }));
      const page = { page: 1, perPage: 10, sort: ['name'], search: '' };
      const sorted = await fixture.admin.databaseHosts.listDatabaseHosts({ page, nodeId: '' });
      expect(sorted.hosts.map(({ name }) => name)).to.deep.equal(['alpha', 'beta']);
      const found = await fixture.admin.databaseHosts.listDatabaseHosts({
        page: { ...page, search: 'LPH' },
        nodeId: '',
      });
      expect(found.hosts.map(({ name }) => name)).to.deep.equal(['alpha']);
      const twin = fixture.admin.databaseHosts.createDatabaseHost(hostRequest(engine, real, { name: 'ALPHA' }));
      expect(await reasonOf(twin)).to.equal('DATABASE_HOST_NAME_TAKEN');
    });

    it('keeps its password when other fields change, and is tested again when it is reached in another way', async () => {
      const hostId = await addHost(fixture.admin, hostRequest(engine, real));
      const { updateDatabaseHost } = fixture.admin.databaseHosts;
      const { host } = await updateDatabaseHost({
        hostId,
        name: 'renamed',
        nodes: undefined,
        maximum: { maxDatabases: 7 },
      });
      expect(host).to.include({ name: 'renamed', maxDatabases: 7 });
      const wrong = { hostId, password: 'wrong', nodes: undefined, maximum: undefined };
      expect(await fieldsOf(updateDatabaseHost(wrong))).to.deep.equal(['username']);
      const server = await fixture.installed(limits(1));
      const request = { serverId: server.id, name: 'still', remote: '', engine: engine.engine };
      const { database } = await fixture.owner.databases.createDatabase(request);
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: database?.id ?? '' });
    });

    it('refuses to delete a database host while it has databases', async () => {
      const hostId = await addHost(fixture.admin, hostRequest(engine, real));
      const server = await fixture.installed(limits(1));
      const request = { serverId: server.id, name: 'used', remote: '', engine: engine.engine };
      const { database } = await fixture.owner.databases.createDatabase(request);
      const { databaseHosts } = fixture.admin;
      const refused = await databaseHosts
        .deleteDatabaseHost({ hostId, force: false })
        .catch((thrown: unknown) => thrown);
      expect(refused).to.have.property('reason', 'DATABASE_HOST_IN_USE');
      expect(refused).to.have.property('metadata').that.includes({ databases_count: 1, servers_count: 1 });
      expect(refused)
        .to.have.property('message')
        .that.matches(/1 databases of 1 servers.*force=true/);
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: database?.id ?? '' });
      await databaseHosts.deleteDatabaseHost({ hostId, force: false });
      expect(await reasonOf(databaseHosts.getDatabaseHost({ hostId }))).to.equal('DATABASE_HOST_NOT_FOUND');
    });

    it('takes no more databases than its maximum from 50 servers at once', async () => {
      const hostId = await addHost(fixture.admin, hostRequest(engine, real, { maxDatabases: 4 }));
      const server = await fixture.installed(limits(50));
      const create = async (i: number) =>
        fixture.owner.databases.createDatabase({
          serverId: server.id,
          name: `m${i}`,
          remote: '',
          engine: engine.engine,
        });
      const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => create(i)));
      expect(answers.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(4);
      const { host } = await fixture.admin.databaseHosts.getDatabaseHost({ hostId });
      expect(host?.databasesCount).to.equal(4);
      expect(await reasonOf(create(50))).to.equal('DATABASE_HOST_FULL');
      const { databases } = await fixture.owner.databases.listDatabases({ serverId: server.id });
      for (const { id } of databases)
        await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: id });
    });

    it('serves the nodes it names only', async () => {
      const { node } = await fixture.admin.nodes.createNode({ ...emptyNode, name: `other ${randomUUID()}` });
      const nodeId = node?.id ?? '';
      const hostId = await addHost(fixture.admin, hostRequest(engine, real, { nodeIds: [nodeId] }));
      const server = await fixture.installed(limits(1));
      const request = { serverId: server.id, name: 'x', remote: '', engine: engine.engine };
      expect(await reasonOf(fixture.owner.databases.createDatabase(request))).to.equal('NO_DATABASE_HOST');
      const { hosts } = await fixture.admin.databaseHosts.listDatabaseHosts({
        page: undefined,
        nodeId: fixture.nodeId,
      });
      expect(hosts).to.deep.equal([]);
      const nodes = { nodeIds: [fixture.nodeId] };
      await fixture.admin.databaseHosts.updateDatabaseHost({ hostId, nodes, maximum: undefined });
      const { database } = await fixture.owner.databases.createDatabase(request);
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: database?.id ?? '' });
    });

    it('opens database hosts to staff only', async () => {
      const request = { page: undefined, nodeId: '' };
      expect(await reasonOf(fixture.owner.databaseHosts.listDatabaseHosts(request))).to.equal('PERMISSION_MISSING');
    });
  });
}

describe('names and address patterns of databases', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let serverId: string;

  before(async function () {
    const [one, other] = [await mysql.start(), await postgresql.start()];
    if (one === null || other === null) {
      this.skip();
      return;
    }
    fixture = await createFixture();
    await addHost(fixture.admin, hostRequest(mysql, one, { name: 'my' }));
    await addHost(fixture.admin, hostRequest(postgresql, other, { name: 'pg' }));
  });
  beforeEach(async () => {
    serverId = (await fixture.installed({ ...limits(20), skipScripts: true })).id;
  });

  after(async () => fixture?.stop());

  const create = async (engine: typeof mysql, name: string, remote = '') =>
    fixture.owner.databases.createDatabase({ serverId, name, remote, engine: engine.engine });

  const badNames = [
    '',
    'a`;DROP DATABASE mysql;--',
    '`',
    '%',
    '_',
    "a'b",
    'a"b',
    'a\\b',
    'a b',
    'a.b',
    '../x',
    'a\0b',
    'ünïcode',
    'x'.repeat(65),
    'mysql',
    'POSTGRES',
  ];
  const badRemotes = [
    "1.2.3.4'; GRANT ALL ON *.* TO x",
    '1.2.3.4; GRANT',
    "%' OR '1",
    '%%',
    '_',
    '1.2.3.999',
    '1.2.%.4',
    '10.0.0.0/24/8',
    '10.0.0.0/255.0.255.0',
    '-host',
    'a_b.example',
    '\\',
    'x'.repeat(61),
  ];

  for (const engine of engines) {
    it(`refuses every malicious name on ${engine.title}`, async () => {
      for (const name of badNames) expect(await fieldsOf(create(engine, name)), name).to.deep.equal(['name']);
    });

    it(`refuses every malicious pattern of addresses on ${engine.title}`, async () => {
      for (const remote of badRemotes) {
        expect(await fieldsOf(create(engine, 'ok', remote)), remote).to.deep.equal(['remote']);
      }
    });
  }

  it('accepts names with - and _ on both engines', async () => {
    for (const engine of engines) expect((await create(engine, 'My-data_1')).database?.name).to.match(/_My-data_1$/);
  });

  it('lets a user of MariaDB in from the addresses of the pattern only', async () => {
    const real = await mysql.start();
    if (real === null) throw new Error('was there before');
    for (const [remote, isIn] of [
      ['127.0.0.%', true],
      ['127.0.0.0/255.255.255.0', true],
      ['10.0.0.%', false],
      ['10.1.2.3', false],
    ] as const) {
      const { database, password } = await create(mysql, `r${remote.replace(/\W/g, '')}`, remote);
      const login = { username: database?.username ?? '', password, name: database?.name ?? '' };
      const answer = mysql.query(real, login, 'SELECT 1').then(
        () => true,
        () => false,
      );
      expect(await answer, remote).to.equal(isIn);
    }
  });

  it('refuses any pattern but % on PostgreSQL, where the host decides', async () => {
    expect(await fieldsOf(create(postgresql, 'remote', '10.0.0.%'))).to.deep.equal(['remote']);
  });

  it('prefers MySQL when no engine is named', async () => {
    const { database } = await fixture.owner.databases.createDatabase({
      serverId,
      name: 'any',
      remote: '',
      engine: DatabaseEngine.UNSPECIFIED,
    });
    expect(database?.engine).to.equal(mysql.engine);
  });
});

describe('an installation without database hosts', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture();
  });
  after(async () => fixture.stop());

  it('says so when a database is created', async () => {
    const server = await fixture.installed(limits(1));
    const request = { serverId: server.id, name: 'x', remote: '', engine: mysql.engine };
    expect(await reasonOf(fixture.owner.databases.createDatabase(request))).to.equal('NO_DATABASE_HOST');
  });
});
