import { readdirSync, readFileSync } from 'node:fs';
import type { CreateDatabaseResponse, ImportDatabaseRequest, Server } from '@panel/protos/servers';
import type { TestDatabaseServer } from '@panel/testing';
import { waitUntil } from '@panel/kit/testing';
import { addHost, engines, hostRequest, type Login, mysql } from '../support/database-fixture.js';
import { createFixture, expect, type Fixture, reasonOf, waitForServer } from '../support/fixture.js';
import { newUser } from '../support/fake-services.js';
import { userActor } from '../support/harness.js';

const limits = { featureLimits: { databases: 5, backups: 0, allocations: 1 } };

const neverAborted = new AbortController().signal;

const code = {
  mysql: [
    'CREATE VIEW labels AS SELECT id, label FROM items',
    "CREATE TRIGGER mark BEFORE INSERT ON items FOR EACH ROW SET NEW.label = CONCAT(NEW.label, IF(NEW.id = 3, '!', ''))",
    'CREATE FUNCTION twice(n INT) RETURNS INT DETERMINISTIC BEGIN DECLARE r INT; SET r = n * 2; RETURN r; END',
    'CREATE EVENT sometimes ON SCHEDULE EVERY 1 DAY DO DELETE FROM items WHERE id = 99',
  ],
  postgresql: [
    'CREATE VIEW labels AS SELECT id, label FROM items',
    "CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.label := NEW.label || '!'; RETURN NEW; END $$",
    'CREATE TRIGGER mark BEFORE INSERT ON items FOR EACH ROW WHEN (NEW.id = 3) EXECUTE FUNCTION mark()',
    'CREATE FUNCTION twice(n INT) RETURNS INT LANGUAGE sql AS $$ SELECT n * 2 $$',
  ],
};

function loginOf({ database, password }: CreateDatabaseResponse): Login {
  return { username: database?.username ?? '', password, name: database?.name ?? '' };
}

