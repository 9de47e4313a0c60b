import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import type { TestDatabaseServer } from '@panel/testing';
import { addHost, canLogIn, engines, hostRequest, panelNames } from '../support/database-fixture.js';
import { createFixture, expect, type Fixture, reasonOf } from '../support/fixture.js';
import { type Clients, userActor } from '../support/harness.js';
import { ServiceProcess } from '../support/service-process.js';

const limits = { featureLimits: { databases: 1, backups: 0, allocations: 1 } };
const patienceMs = 30_000;

const creationPoints = ['recorded', 'reserved', 'before_host', 'on_host'];
const rotationPoints = ['rotation_recorded', 'rotated_on_host'];
const deletionPoints = ['before_drop', 'dropped', 'slot_released'];

const leases = { NODE_LEASE_TTL: '4s', DATABASE_LEASE_TTL: '4s' };

for (const engine of engines) {
  describe(`databases on ${engine.title} whose replica is killed`, function () {
    this.timeout(240_000);
    let fixture: Fixture;
    let real: TestDatabaseServer;

    before(async function () {
      const found = await engine.start();
      if (found === null) {
        this.skip();
        return;
      }
      real = found;
      fixture = await createFixture({ environment: leases });
      await addHost(fixture.admin, hostRequest(engine, real));
    });

    after(async () => fixture?.stop());

    /** Kills the replica at this point. It has no other due work: each test finishes its own before the next point. */
    const dyingAt = async (point: string, call: (clients: Clients) => Promise<unknown>) => {
      const environment = fixture.harness.environment({ FAILPOINT: `database.${point}:kill`, ...leases });
      const replica = await ServiceProcess.start(environment);
      const clients = fixture.harness.clients(userActor(fixture.ownerId), replica.address);
      expect(await reasonOf(call(clients)), point).not.to.equal('none');
      await replica.ended();
    };

    const newDatabase = async () => {
      const server = await fixture.installed(limits);
      const request = { serverId: server.id, name: 'x', remote: '', engine: engine.engine };
      return { server, request };
    };

    it('completes a database after every step of a creation, with the password for who repeats it', async () => {
      for (const point of creationPoints) {
        const { server, request } = await newDatabase();
        const idempotencyId = randomUUID();
        await dyingAt(point, async ({ databases }) =>
          databases.createDatabase(request, { idempotencyId, timeoutMs: 5_000 }),
        );
        const answer = await waitUntil(
          `the answer after ${point}`,
          async () => fixture.owner.databases.createDatabase(request, { idempotencyId }).catch(() => null),
          patienceMs,
        );
        const login = {
          username: answer.database?.username ?? '',
          password: answer.password,
          name: answer.database?.name ?? '',
        };
        expect(await canLogIn(engine, real, login), point).to.equal(true);
        const names = (await panelNames(engine, real)).filter((name) => name.includes(server.uuidShort));
        expect(names, point).to.have.lengthOf(2);
      }
    });

    it('keeps the old password after every step of a rotation', async () => {
      for (const point of rotationPoints) {
        const { server, request } = await newDatabase();
        const { database, password } = await fixture.owner.databases.createDatabase(request);
        const one = { serverId: server.id, databaseId: database?.id ?? '' };
        await dyingAt(point, async ({ databases }) => databases.rotateDatabasePassword(one, { timeoutMs: 5_000 }));
        const login = { username: database?.username ?? '', password, name: database?.name ?? '' };
        const rotated = await waitUntil(
          `a rotation after ${point}`,
          async () => {
            const isOld = await canLogIn(engine, real, login);
            return isOld && fixture.owner.databases.rotateDatabasePassword(one).catch(() => null);
          },
          patienceMs,
        );
        expect(await canLogIn(engine, real, { ...login, password: rotated.password }), point).to.equal(true);
      }
    });

    it('deletes a database after every step of a deletion, and frees its slot', async () => {
      for (const point of deletionPoints) {
        const { server, request } = await newDatabase();
        const { database } = await fixture.owner.databases.createDatabase(request);
        const one = { serverId: server.id, databaseId: database?.id ?? '' };
        await dyingAt(point, async ({ databases }) => databases.deleteDatabase(one, { timeoutMs: 5_000 }));
        await waitUntil(
          `the end of the deletion after ${point}`,
          async () => {
            const { databases } = await fixture.owner.databases.listDatabases({ serverId: server.id });
            return databases.length === 0;
          },
          patienceMs,
        );
        expect((await fixture.owner.databases.createDatabase(request)).password, point).not.to.equal('');
      }
    });
  });
}
