import { serviceActor } from '@panel/rpc';
import {
  PowerAction,
  ScheduleRun_Status,
  ScheduleTaskResult_Status,
  Server_Status,
  Trigger,
  Trigger_Kind,
} from '@panel/protos/servers';
import { expect } from 'chai';
import { ConsoleWatcher } from '../../support/console-watcher.js';
import { createFixture, type Fixture, waitForServer } from '../../support/fixture.js';
import { type Clients, userActor } from '../../support/harness.js';
import { backup, command, createSchedule, getSchedule, ScheduleDoubles, untilRuns } from '../../support/schedules.js';
import { ServiceProcess } from '../../support/service-process.js';

describe('schedules of several replicas', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let owner: Clients;
  let doubles: ScheduleDoubles;
  const processes: ServiceProcess[] = [];
  beforeEach(async () => {
    doubles = new ScheduleDoubles();
    fixture = await createFixture({ ports: ['31950-31999'], overrides: doubles.overrides() });
    ({ owner } = fixture);
  });
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.kill();
    await fixture.stop();
  });

  it('runs each of forty schedules once a tick', async () => {
    doubles.freeze();
    const server = await fixture.installed({ featureLimits: { databases: 0, backups: 2, allocations: 1 } });
    const replicas = [owner];
    for (let replica = 0; replica < 2; replica++) {
      const address = await fixture.harness.startReplica({}, doubles.overrides());
      replicas.push(fixture.harness.clients(userActor(fixture.ownerId), address));
    }
    const schedules = await Promise.all(
      Array.from({ length: 40 }, async (_, index) =>
        createSchedule(replicas[index % 3] ?? owner, server.id, { tasks: [backup(), backup()] }),
      ),
    );
    for (let tick = 1; tick <= 3; tick++) {
      doubles.advance(60);
      await Promise.all(schedules.map(async (schedule) => untilRuns(owner, schedule, tick)));
      expect(doubles.backups).to.have.length(80 * tick);
    }
    for (const schedule of schedules) {
      const { runs } = await getSchedule(owner, schedule);
      expect(runs.map(({ status }) => status)).to.deep.equal(Array(3).fill(ScheduleRun_Status.SUCCEEDED));
    }
  });

  /** With a running game; the only replica exits at `point`. */
  async function dieAt(point: string) {
    const { id: serverId } = await fixture.installed();
    await owner.console.sendPowerAction({ serverId, action: PowerAction.START });
    await waitForServer(owner, serverId, ({ status }) => status === Server_Status.RUNNING);
    const tasks = [command('one'), command('two'), command('three')];
    const trigger = Trigger.create({ kind: Trigger_Kind.WEBHOOK });
    const schedule = await createSchedule(owner, serverId, { trigger, tasks });
    await fixture.harness.stopReplica();
    const dying = await ServiceProcess.start(
      fixture.harness.environment({ NODE_LEASE_TTL: '4s', FAILPOINT: `${point}:kill` }),
    );
    processes.push(dying);
    const clients = fixture.harness.clients(userActor(fixture.ownerId), dying.address);
    return { serverId, schedule, dying, clients };
  }

  const linesOf = async (clients: Clients, serverId: string) => {
    const watcher = await ConsoleWatcher.whenTaken(clients, serverId, 100);
    await watcher.untilLine('echo: three');
    await watcher.stop();
    return watcher.lines.filter((line) => line.startsWith('echo:'));
  };

  it('continues with the next task after kill -9 in the middle of a run, and repeats none', async () => {
    const { serverId, schedule, dying, clients } = await dieAt('schedule.executed');
    const ids = { serverId, scheduleId: schedule.id };
    await clients.schedules.executeSchedule(ids).catch(() => undefined);
    await dying.ended();
    const address = await fixture.harness.startReplica({ NODE_LEASE_TTL: '4s' }, doubles.overrides());
    const survivor = fixture.harness.clients(userActor(fixture.ownerId), address);
    const waiting = await getSchedule(survivor, schedule);
    expect(waiting.runs.map(({ status }) => status)).to.deep.equal([ScheduleRun_Status.RUNNING]);
    doubles.advance(61);
    const [run] = (await untilRuns(survivor, schedule, 1)).runs;
    expect(run?.tasks.map(({ status }) => status)).to.deep.equal([
      ScheduleTaskResult_Status.INTERRUPTED,
      ScheduleTaskResult_Status.SUCCEEDED,
      ScheduleTaskResult_Status.SUCCEEDED,
    ]);
    expect(await linesOf(survivor, serverId)).to.deep.equal(['echo: one', 'echo: two', 'echo: three']);
  });

  it('ends a run that was cancelled after kill -9 of the replica that runs it', async () => {
    const { serverId, schedule, dying, clients } = await dieAt('schedule.executed');
    const ids = { serverId, scheduleId: schedule.id };
    await clients.schedules.executeSchedule(ids).catch(() => undefined);
    await dying.ended();
    const replica = async () =>
      fixture.harness.clients(
        userActor(fixture.ownerId),
        await fixture.harness.startReplica({ NODE_LEASE_TTL: '4s' }, doubles.overrides()),
      );
    const { schedule: answered, cancelled } = await (await replica()).schedules.cancelRun(ids);
    expect(cancelled).to.equal(true);
    expect(answered?.runs[0]?.status).to.equal(ScheduleRun_Status.RUNNING);
    await fixture.harness.stopReplica();
    const survivor = await replica();
    doubles.advance(61);
    const [run] = (await untilRuns(survivor, schedule, 1)).runs;
    expect(run?.status).to.equal(ScheduleRun_Status.CANCELLED);
    expect(run?.tasks.map(({ status }) => status)).to.deep.equal([ScheduleTaskResult_Status.INTERRUPTED]);
  });

  it('carries out no task whose start was claimed by a process that died before it', async () => {
    const { serverId, schedule, dying } = await dieAt('schedule.claimed');
    const gateway = fixture.harness.clients(serviceActor('gateway'), dying.address);
    await gateway.schedules.triggerSchedule({ scheduleId: schedule.id, signature: schedule.webhookSignature });
    await dying.ended();
    const address = await fixture.harness.startReplica({ NODE_LEASE_TTL: '4s' }, doubles.overrides());
    const survivor = fixture.harness.clients(userActor(fixture.ownerId), address);
    doubles.advance(61);
    const [run] = (await untilRuns(survivor, schedule, 1)).runs;
    expect(run?.tasks[0]?.status).to.equal(ScheduleTaskResult_Status.INTERRUPTED);
    expect(await linesOf(survivor, serverId)).to.deep.equal(['echo: two', 'echo: three']);
  });
});