for (const engine of engines) {
  describe(`dumps of databases on ${engine.title}`, function () {
    this.timeout(180_000);
    let fixture: Fixture;
    let real: TestDatabaseServer;
    let server: Server;

    before(async function () {
      const found = await engine.start();
      if (found === null) {
        this.skip();
        return;
      }
      real = found;
      fixture = await createFixture({ environment: { DATABASE_MAX_DUMP: '4' } });
      await addHost(fixture.admin, hostRequest(engine, real));
    });
    beforeEach(async () => {
      server = await fixture.installed({ ...limits, skipScripts: true });
    });

    after(async () => fixture?.stop());

    const create = async (name: string, remote = '') =>
      fixture.owner.databases.createDatabase({ serverId: server.id, name, remote, engine: engine.engine });

    const exportOf = async (created: CreateDatabaseResponse): Promise<Buffer> => {
      const request = { serverId: server.id, databaseId: created.database?.id ?? '' };
      const chunks: Buffer[] = [];
      for await (const { part } of fixture.owner.databases.exportDatabase(request)) {
        if (part?.$case === 'chunk') chunks.push(part.value);
      }
      return Buffer.concat(chunks);
    };

    const importInto = async (
      created: CreateDatabaseResponse,
      dump: Buffer,
      { isWhole = true, clients = fixture.owner, signal = neverAborted, serverId = server.id } = {},
    ) => {
      async function* messages(): AsyncGenerator<ImportDatabaseRequest> {
        const start = { serverId, databaseId: created.database?.id ?? '' };
        yield { part: { $case: 'start', value: start } };
        for (let at = 0; at < dump.length; at += 100_000) {
          yield { part: { $case: 'chunk', value: dump.subarray(at, at + 100_000) } };
        }
        if (isWhole) yield { part: { $case: 'finish', value: { sizeBytes: dump.length } } };
      }
      return clients.databases.importDatabase(messages(), { signal });
    };

    const fill = async (created: CreateDatabaseResponse) =>
      engine.query(
        real,
        loginOf(created),
        'CREATE TABLE items (id INT PRIMARY KEY, label VARCHAR(50))',
        "INSERT INTO items VALUES (1, 'größe; it''s'), (2, '日本')",
      );
    const remove = async ({ database }: CreateDatabaseResponse) =>
      fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: database?.id ?? '' });
    const read = async (created: CreateDatabaseResponse) =>
      engine.query(real, loginOf(created), 'SELECT label FROM items ORDER BY id');

    it('copies a database into another one by its dump', async () => {
      const [from, to] = [await create('from'), await create('to')];
      await fill(from);
      const dump = await exportOf(from);
      const { importedBytes } = await importInto(to, dump);
      expect(importedBytes).to.equal(dump.length);
      expect(await read(to)).to.deep.equal([{ label: "größe; it's" }, { label: '日本' }]);
      await engine.query(real, loginOf(from), 'DELETE FROM items');
      await importInto(from, dump);
      expect(await read(from)).to.have.lengthOf(2);
    });

    it('records dumps and imports with who made them', async () => {
      const created = await create('recorded');
      await importInto(created, await exportOf(created));
      const events = () =>
        [...fixture.harness.fakes.activity.values()].filter(({ serverId }) => serverId === server.id);
      const find = (name: string) => events().find(({ event }) => event === name);
      await waitUntil('the import in the activity', () => find('server:database.import'));
      for (const name of ['server:database.export', 'server:database.import'])
        expect(find(name)).to.deep.include({ actorId: fixture.ownerId, properties: { id: created.database?.id } });
    });

    it('dumps a database as its own user, who reaches no other one', async () => {
      const [own, foreign] = [await create('own'), await create('foreign')];
      await fill(foreign);
      const sql = Buffer.from(`DROP TABLE ${foreign.database?.name}.items;`);
      const expected = engine === mysql ? 'DATABASE_DUMP_FAILED' : 'INVALID_FIELDS';
      expect(await reasonOf(importInto(own, sql))).to.equal(expected);
      expect(await read(foreign)).to.have.lengthOf(2);
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: foreign.database?.id ?? '' });
    });

    it('runs no command of a shell and reads no file of the panel', async () => {
      const one = await create('shell');
      for (const line of [
        '\\! touch /tmp/panel-shell-proof',
        'system touch /tmp/panel-shell-proof',
        'source /etc/passwd',
      ]) {
        expect(await reasonOf(importInto(one, Buffer.from(`${line}\n`))), line).not.to.equal('none');
      }
      expect(readdirSync('/tmp')).not.to.include('panel-shell-proof');
      if (engine === mysql) {
        await engine.query(real, loginOf(one), 'CREATE TABLE stolen (line TEXT)');
        const load = Buffer.from("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE stolen;");
        expect(await reasonOf(importInto(one, load))).to.equal('DATABASE_DUMP_FAILED');
        expect(await engine.query(real, loginOf(one), 'SELECT * FROM stolen')).to.deep.equal([]);
      }
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: one.database?.id ?? '' });
    });

    it('refuses dumps beyond the largest size, and those whose upload ends early', async () => {
      const one = await create('large');
      expect(await reasonOf(importInto(one, Buffer.alloc(5 * 1024 * 1024, ' ')))).to.match(/LIMIT|INVALID_FIELDS/);
      await fill(one);
      const dump = await exportOf(one);
      expect(await reasonOf(importInto(one, dump, { isWhole: false }))).to.equal('DATABASE_DUMP_FAILED');
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: one.database?.id ?? '' });
    });

    it('shows no password on the command line of any process', async () => {
      const one = await create('secret');
      await fill(one);
      const exporting = exportOf(one);
      const seen = new Set<string>();
      const state = { isDone: false };
      void exporting.finally(() => {
        state.isDone = true;
      });
      while (!state.isDone) {
        for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) seen.add(commandLine(pid));
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await exporting).length).to.be.above(0);
      const program = engine === mysql ? 'mariadb-dump' : 'pg_dump';
      expect([...seen].some((line) => line.includes(program))).to.equal(true);
      expect([...seen].filter((line) => line.includes(one.password))).to.deep.equal([]);
      await fixture.owner.databases.deleteDatabase({ serverId: server.id, databaseId: one.database?.id ?? '' });
    });

    it('imports dumps with database.view_password only, for errors show what is there', async () => {
      const one = await create('rights');
      const clients = (...keyPermissions: string[]) =>
        fixture.harness.clients({ ...userActor(fixture.ownerId), keyPermissions } as never, fixture.harness.address);
      const dump = await exportOf(one);
      const update = clients('database.update');
      expect(await reasonOf(importInto(one, dump, { clients: update }))).to.equal('SERVER_FORBIDDEN');
      const view = clients('database.view_password');
      expect(await reasonOf(importInto(one, dump, { clients: view }))).to.equal('SERVER_FORBIDDEN');
      const both = clients('database.update', 'database.view_password');
      expect(await reasonOf(importInto(one, dump, { clients: both }))).to.equal('none');
      await remove(one);
    });

    it('creates views, triggers and routines that belong to the user of the new database', async () => {
      const [from, to] = [await create('from-code'), await create('to-code')];
      await fill(from);
      await engine.query(real, loginOf(from), ...code[engine === mysql ? 'mysql' : 'postgresql']);
      await importInto(to, await exportOf(from));
      await engine.query(real, loginOf(to), "INSERT INTO items VALUES (3, 'x')");
      const rows = await engine.query(real, loginOf(to), 'SELECT label FROM labels WHERE id = 3');
      expect(rows).to.deep.equal([{ label: 'x!' }]);
      const twice = await engine.query(real, loginOf(to), 'SELECT twice(21) AS answer');
      expect(twice.map(({ answer }) => Number(answer))).to.deep.equal([42]);
      await remove(from);
      await remove(to);
    });

    if (engine === mysql) {
      const admin = () => ({ username: real.username, password: real.password, name: engine.maintenance });

      it('dumps for a user who may not connect from the panel, by a login that is locked afterwards', async () => {
        const one = await create('far', '10.0.0.%');
        const dump = Buffer.from(
          'CREATE TABLE far (id INT); INSERT INTO far VALUES (7); CREATE VIEW near AS SELECT * FROM far;',
        );
        await importInto(one, dump);
        expect((await exportOf(one)).toString()).to.include('(7)');
        const account = `'${one.database?.username}'@'%'`;
        const [shown] = await engine.query(real, admin(), `SHOW CREATE USER ${account}`);
        expect(JSON.stringify(shown)).to.include('ACCOUNT LOCK');
        // Views run as their creator.
        const view = `SELECT id FROM ${one.database?.name}.near`;
        expect(await engine.query(real, admin(), view)).to.deep.equal([{ id: 7 }]);
        await remove(one);
        const users = await engine.query(real, admin(), engine.users);
        expect(users.map(({ name }) => name)).not.to.include(one.database?.username);
      });

      it('runs one dump at a time of a server, and ends it on the host when the caller disconnects', async () => {
        const [one, other] = [await create('long'), await create('waits')];
        const caller = new AbortController();
        const sleep = importInto(one, Buffer.from('SELECT SLEEP(300);'), { signal: caller.signal });
        const ended = reasonOf(sleep);
        const sql = `SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '${one.database?.username}' AND INFO LIKE '%SLEEP%'`;
        const isRunning = async () => (await engine.query(real, admin(), sql)).length > 0;
        await waitUntil('the statement to run', isRunning);
        expect(await reasonOf(importInto(other, Buffer.from('SELECT 1;')))).to.equal('DATABASE_DUMP_BUSY');
        caller.abort();
        expect(await ended).not.to.equal('none');
        await waitUntil('the statement to end', async () => !(await isRunning()));
        await waitUntil(
          'the place to be free',
          async () => (await reasonOf(importInto(other, Buffer.from('SELECT 1;')))) === 'none',
        );
        await remove(one);
        await remove(other);
      });

      it('leaves places for dumps to other owners, however many servers one has', async () => {
        const clients = fixture.admin;
        const add = async (userId: string) => {
          const { id: serverId } = await fixture.createServer({ ...limits, skipScripts: true, userId });
          await waitForServer(clients, serverId, ({ operation }) => operation === undefined);
          const request = { serverId, name: 'place', remote: '', engine: engine.engine };
          return { serverId, created: await clients.databases.createDatabase(request) };
        };
        const caller = new AbortController();
        const own = [await add(fixture.ownerId), await add(fixture.ownerId), await add(fixture.ownerId)];
        const stranger = await add(newUser(fixture.harness.fakes));
        const sleeping = own.slice(0, 2).map(async ({ created, serverId }) => {
          const sql = Buffer.from('SELECT SLEEP(300);');
          return reasonOf(importInto(created, sql, { clients, serverId, signal: caller.signal }));
        });
        const sql = "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'";
        await waitUntil('both to run', async () => (await engine.query(real, admin(), sql)).length === 2);
        const importOne = async ({ created, serverId }: (typeof own)[number]) =>
          reasonOf(importInto(created, Buffer.from('SELECT 1;'), { clients, serverId }));
        expect(await importOne(own[2] ?? stranger)).to.equal('DATABASE_DUMP_BUSY');
        expect(await importOne(stranger)).to.equal('none');
        caller.abort();
        expect(await Promise.all(sleeping)).not.to.include('none');
        for (const { created, serverId } of [...own, stranger]) {
          await clients.databases.deleteDatabase({ serverId, databaseId: created.database?.id ?? '' });
        }
      });
    }
  });
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // ended meanwhile
  }
}
