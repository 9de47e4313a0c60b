import { randomUUID } from 'node:crypto';
import { ApiError, createPanelClient, type OptionsOf, type PanelClient, type Server } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { type TestDatabaseServer, testMariadb, testPostgresql } from '@panel/testing';
import type { ServerPermission } from '@panel/protos/permissions';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { Client as PostgresqlClient } from 'pg';
import { createGame, power, startGame, untilStatus } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';
import { type TestUser, TestUsers } from '../security/support/users.js';

type Database = Awaited<ReturnType<typeof create>>;
type Backup = { readonly id: string };

async function create(client: PanelClient, id: string, body: OptionsOf<'POST /servers/{id}/databases'>['body']) {
  const { data } = await client.post('/servers/{id}/databases', { params: { id }, body });
  return { ...data, password: data.password ?? '' };
}

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return `${error.status} ${typeof error.details['reason'] === 'string' ? error.details['reason'] : error.code}`;
    },
  );

describe('databases in backups', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let mariadb: TestDatabaseServer;
  let postgresql: TestDatabaseServer;
  let server: Server;
  let scores: Database;
  let players: Database;
  let guest: TestUser;
  let subuserId: string;

  before(async function () {
    const [first, second] = await Promise.all([testMariadb(), testPostgresql()]);
    if (first === null || second === null) {
      this.skip();
      return;
    }
    [mariadb, postgresql] = [first, second];
    test = await sharedStack();
    server = await createGame(test, { databases_limit: 3, backups_limit: 5, disk: 64 });
    for (const [engine, host] of [
      ['mysql', mariadb],
      ['postgresql', postgresql],
    ] as const) {
      const { port, username, password } = host;
      const body = { name: engine, engine, host: host.host, port, username, password };
      await test.admin.post('/admin/database-hosts', { body });
    }
    scores = await create(test.admin, server.id, { name: 'scores', engine: 'mysql' });
    players = await create(test.admin, server.id, { name: 'players', engine: 'postgresql' });
    const users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
    guest = await users.signUp();
    const invited = { email: guest.email, permissions: ['file.read' as const] };
    const { data } = await test.admin.post('/servers/{id}/subusers', { params: { id: server.id }, body: invited });
    subuserId = data.id;
  });

  const inScores = async (sql: string): Promise<unknown> => {
    const { username, password, name } = scores;
    const { host, port } = mariadb;
    const connection = await createConnection({ host, port, user: username, password, database: name });
    try {
      return (await connection.query(sql))[0];
    } finally {
      await connection.end();
    }
  };
  const inPlayers = async (sql: string): Promise<unknown[]> => {
    const { username: user, password, name: database } = players;
    const { host, port } = postgresql;
    const client = new PostgresqlClient({ host, port, user, password, database });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const backUp = async (body: OptionsOf<'POST /servers/{id}/backups'>['body'], client = test.admin) =>
    (await client.post('/servers/{id}/backups', { params: { id: server.id }, body })).data;
  const one = async ({ id }: Backup) =>
    (await test.admin.get('/servers/{id}/backups/{backup-id}', { params: { id: server.id, backup_id: id } })).data;
  const ended = async (backup: Backup) => {
    await waitUntil('the backup to end', async () => (await one(backup)).status !== 'pending', 60_000);
    return one(backup);
  };
  const restore = async ({ id }: Backup, body: OptionsOf<'POST /servers/{id}/backups/{backup-id}/restore'>['body']) => {
    const params = { id: server.id, backup_id: id };
    await test.admin.post('/servers/{id}/backups/{backup-id}/restore', { params, body });
    await untilStatus(test.admin, server.id, 'offline', 60_000);
  };
  const entries = async (client = test.admin) => {
    const query = { directory: '/' };
    const { data } = await client.get('/servers/{id}/files/list', { params: { id: server.id }, query });
    return data.map(({ name }) => name);
  };
  const remove = async ({ id }: Backup) =>
    test.admin.delete('/servers/{id}/backups/{backup-id}', { params: { id: server.id, backup_id: id } });
  const write = async (path: string, content: string) =>
    test.admin.put('/servers/{id}/files/write', { params: { id: server.id }, body: { path, content } });
  const asGuest = () => createPanelClient({ baseUrl: test.stack.baseUrl, token: guest.token });
  const grant = async (permissions: readonly ServerPermission[]) =>
    test.admin.put('/servers/{id}/subusers/{subuser-id}', {
      params: { id: server.id, subuser_id: subuserId },
      body: { permissions: [...permissions] },
    });

  it('restores databases as they were, and leaves nothing of them in the files', async () => {
    await inScores('CREATE TABLE scores (name VARCHAR(20))');
    await inScores("INSERT INTO scores VALUES ('größe')");
    await inPlayers('CREATE TABLE players (name TEXT)');
    await inPlayers("INSERT INTO players VALUES ('ada')");
    await write('/world.txt', 'old');
    await startGame(test.admin, server.id);
    // All files are ignored, yet the databases are included.
    const backup = await ended(await backUp({ databases: true, ignored_files: ['*', '!world.txt'] }));
    expect(backup).to.deep.include({ status: 'completed', error: null });
    expect(backup.databases.toSorted()).to.deep.equal([players.name, scores.name].toSorted());
    expect(await entries()).not.to.include('.panel-databases');
    await power(test.admin, server.id, 'kill');
    await untilStatus(test.admin, server.id, 'offline');
    await write('/world.txt', 'new');
    await inScores('DROP TABLE scores');
    await inPlayers("UPDATE players SET name = 'nobody'");

    await restore(backup, { paths: ['/world.txt'] });
    expect(await entries()).not.to.include('.panel-databases');
    expect(await inPlayers('SELECT name FROM players')).to.deep.equal([{ name: 'nobody' }]);
    await restore(backup, { databases: true, paths: ['/world.txt'] });
    expect((await one(backup)).restore_error).to.equal(null);
    expect(await inScores('SELECT name FROM scores')).to.deep.equal([{ name: 'größe' }]);
    expect(await inPlayers('SELECT name FROM players')).to.deep.equal([{ name: 'ada' }]);
    expect(await entries()).not.to.include('.panel-databases');
    const { data: trash } = await test.admin.get('/servers/{id}/files/trash', { params: { id: server.id } });
    expect(trash.filter(({ path }) => path.includes('panel-databases'))).to.deep.equal([]);
    await remove(backup);
  });

  it('stores no databases in a backup that was not asked for them', async () => {
    const backup = await ended(await backUp({}));
    expect(backup).to.deep.include({ status: 'completed', databases: [] });
    const params = { id: server.id, backup_id: backup.id };
    const asked = test.admin.post('/servers/{id}/backups/{backup-id}/restore', { params, body: { databases: true } });
    expect(await codeOf(asked)).to.equal('409 backup_without_databases');
    await remove(backup);
  });

  it('requires the permissions of an export and of an import, and hides databases without them', async () => {
    const backup = await ended(await backUp({ databases: true }));
    const params = { id: server.id, backup_id: backup.id };
    const client = asGuest();
    const download = async () => (await client.download('/servers/{id}/backups/{backup-id}/download', { params })).body;
    const back = async (body: object) => client.post('/servers/{id}/backups/{backup-id}/restore', { params, body });
    await grant([
      'backup.create',
      'backup.download',
      'backup.restore',
      'file.read',
      'file.read-content',
      'file.create',
    ]);
    expect(await codeOf(backUp({ databases: true }, client))).to.equal('403 forbidden');
    expect(await codeOf(download())).to.equal('403 forbidden');
    expect(await codeOf(back({ databases: true }))).to.equal('403 forbidden');
    const path = `/servers/{id}/files/create-directory` as const;
    const making = client.post(path, { params: { id: server.id }, body: { path: '/.panel-databases/mine' } });
    expect(await codeOf(making)).to.equal('403 path_forbidden');
    await test.admin.post(path, { params: { id: server.id }, body: { path: '/.panel-databases' } });
    expect(await entries()).to.include('.panel-databases');
    expect(await entries(client)).not.to.include('.panel-databases');
    await grant(['backup.download', 'database.view_password']);
    expect(await codeOf(download())).to.equal('none');
    await grant(['backup.restore', 'database.view_password']);
    expect(await codeOf(back({ databases: true }))).to.equal('403 forbidden');
    await remove(backup);
  });

  it('counts databases in backups against the disk limit of the server', async () => {
    await inScores('CREATE TABLE large (content LONGTEXT)');
    await inScores("INSERT INTO large VALUES (REPEAT('x', 8000000))");
    for (let copies = 0; copies < 8; copies += 1) {
      await inScores("INSERT INTO large VALUES (REPEAT('x', 8000000))");
    }
    const backup = await ended(await backUp({ databases: true }));
    expect(backup.status).to.equal('failed');
    expect(backup.error?.reason).to.equal('disk_limit');
    expect(await entries()).not.to.include('.panel-databases');
    await inScores('DROP TABLE large');
    await remove(backup);
  });

  it('fails a backup and names the host that is unavailable, and names the database that cannot be restored', async () => {
    const good = await ended(await backUp({ databases: true, ignored_files: ['*'] }));
    const params = { id: server.id, db_id: players.id };
    await test.admin.delete('/servers/{id}/databases/{db-id}', { params });
    await inScores("UPDATE scores SET name = 'lost'");
    await restore(good, { databases: true });
    expect(await inScores('SELECT name FROM scores')).to.deep.equal([{ name: 'größe' }]);
    await waitUntil('the activity log', async () => {
      const { data } = await test.admin.get('/servers/{id}/activity', { params: { id: server.id } });
      return data.some(
        ({ event, properties }) =>
          event === 'server:backup.restore-fail' && JSON.stringify(properties).includes(players.name),
      );
    });
    const { data: retained } = await test.admin.get('/servers/{id}/files/list', {
      params: { id: server.id },
      query: { directory: '/.panel-databases' },
    });
    expect(retained.map(({ name }) => name)).to.deep.equal([`${players.name}.dump`]);
    await mariadb.kill();
    try {
      const backup = await ended(await backUp({ databases: true, name: randomUUID() }));
      expect([backup.status, backup.error?.reason]).to.deep.equal(['failed', 'database_dump_failed']);
      expect(backup.error?.message).to.match(/connect/i);
    } finally {
      await mariadb.start();
    }
  });
});
