import { deferred, waitUntil } from '@panel/kit/testing';
import {
  type Schedule,
  ScheduleRun_Status,
  type ScheduleTask,
  ScheduleTaskResult_Status,
  UpdateScheduleRequest,
} from '@panel/protos/servers';
import { expect } from 'chai';
import { createFixture, type Fixture } from '../../support/fixture.js';
import { type Clients, userActor } from '../../support/harness.js';
import { backup, createSchedule, getSchedule, ScheduleDoubles, untilRuns } from '../../support/schedules.js';

describe('runs of schedules that are cancelled', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let owner: Clients;
  const doubles = new ScheduleDoubles();
  doubles.freeze();
  before(async () => {
    fixture = await createFixture({ ports: ['32000-32099'], overrides: doubles.overrides() });
    ({ owner } = fixture);
  });
  after(() => fixture.stop());
  afterEach(() => {
    doubles.backupGate = undefined;
  });

  const installed = async () =>
    (await fixture.installed({ featureLimits: { databases: 0, backups: 2, allocations: 1 } })).id;
  const idsOf = ({ serverId, id }: Schedule) => ({ serverId, scheduleId: id });
  const cancel = async (schedule: Schedule, clients = owner) => clients.schedules.cancelRun(idsOf(schedule));
  const update = async (schedule: Schedule, changes: Partial<UpdateScheduleRequest>) =>
    owner.schedules.updateSchedule(UpdateScheduleRequest.create({ ...idsOf(schedule), ...changes }));
  const backupsOf = ({ serverId }: Schedule) => doubles.backups.filter(({ server }) => server.id === serverId).length;
  const ended = async (schedule: Schedule) => (await untilRuns(owner, schedule, 1)).runs[0];

  /** Who has cancelled runs of it. */
  const cancelledBy = async (schedule: Schedule) =>
    waitUntil('the activity', () => {
      const events = [...fixture.harness.fakes.activity.values()].filter(
        ({ event, properties }) => event === 'server:schedule.cancel' && properties['schedule_id'] === schedule.id,
      );
      return events.length > 0 && events.map(({ actorId }) => actorId);
    });

  /** An inactive schedule, which runs by request only. */
  const executed = async (...tasks: ScheduleTask[]) => {
    const schedule = await createSchedule(owner, await installed(), { active: false, tasks });
    await owner.schedules.executeSchedule(idsOf(schedule));
    return schedule;
  };
  /** The first task has run, the second one waits. */
  const waiting = async () => {
    const schedule = await executed(backup(), backup('', { timeOffsetSeconds: 300 }));
    await waitUntil('the second task to wait', async () => {
      const { runs } = await getSchedule(owner, schedule);
      return runs[0]?.tasks.length === 1;
    });
    return schedule;
  };
  /** The first of three tasks is in progress until `finish` is called. */
  const executing = async () => {
    const gate = deferred();
    doubles.backupGate = gate.promise;
    const schedule = await executed(backup(), backup(), backup('', { timeOffsetSeconds: 300 }));
    await waitUntil('the first task', () => backupsOf(schedule) === 1);
    return { schedule, finish: () => gate.resolve() };
  };

  it('ends a run that waits at once, starts none of its tasks, and says who it was', async () => {
    const schedule = await waiting();
    const { schedule: answered, cancelled } = await cancel(schedule);
    expect(cancelled).to.equal(true);
    expect(answered?.runs[0]).to.deep.include({
      status: ScheduleRun_Status.CANCELLED,
      error: 'a user cancelled it',
      endTime: doubles.now(),
    });
    expect(answered).to.deep.equal(await getSchedule(owner, schedule));
    doubles.advance(301);
    const after = await executed(backup());
    await ended(after);
    expect(backupsOf(schedule)).to.equal(1);
    expect(await cancelledBy(schedule)).to.deep.equal([fixture.ownerId]);
  });

  it('ends a run after its task in progress, which another replica runs', async () => {
    const address = await fixture.harness.startReplica({}, doubles.overrides());
    const { schedule, finish } = await executing();
    const { schedule: answered, cancelled } = await cancel(
      schedule,
      fixture.harness.clients(userActor(fixture.ownerId), address),
    );
    expect(cancelled).to.equal(true);
    expect(answered?.runs[0]?.status).to.equal(ScheduleRun_Status.RUNNING);
    finish();
    const run = await ended(schedule);
    expect(run).to.deep.include({ status: ScheduleRun_Status.CANCELLED, error: 'a user cancelled it' });
    expect(run?.tasks.map(({ status }) => status)).to.deep.equal([ScheduleTaskResult_Status.SUCCEEDED]);
    expect(backupsOf(schedule)).to.equal(1);
  });

  it('changes nothing without a run in progress', async () => {
    const schedule = await executed(backup());
    await ended(schedule);
    const before = await getSchedule(owner, schedule);
    expect(await cancel(schedule)).to.deep.equal({ schedule: before, cancelled: false });
  });

  it('cancels a run once for fifty requests beside its execution', async () => {
    const tasks = [backup(), backup(), backup('', { timeOffsetSeconds: 300 })];
    const schedule = await createSchedule(owner, await installed(), { active: false, tasks });
    const cancels = Array.from({ length: 50 }, async () => (await cancel(schedule)).cancelled);
    const [answers] = await Promise.all([Promise.all(cancels), owner.schedules.executeSchedule(idsOf(schedule))]);
    // Those before the execution found nothing.
    answers.push((await cancel(schedule)).cancelled);
    expect(answers.filter(Boolean)).to.have.length(1);
    const run = await ended(schedule);
    expect(run?.status).to.equal(ScheduleRun_Status.CANCELLED);
    expect(backupsOf(schedule)).to.equal(run?.tasks.length).and.be.within(0, 2);
    expect((await getSchedule(owner, schedule)).runs).to.have.length(1);
    expect(await cancelledBy(schedule)).to.deep.equal([fixture.ownerId]);
  });

  it('ends at once a run that waits, of an inactive schedule too, when the schedule is switched off', async () => {
    const schedule = await waiting();
    const { schedule: answered } = await update(schedule, { active: false });
    expect(answered?.runs[0]).to.deep.include({
      status: ScheduleRun_Status.CANCELLED,
      error: 'the schedule was deactivated',
    });
    expect(answered?.runs[0]?.tasks).to.have.length(1);
    doubles.advance(301);
    await owner.schedules.executeSchedule(idsOf(schedule));
    await waitUntil('the next run', () => backupsOf(schedule) === 2);
  });

  it('starts no further task when the schedule is switched off while a task is in progress', async () => {
    const { schedule, finish } = await executing();
    const { schedule: answered } = await update(schedule, { active: false });
    expect(answered?.runs[0]?.status).to.equal(ScheduleRun_Status.RUNNING);
    finish();
    const run = await ended(schedule);
    expect(run).to.deep.include({ status: ScheduleRun_Status.CANCELLED, error: 'the schedule was deactivated' });
    expect(run?.tasks).to.have.length(1);
    expect(backupsOf(schedule)).to.equal(1);
  });

  it('goes on with a run when something else of its schedule changes', async () => {
    const { schedule, finish } = await executing();
    await update(schedule, { name: 'renamed' });
    finish();
    await waitUntil('the second task', () => backupsOf(schedule) === 2);
    doubles.advance(301);
    expect((await ended(schedule))?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
    expect(backupsOf(schedule)).to.equal(3);
  });

  it('starts no task that is removed while the one before it is in progress', async () => {
    const { schedule, finish } = await executing();
    const tasks = (await getSchedule(owner, schedule)).tasks.slice(0, 1);
    await update(schedule, { tasks: { tasks } });
    finish();
    const run = await ended(schedule);
    expect(run?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
    expect(run?.tasks).to.have.length(1);
    expect(backupsOf(schedule)).to.equal(1);
  });

  it('ends a run at once when the last task that it waits for is removed', async () => {
    const schedule = await waiting();
    const tasks = (await getSchedule(owner, schedule)).tasks.slice(0, 1);
    const { schedule: answered } = await update(schedule, { tasks: { tasks } });
    expect(answered?.runs[0]?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
    expect(answered?.runs[0]?.tasks).to.have.length(1);
  });
});
