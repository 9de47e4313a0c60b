import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import {
  PowerAction,
  PowerState,
  type Schedule,
  ScheduleRun_Cause,
  ScheduleRun_Status,
  type ScheduleTask,
  ScheduleTaskResult_Status,
  UpdateScheduleRequest,
} from '@panel/protos/servers';
import { ConsoleWatcher } from '../../support/console-watcher.js';
import { allReasons, createFixture, fieldsOf, type Fixture, reasonOf } from '../../support/fixture.js';
import { type Clients, userActor } from '../../support/harness.js';
import {
  backup,
  command,
  createSchedule,
  everyMinute,
  getSchedule,
  power,
  ScheduleDoubles,
  scheduleRequest,
  untilRuns,
} from '../../support/schedules.js';

describe('schedules', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  let owner: Clients;
  const doubles = new ScheduleDoubles();
  doubles.freeze();
  before(async () => {
    fixture = await createFixture({ ports: ['31700-31899'], overrides: doubles.overrides() });
    ({ admin, owner } = fixture);
  });
  after(() => fixture.stop());
  afterEach(() => {
    doubles.limit = 1_000_000;
    doubles.permissions.clear();
  });

  const installed = async () =>
    (await fixture.installed({ featureLimits: { databases: 0, backups: 2, allocations: 1 } })).id;
  /** The status is unknown after the clock jump. */
  const untilRunning = async (serverId: string) =>
    waitUntil('a running game', async () => {
      const { resources } = await owner.console.getResources({ serverId });
      return resources?.state === PowerState.RUNNING;
    });
  const running = async () => {
    const id = await installed();
    await owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await untilRunning(id);
    return id;
  };
  const update = (schedule: Schedule, changes: Partial<UpdateScheduleRequest>, clients = owner) =>
    clients.schedules.updateSchedule(
      UpdateScheduleRequest.create({ serverId: schedule.serverId, scheduleId: schedule.id, ...changes }),
    );
  const execute = async ({ serverId, id }: Schedule, clients = owner) =>
    clients.schedules.executeSchedule({ serverId, scheduleId: id });
  const ended = async (schedule: Schedule) => (await untilRuns(owner, schedule, 1)).runs[0];

  /** After the current run. */
  const untilEnded = async (schedule: Schedule) =>
    waitUntil('the end of the run', async () => {
      const { runs } = await getSchedule(owner, schedule);
      return runs[0]?.status === ScheduleRun_Status.RUNNING ? undefined : runs;
    });

  describe('as resources', () => {
    it('creates, lists, reads, changes in part and deletes schedules', async () => {
      const serverId = await installed();
      const tasks = [command('say hi'), power('restart', { timeOffsetSeconds: 60, continueOnFailure: true })];
      const cron = { ...everyMinute, minute: '0', hour: '4', dayOfWeek: 'SUN' };
      const schedule = await createSchedule(owner, serverId, { cron, timezone: 'Europe/Berlin', tasks });
      expect(schedule).to.deep.include({ active: true, onlyWhenOnline: false, authorId: fixture.ownerId, runs: [] });
      expect(schedule.nextRunTime?.getTime()).to.be.greaterThan(doubles.now().getTime());
      expect(schedule.tasks.map(({ sequence, payload }) => [sequence, payload])).to.deep.equal([
        [1, 'say hi'],
        [2, 'restart'],
      ]);
      const { schedules } = await owner.schedules.listSchedules({ serverId });
      expect(schedules).to.deep.equal([schedule]);
      const retained = schedule.tasks[1];
      const { schedule: changed } = await update(schedule, {
        name: 'renamed',
        cron: { minute: '30', hour: '', dayOfMonth: '', month: '', dayOfWeek: '' },
        tasks: { tasks: retained ? [retained, backup('*.log\n\nworld/')] : [] },
      });
      expect(changed).to.deep.include({ name: 'renamed', timezone: 'Europe/Berlin', cron: { ...cron, minute: '30' } });
      expect(changed?.tasks.map(({ payload }) => payload)).to.deep.equal(['restart', '*.log\n\nworld/']);
      expect(changed?.tasks[0]?.id).to.equal(retained?.id);
      const { schedule: inactive } = await update(schedule, { active: false });
      expect(inactive).to.deep.include({ active: false, nextRunTime: undefined, name: 'renamed' });
      await owner.schedules.deleteSchedule({ serverId, scheduleId: schedule.id });
      expect(await reasonOf(getSchedule(owner, schedule))).to.equal('SCHEDULE_NOT_FOUND');
    });

    it('names the fields that are wrong', async () => {
      const serverId = await installed();
      const fields = (changes: Parameters<typeof createSchedule>[2]) =>
        fieldsOf(createSchedule(owner, serverId, changes));
      expect(await fields({ name: '' })).to.deep.equal(['name']);
      expect(await fields({ timezone: 'Mars/Olympus' })).to.deep.equal(['timezone']);
      expect(await fields({ cron: { ...everyMinute, minute: '61', hour: '*/0' } })).to.deep.equal([
        'cron.hour',
        'cron.minute',
      ]);
      expect(await fields({ cron: { ...everyMinute, dayOfMonth: '31', month: '2' } })).to.deep.equal(['cron']);
      expect(await fields({ tasks: Array.from({ length: 11 }, () => command('x')) })).to.deep.equal(['tasks']);
      expect(await fields({ tasks: [power('explode')] })).to.deep.equal(['tasks.0.payload']);
      expect(await fields({ tasks: [command('x', { timeOffsetSeconds: 901 })] })).to.deep.equal([
        'tasks.0.time_offset',
      ]);
    });

    for (const payload of ['', 'say a\nop b', 'say a\rop b', 'say \u0003', 'say \u2028op b', 'x'.repeat(4097)]) {
      it(`refuses the command ${JSON.stringify(payload).slice(0, 20)}`, async () => {
        const serverId = await installed();
        expect(await fieldsOf(createSchedule(owner, serverId, { tasks: [command(payload)] }))).to.deep.equal([
          'tasks.0.payload',
        ]);
      });
    }

    it('refuses schedules with backups of a server that may have none', async () => {
      const { id } = await fixture.installed({ skipScripts: true });
      expect(await fieldsOf(createSchedule(owner, id, { tasks: [backup()] }))).to.deep.equal(['tasks.0.action']);
    });

    it('limits schedules to 50, also when 80 are created at once', async () => {
      const serverId = await installed();
      const results = await Promise.all(
        Array.from({ length: 80 }, () => reasonOf(owner.schedules.createSchedule(scheduleRequest(serverId)))),
      );
      expect(results.filter((result) => result === 'none')).to.have.length(50);
      expect(new Set(results)).to.deep.equal(new Set(['none', 'SCHEDULE_LIMIT', 'RATE_LIMIT_EXCEEDED']));
    });

    it('deletes schedules with their server', async () => {
      const serverId = await installed();
      await createSchedule(owner, serverId);
      await admin.servers.deleteServer({ serverId, force: false });
      await waitUntil('the deletion', async () => (await reasonOf(getServer(serverId))) === 'SERVER_NOT_FOUND');
      const connection = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
      expect(await connection.collection('schedules').countDocuments({ serverId })).to.equal(0);
      await connection.close();
    });
  });

  const getServer = async (serverId: string) => owner.servers.getServer({ serverId, asStaff: false });

  describe('at their time', () => {
    it('runs the tasks of a schedule in order, once a tick, and keeps the result of each', async () => {
      const serverId = await running();
      const watcher = new ConsoleWatcher(owner, serverId);
      const schedule = await createSchedule(owner, serverId, { tasks: [command('first'), command('second')] });
      doubles.advance(60);
      const run = await ended(schedule);
      expect(run).to.deep.include({
        status: ScheduleRun_Status.SUCCEEDED,
        cause: ScheduleRun_Cause.TRIGGER,
        error: '',
      });
      expect(run?.tasks.map(({ sequence, status: result }) => [sequence, result])).to.deep.equal([
        [1, ScheduleTaskResult_Status.SUCCEEDED],
        [2, ScheduleTaskResult_Status.SUCCEEDED],
      ]);
      await watcher.untilLine('echo: second');
      expect(watcher.lines.filter((line) => line.startsWith('echo'))).to.deep.equal(['echo: first', 'echo: second']);
      const after = await getSchedule(owner, schedule);
      expect(after.lastRunTime).not.to.equal(undefined);
      expect(after.nextRunTime?.getTime()).to.be.greaterThan(schedule.nextRunTime?.getTime() ?? Infinity);
      await watcher.stop();
    });

    it('waits for the offset of a task', async () => {
      const serverId = await running();
      const tasks = [command('first'), command('second', { timeOffsetSeconds: 300 })];
      // not due meanwhile
      const minute = String((doubles.now().getUTCMinutes() + 30) % 60);
      const schedule = await createSchedule(owner, serverId, { cron: { ...everyMinute, minute }, tasks });
      await execute(schedule);
      const waiting = await waitUntil('the first task', async () => {
        const { runs } = await getSchedule(owner, schedule);
        return runs[0]?.tasks.length === 1 ? runs : undefined;
      });
      expect(waiting[0]?.status).to.equal(ScheduleRun_Status.RUNNING);
      doubles.advance(301);
      expect((await ended(schedule))?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
    });

    describe('and a task that waits', () => {
      const offset = { timeOffsetSeconds: 300 };
      /** The first task has run. */
      const untilWaiting = async (schedule: Schedule) =>
        waitUntil('the second task to wait', async () => {
          const { runs } = await getSchedule(owner, schedule);
          return runs[0]?.tasks.length === 1 && runs[0].status === ScheduleRun_Status.RUNNING;
        });
      const startWaiting = async (tasks: ScheduleTask[]) => {
        const serverId = await running();
        const watcher = new ConsoleWatcher(owner, serverId);
        const minute = String((doubles.now().getUTCMinutes() + 30) % 60);
        const schedule = await createSchedule(owner, serverId, { cron: { ...everyMinute, minute }, tasks });
        await execute(schedule);
        await untilWaiting(schedule);
        return { schedule: await getSchedule(owner, schedule), watcher };
      };

      it('runs no task that was removed meanwhile, and those behind it', async () => {
        const tasks = [command('first'), command('removed', offset), command('last')];
        const { schedule, watcher } = await startWaiting(tasks);
        const [first, , last] = schedule.tasks;
        await update(schedule, { tasks: { tasks: [first, last].filter((task) => task !== undefined) } });
        doubles.advance(301);
        await watcher.untilLine('echo: last');
        expect(await ended(schedule)).to.deep.include({ status: ScheduleRun_Status.SUCCEEDED, error: '' });
        expect(watcher.lines).not.to.include('echo: removed');
        await watcher.stop();
      });

      it('ends with what it has done when no task is left', async () => {
        const { schedule, watcher } = await startWaiting([command('first'), command('removed', offset)]);
        await update(schedule, { tasks: { tasks: schedule.tasks.slice(0, 1) } });
        doubles.advance(301);
        const run = await ended(schedule);
        expect(run?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
        expect(run?.tasks).to.have.length(1);
        expect(watcher.lines).not.to.include('echo: removed');
        await watcher.stop();
      });

      it('ends at once when the schedule is switched off, and can be executed again', async () => {
        const { schedule, watcher } = await startWaiting([command('first'), command('waits', offset)]);
        const answered = (await update(schedule, { active: false })).schedule?.runs[0];
        const [run] = (await getSchedule(owner, schedule)).runs;
        expect(answered).to.deep.equal(run);
        expect(run).to.deep.include({ status: ScheduleRun_Status.CANCELLED, error: 'the schedule was deactivated' });
        expect(run?.tasks).to.have.length(1);
        doubles.advance(3);
        await execute(schedule);
        await untilWaiting(schedule);
        doubles.advance(301);
        await watcher.untilLine('echo: waits');
        expect((await untilRuns(owner, schedule, 2)).runs[0]?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
        expect(watcher.lines.filter((line) => line === 'echo: waits')).to.have.length(1);
        await watcher.stop();
      });
    });

    it('runs a schedule once after a pause, and skips what is late by more than an hour', async () => {
      const serverId = await running();
      const schedule = await createSchedule(owner, serverId, { tasks: [command('late')] });
      doubles.advance(30 * 60);
      expect((await ended(schedule))?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
      doubles.advance(2 * 60 * 60);
      const { runs } = await untilRuns(owner, schedule, 2);
      expect(runs.map(({ status: result }) => result)).to.deep.equal([
        ScheduleRun_Status.SKIPPED,
        ScheduleRun_Status.SUCCEEDED,
      ]);
    });

    it('keeps the last ten runs of a schedule', async () => {
      const serverId = await installed();
      // An inactive schedule runs by request only.
      const schedule = await createSchedule(owner, serverId, { active: false, tasks: [command('x')] });
      const ids: string[] = [];
      for (let run = 0; run < 12; run++) {
        doubles.advance(3);
        await execute(schedule);
        const current = (await untilEnded(schedule)).map(({ id }) => id);
        ids.unshift(...current.slice(0, 1));
        expect(current).to.deep.equal(ids.slice(0, 10));
      }
      expect(new Set(ids).size).to.equal(12);
    });

    it('skips schedules while the server does not run, if they say so', async () => {
      const serverId = await installed();
      const schedule = await createSchedule(owner, serverId, { onlyWhenOnline: true, tasks: [command('x')] });
      doubles.advance(60);
      expect(await ended(schedule)).to.deep.include({
        status: ScheduleRun_Status.SKIPPED,
        error: 'the server did not run',
      });
    });

    it('skips schedules while the server is suspended, and locks them for its owner', async () => {
      const serverId = await running();
      const schedule = await createSchedule(owner, serverId, { tasks: [command('x')] });
      await admin.servers.suspendServer({ serverId });
      doubles.advance(60);
      expect(await ended(schedule)).to.deep.include({
        status: ScheduleRun_Status.SKIPPED,
        error: 'the server was suspended',
      });
      const attempts = [
        execute(schedule),
        owner.schedules.cancelRun({ serverId, scheduleId: schedule.id }),
        update(schedule, { name: 'x' }),
        createSchedule(owner, serverId),
        owner.schedules.deleteSchedule({ serverId, scheduleId: schedule.id }),
      ];
      expect(await allReasons(attempts)).to.deep.equal(['SERVER_SUSPENDED']);
    });

    it('ends a run at a task that fails, or continues', async () => {
      const serverId = await installed();
      const stopping = await createSchedule(owner, serverId, { tasks: [command('x'), backup()] });
      const going = await createSchedule(owner, serverId, {
        tasks: [command('x', { continueOnFailure: true }), backup('*.log')],
      });
      doubles.advance(60);
      const first = await ended(stopping);
      expect(first).to.deep.include({ status: ScheduleRun_Status.FAILED, error: 'task 1: the server does not run' });
      expect(first?.tasks).to.have.length(1);
      expect((await ended(going))?.tasks.map(({ status: result }) => result)).to.deep.equal([
        ScheduleTaskResult_Status.FAILED,
        ScheduleTaskResult_Status.SUCCEEDED,
      ]);
      const made = doubles.backups.filter(({ server }) => server.id === serverId);
      expect(made.map(({ ignoredFiles, requestedBy }) => [ignoredFiles, requestedBy])).to.deep.equal([
        [['*.log'], fixture.ownerId],
      ]);
    });

    it('starts and stops the server, and counts one that is as wanted already as no failure', async () => {
      const serverId = await installed();
      const schedule = await createSchedule(owner, serverId, {
        tasks: [power('stop'), power('start'), power('start')],
      });
      doubles.advance(60);
      expect((await ended(schedule))?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
      await untilRunning(serverId);
    });

    it('applies the limits of the server to its schedules', async () => {
      const serverId = await running();
      doubles.limit = 1;
      const schedule = await createSchedule(owner, serverId, { tasks: [command('a'), command('b')] });
      doubles.advance(60);
      expect((await ended(schedule))?.error).to.equal(
        'task 2: the server has used up its console commands of this minute',
      );
      expect(doubles.commands.get(serverId)).to.equal(2);
    });
  });

  describe('executed by a user', () => {
    it('runs a schedule once for fifty concurrent requests, and not again during that run', async () => {
      const serverId = await running();
      const watcher = new ConsoleWatcher(owner, serverId);
      const tasks = [command('once'), command('later', { timeOffsetSeconds: 600 })];
      const schedule = await createSchedule(owner, serverId, { active: false, tasks });
      const results = await Promise.all(Array.from({ length: 50 }, () => reasonOf(execute(schedule))));
      expect(results.filter((result) => result === 'none')).to.have.length(1);
      expect(new Set(results)).to.deep.equal(new Set(['none', 'SCHEDULE_RUNNING']));
      await watcher.untilLine('echo: once');
      doubles.advance(60);
      expect(await reasonOf(execute(schedule))).to.equal('SCHEDULE_RUNNING');
      doubles.advance(600);
      await watcher.untilLine('echo: later');
      expect((await ended(schedule))?.cause).to.equal(ScheduleRun_Cause.MANUAL);
      expect(watcher.lines.filter((line) => line === 'echo: once')).to.have.length(1);
      await execute(schedule);
      await watcher.stop();
    });

    it('runs a schedule whose run has ended again from two seconds after its start on, and says why not before', async () => {
      const schedule = await createSchedule(owner, await installed(), { active: false, tasks: [command('x')] });
      await execute(schedule);
      await untilEnded(schedule);
      doubles.advance(1);
      const refusal = await execute(schedule).catch((error: unknown) => error);
      expect(refusal).to.include({
        reason: 'SCHEDULE_RUNNING',
        message: 'a run of this schedule is in progress or has just started',
      });
      doubles.advance(1);
      await execute(schedule);
      expect(await untilEnded(schedule)).to.have.length(2);
    });

    it('says that the server does not run where a schedule needs that', async () => {
      const serverId = await installed();
      const schedule = await createSchedule(owner, serverId, { onlyWhenOnline: true, tasks: [power('start')] });
      expect(await reasonOf(execute(schedule))).to.equal('SERVER_OFFLINE');
      expect((await getSchedule(owner, schedule)).runs).to.deep.equal([]);
    });

    it('refuses to execute a schedule without tasks', async () => {
      const schedule = await createSchedule(owner, await installed());
      expect(await reasonOf(execute(schedule))).to.equal('SCHEDULE_EMPTY');
    });
  });

  describe('and rights', () => {
    const keyOf = (...permissions: string[]) =>
      fixture.harness.clients(
        {
          kind: 'user',
          userId: fixture.ownerId,
          permissions: [],
          keyPermissions: permissions,
          method: 'api_key',
          credentialId: 'key',
          ip: '127.0.0.1',
        },
        fixture.harness.address,
      );

    it('hides all schedules from other users, and their tasks from under another schedule', async () => {
      const [serverId, otherId] = [await installed(), await installed()];
      const schedule = await createSchedule(owner, serverId, { tasks: [command('x')] });
      const stranger = fixture.harness.clients(userActor(randomUUID()), fixture.harness.address);
      const attempts = (clients: Clients, ids: { serverId: string; scheduleId: string }) => [
        clients.schedules.getSchedule(ids),
        clients.schedules.updateSchedule(UpdateScheduleRequest.create({ ...ids, name: 'mine' })),
        clients.schedules.executeSchedule(ids),
        clients.schedules.cancelRun(ids),
        clients.schedules.rotateScheduleWebhook(ids),
        clients.schedules.deleteSchedule(ids),
      ];
      const foreign = attempts(stranger, { serverId, scheduleId: schedule.id });
      expect(await allReasons(foreign)).to.deep.equal(['SERVER_NOT_FOUND']);
      expect(await reasonOf(stranger.schedules.listSchedules({ serverId }))).to.equal('SERVER_NOT_FOUND');
      expect(await reasonOf(createSchedule(stranger, serverId))).to.equal('SERVER_NOT_FOUND');
      for (const scheduleId of [schedule.id, randomUUID()])
        expect(await allReasons(attempts(owner, { serverId: otherId, scheduleId }))).to.deep.equal([
          'SCHEDULE_NOT_FOUND',
        ]);
      expect((await getSchedule(owner, schedule)).name).to.equal('a schedule');
    });

    for (const { task, permission } of [
      { task: command('op me'), permission: 'control.console' },
      { task: power('start'), permission: 'control.start' },
      { task: power('kill'), permission: 'control.stop' },
      { task: power('restart'), permission: 'control.restart' },
      { task: backup(), permission: 'backup.create' },
    ]) {
      it(`refuses a task to whoever lacks ${permission}, at creation, change, rotation, execution and cancellation`, async () => {
        const serverId = await installed();
        const schedule = await createSchedule(owner, serverId, { active: false, tasks: [task] });
        const empty = await createSchedule(owner, serverId, { active: false });
        const area = keyOf('schedule.create', 'schedule.read', 'schedule.update', 'schedule.delete');
        const ids = { serverId, scheduleId: schedule.id };
        const attempts = [
          createSchedule(area, serverId, { tasks: [task] }),
          update(empty, { tasks: { tasks: [task] } }, area),
          update(schedule, { active: true }, area),
          execute(schedule, area),
          area.schedules.cancelRun(ids),
          area.schedules.rotateScheduleWebhook(ids),
        ];
        expect(await allReasons(attempts)).to.deep.equal(['SERVER_FORBIDDEN']);
        const holder = keyOf('schedule.create', 'schedule.update', 'schedule.read', permission);
        await createSchedule(holder, serverId, { active: false, tasks: [task] });
        expect((await update(schedule, { name: 'changed' }, holder)).schedule?.name).to.equal('changed');
        await area.schedules.deleteSchedule(ids).catch((error: unknown) => expect.fail(String(error)));
      });
    }

    it('ends a schedule whose author has lost their permissions, visibly', async () => {
      const serverId = await running();
      const staffId = randomUUID();
      const staff = fixture.harness.clients(userActor(staffId, ['servers.update']), fixture.harness.address);
      doubles.permissions.set(staffId, ['control.console']);
      const schedule = await createSchedule(staff, serverId, { tasks: [command('by staff')] });
      doubles.advance(60);
      expect((await ended(schedule))?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
      doubles.permissions.set(staffId, []);
      doubles.advance(60);
      const after = await untilRuns(owner, schedule, 2);
      expect(after).to.deep.include({ active: false, nextRunTime: undefined });
      expect(after.runs[0]?.status).to.equal(ScheduleRun_Status.FAILED);
      expect(after.runs[0]?.error).to.contain('no longer holds control.console');
      doubles.advance(5);
      await execute(schedule);
      expect((await untilRuns(owner, schedule, 3)).runs[0]?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
    });

    it('lets staff with read access read schedules, and nothing else', async () => {
      const serverId = await installed();
      const schedule = await createSchedule(owner, serverId, { tasks: [command('x')] });
      const viewer = fixture.harness.clients(userActor(randomUUID(), ['servers.view']), fixture.harness.address);
      expect((await getSchedule(viewer, schedule)).webhookSignature).to.equal('');
      expect(await reasonOf(execute(schedule, viewer))).to.equal('SERVER_FORBIDDEN');
      expect(await reasonOf(createSchedule(viewer, serverId))).to.equal('SERVER_FORBIDDEN');
    });
  });
});
