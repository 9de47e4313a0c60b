import { ApiError, type Server } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { type TestDatabaseServer, testMariadb } from '@panel/testing';
import { expect } from 'chai';
import { createGame } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

describe('databases of a server over REST', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let mariadb: TestDatabaseServer;
  let server: Server;

  before(async function () {
    const found = await testMariadb();
    if (found === null) {
      this.skip();
      return;
    }
    mariadb = found;
    test = await sharedStack();
    server = await createGame(test, { name: 'with databases', databases_limit: 1 });
  });

  const refusal = async (call: Promise<unknown>) => {
    const error: unknown = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ApiError)) throw new Error(`not refused: ${String(error)}`);
    return { status: error.status, code: error.code, details: error.details };
  };

  it('refuses a database before there is a host', async () => {
    const call = test.admin.post('/servers/{id}/databases', { params: { id: server.id }, body: { name: 'early' } });
    const { status, code, details } = await refusal(call);
    expect([status, code, details['reason']]).to.deep.equal([409, 'conflict', 'no_database_host']);
  });

  it('creates a host, a database, a new password and a report, and deletes them', async () => {
    const { admin } = test;
    const body = {
      name: 'db-1',
      engine: 'mysql' as const,
      host: mariadb.host,
      port: mariadb.port,
      username: mariadb.username,
      password: mariadb.password,
      max_databases: 10,
    };
    const wrong = await refusal(admin.post('/admin/database-hosts', { body: { ...body, password: 'wrong' } }));
    expect([wrong.status, Object.keys(wrong.details)]).to.deep.equal([422, ['username']]);
    const { data: host } = await admin.post('/admin/database-hosts', { body });
    expect(JSON.stringify(host)).not.to.include(mariadb.password);
    const ofHost = { params: { id: host.id } };
    await admin.put('/admin/database-hosts/{id}', { ...ofHost, body: { max_databases: null, max_connections: 5 } });
    expect((await admin.get('/admin/database-hosts/{id}', ofHost)).data).to.include({ max_databases: null });
    expect((await admin.get('/admin/database-hosts', { query: { search: 'DB-', sort: '-name' } })).meta.total).to.equal(
      1,
    );

    const ofServer = { params: { id: server.id } };
    const { data: database } = await admin.post('/servers/{id}/databases', { ...ofServer, body: { name: 'players' } });
    expect(database).to.include({ status: 'active', remote: '%', max_connections: 5 });
    expect(database.password).to.have.lengthOf(32);
    const limit = await refusal(admin.post('/servers/{id}/databases', { ...ofServer, body: { name: 'second' } }));
    expect([limit.status, limit.details['reason']]).to.deep.equal([409, 'database_limit']);
    const { data: listed } = await admin.get('/servers/{id}/databases', { ...ofServer, query: { search: 'PLAY' } });
    expect(listed.map(({ id }) => id)).to.deep.equal([database.id]);
    expect(listed[0]).not.to.have.property('password');
    const ofDatabase = { params: { id: server.id, db_id: database.id } };
    const { data: rotated } = await admin.post('/servers/{id}/databases/{db-id}/rotate-password', ofDatabase);
    expect(rotated.password).not.to.equal(database.password);
    const dump = await admin.download('/servers/{id}/databases/{db-id}/export', ofDatabase);
    expect(dump.headers.get('content-type')).to.equal('application/sql');
    expect(dump.headers.get('content-disposition')).to.include(`${database.name}.sql`);
    expect(await dump.text()).to.include('Dump completed');
    const sql = "CREATE TABLE scores (name VARCHAR(20));\nINSERT INTO scores VALUES ('größe');\n";
    const importPath = 'POST /servers/{id}/databases/{db-id}/import';
    const { data: imported } = await admin.request(importPath, { ...ofDatabase, body: { content: sql } });
    expect(imported).to.include({ id: database.id }).and.not.to.have.property('password');
    const filled = await (await admin.download('/servers/{id}/databases/{db-id}/export', ofDatabase)).text();
    expect(filled).to.include("'größe'");
    const upload = { bytes: Buffer.from(filled) };
    await admin.request(importPath, { ...ofDatabase, ...upload });
    const failed = await refusal(admin.request(importPath, { ...ofDatabase, body: { content: 'SELEKT 1;' } }));
    expect([failed.status, failed.details['reason']]).to.deep.equal([409, 'database_dump_failed']);
    expect(failed.details['output']).to.include('SELEKT');
    const { data: report } = await admin.get('/admin/database-hosts/{id}/report', {
      ...ofHost,
      query: { fresh: 'true' },
    });
    expect(report).to.include({ error: null });
    expect((await refusal(admin.delete('/admin/database-hosts/{id}', ofHost))).status).to.equal(409);
    await admin.delete('/servers/{id}/databases/{db-id}', ofDatabase);
    expect((await admin.get('/servers/{id}/databases', ofServer)).data).to.deep.equal([]);
    await waitUntil('the activity log', async () => {
      const { data } = await admin.get('/servers/{id}/activity', ofServer);
      const events = data.map(({ event }) => event);
      return ['rotate-password', 'export', 'import'].every((what) => events.includes(`server:database.${what}`));
    });
    await admin.delete('/admin/database-hosts/{id}', ofHost);
  });
});
