import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { type TestDatabaseServer, testMariadb } from '@panel/testing';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { createGame, untilStatus } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';

const timeoutMs = 90_000;

describe('databases in backups while servers is killed', function () {
  this.timeout(240_000);
  let mariadb: TestDatabaseServer;
  let test: Awaited<ReturnType<typeof sharedStack>>;
  before(async function () {
    const server = await testMariadb();
    if (server === null) {
      this.skip();
      return;
    }
    mariadb = server;
    test = await sharedStack();
  });

  const createDatabase = async (id: string) => {
    const { host, port, username, password } = mariadb;
    const body = { name: `mariadb ${randomUUID()}`, engine: 'mysql' as const, host, port, username, password };
    await test.admin.post('/admin/database-hosts', { body });
    const created = { name: 'scores', engine: 'mysql' as const };
    const { data } = await test.admin.post('/servers/{id}/databases', { params: { id }, body: created });
    const login = { host, port, user: data.username, password: data.password ?? '', database: data.name };
    return async (sql: string): Promise<unknown> => {
      const connection = await createConnection(login);
      try {
        return (await connection.query(sql))[0];
      } finally {
        await connection.end();
      }
    };
  };

  for (const point of ['backup.dumped', 'restore.imported'] as const) {
    it(`keeps and restores databases when servers is killed at ${point}, and leaves no dump in the files`, async () => {
      const failpoint = await test.armFailpoint(point);
      const { id } = await createGame(test, { databases_limit: 1, backups_limit: 1 });
      const inScores = await createDatabase(id);
      await inScores('CREATE TABLE scores (name VARCHAR(20))');
      await inScores("INSERT INTO scores VALUES ('kept')");
      const { data: backup } = await test.admin.post('/servers/{id}/backups', {
        params: { id },
        body: { databases: true },
      });
      const params = { id, backup_id: backup.id };
      const stateOf = async () =>
        test.admin.get('/servers/{id}/backups/{backup-id}', { params }).then(
          ({ data }) => data.status,
          () => 'unknown',
        );
      await waitUntil('the backup', async () => (await stateOf()) === 'completed', timeoutMs);
      await inScores("UPDATE scores SET name = 'lost'");
      await waitUntil(
        'the restore to be accepted',
        async () =>
          test.admin
            .post('/servers/{id}/backups/{backup-id}/restore', { params, body: { databases: true } })
            .then(() => true)
            .catch(() => false),
        timeoutMs,
      );
      const restored = async () => {
        const { data } = await test.admin.get('/servers/{id}', { params: { id } }).catch(() => ({ data: null }));
        return data?.status === 'offline';
      };
      await waitUntil('the restore', restored, timeoutMs);
      expect(await inScores('SELECT name FROM scores')).to.deep.equal([{ name: 'kept' }]);
      expect(failpoint.isReached()).to.equal(true);
      await untilStatus(test.admin, id, 'offline');
      const query = { directory: '/' };
      const { data: entries } = await test.admin.get('/servers/{id}/files/list', { params: { id }, query });
      expect(entries.map(({ name }) => name)).not.to.include('.panel-databases');
    });
  }
});
