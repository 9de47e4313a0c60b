import { connect } from 'node:net';
import { expect } from 'chai';
import { testMariadb, testPostgresql } from '../src/index.js';

const engines = { MariaDB: testMariadb, PostgreSQL: testPostgresql };

for (const [name, start] of Object.entries(engines)) {
  describe(`the ${name} of a test run`, function () {
    this.timeout(180_000);

    it('starts the ${name} of a test run once, and it answers', async function () {
      const server = await start();
      if (server === null) {
        this.skip();
        return;
      }
      expect(await start()).to.equal(server);
      await new Promise<void>((resolve, reject) => {
        const socket = connect(server.port, server.host, () => socket.end(resolve)).once('error', reject);
      });
    });

    it('comes back at the same address after a kill', async function () {
      const server = await start();
      if (server === null) {
        this.skip();
        return;
      }
      await server.kill();
      await server.start();
      await new Promise<void>((resolve, reject) => {
        const socket = connect(server.port, server.host, () => socket.end(resolve)).once('error', reject);
      });
    });
  });
}
