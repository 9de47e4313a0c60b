import { isAppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { createFixture, type Fixture, reasonOf, waitForServer } from '../support/fixture.js';
import { type Clients, userActor } from '../support/harness.js';
import { createSchedule, command as commandTask, untilRuns } from '../support/schedules.js';

const limit = 30;

interface Outcome {
  readonly reason: string | null;
  /** As answered, or from the metadata of the failure. */
  readonly quota: { readonly limit: number; readonly used: number; readonly resetsAt: number } | undefined;
}

async function send({ console }: Clients, serverId: string, command: string): Promise<Outcome> {
  try {
    const { quota } = await console.sendCommand({ serverId, command });
    const { limit: max = 0, used = 0, resetTime } = quota ?? {};
    return { reason: null, quota: quota && { limit: max, used, resetsAt: resetTime?.getTime() ?? 0 } };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { reason: error.reason, quota: error.metadata['quota'] as Outcome['quota'] };
  }
}

const usedBy = (outcomes: readonly Outcome[]) => outcomes.map(({ quota }) => quota?.used ?? 0).sort((a, b) => a - b);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

for (const store of ['process', 'redis'] as const) {
  describe(`commands counted in the ${store}`, function () {
    this.timeout(120_000);
    let fixture: Fixture;
    /** The owner at each replica. */
    let owners: readonly Clients[];

    before(async function () {
      const redisUrl = store === 'redis' ? await testRedisUrl() : null;
      if (store === 'redis' && redisUrl === null) {
        this.skip();
        return;
      }
      const environment = {
        RATE_LIMIT_CONSOLE: `${limit}`,
        SERVERS_REPLICAS: '3',
        ...(redisUrl !== null && { REDIS_URL: redisUrl }),
      };
      fixture = await createFixture({ environment });
      owners = [fixture.owner];
      if (store === 'process') return;
      const address = await fixture.harness.startReplica(environment);
      owners = [fixture.owner, fixture.harness.clients(userActor(fixture.ownerId), address)];
      const { id } = await fixture.installed();
      for (const owner of owners) {
        await waitUntil('a count in Redis', async () => (await send(owner, id, 'x')).quota?.limit === limit);
      }
    });
    after(async () => fixture?.stop());

    it('counts each of 50 concurrent commands once and accepts exactly the limit', async () => {
      const { id } = await fixture.installed();
      await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
      const watching = new ConsoleWatcher(fixture.owner, id);
      await watching.untilLine('ready to play');
      const outcomes = await Promise.all(
        upTo(50).map(async (at) => send(owners[at % owners.length] ?? fixture.owner, id, `command ${at}`)),
      );
      expect(usedBy(outcomes)).to.deep.equal(upTo(50));
      for (const { reason, quota } of outcomes) {
        expect(reason).to.equal((quota?.used ?? 0) > limit ? 'RATE_LIMIT_EXCEEDED' : null);
        expect(quota?.limit).to.equal(limit);
        expect((quota?.resetsAt ?? 0) - Date.now()).to.be.within(1, 60_100);
      }
      const echoes = () => watching.lines.filter((line) => line.startsWith('echo: command'));
      await watching.until(() => echoes().length >= limit);
      expect(echoes()).to.have.length(limit);
      await watching.stop();
    });

    it('counts refusals by state, and none by access', async () => {
      const { id } = await fixture.installed();
      const strangers = ['servers.view', 'servers.delete'].map((permission, at) =>
        fixture.harness.clients(
          userActor(`8888888${at}-8888-4888-8888-888888888888`, [permission]),
          fixture.harness.address,
        ),
      );
      const refusals = await Promise.all(upTo(40).map(async (at) => send(strangers[at % 2] ?? fixture.owner, id, 'x')));
      expect(new Set(refusals.map(({ reason }) => reason))).to.deep.equal(
        new Set(['SERVER_NOT_FOUND', 'SERVER_FORBIDDEN']),
      );
      expect(refusals.filter(({ quota }) => quota !== undefined)).to.deep.equal([]);
      const first = await send(fixture.owner, id, 'x');
      expect([first.reason, first.quota?.used]).to.deep.equal(['SERVER_OFFLINE', 1]);
      await fixture.admin.servers.suspendServer({ serverId: id });
      const second = await send(fixture.owner, id, 'x');
      expect([second.reason, second.quota?.used]).to.deep.equal(['SERVER_SUSPENDED', 2]);
      await fixture.admin.servers.unsuspendServer({ serverId: id });
    });

    it('tells when the next command is accepted', async () => {
      const { id } = await fixture.installed();
      for (let used = 1; used <= limit; used++) await send(fixture.owner, id, 'x');
      const error: unknown = await fixture.owner.console.sendCommand({ serverId: id, command: 'x' }).catch((e) => e);
      if (!isAppError(error)) throw error;
      const { retryAfterSeconds } = error.metadata;
      expect(retryAfterSeconds).to.be.within(1, 60);
      expect(error.message).to.equal(`too many requests: try again in ${String(retryAfterSeconds)} seconds`);
    });

    it('counts commands of users and schedules together', async () => {
      const { id } = await fixture.installed();
      await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
      await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
      const errorOfRun = async () => {
        // An inactive schedule runs by request only.
        const changes = { active: false, tasks: [commandTask('say scheduled')] };
        const schedule = await createSchedule(fixture.owner, id, changes);
        await fixture.owner.schedules.executeSchedule({ serverId: id, scheduleId: schedule.id });
        return (await untilRuns(fixture.owner, schedule, 1)).runs[0]?.error;
      };
      for (let used = 1; used < limit; used++) expect((await send(fixture.owner, id, 'x')).quota?.used).to.equal(used);
      expect(await errorOfRun()).to.equal('');
      expect(await reasonOf(fixture.owner.console.sendCommand({ serverId: id, command: 'x' }))).to.equal(
        'RATE_LIMIT_EXCEEDED',
      );
      expect(await errorOfRun()).to.contain('used up its console commands');
    });
  });
}
