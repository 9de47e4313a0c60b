import { randomUUID } from 'node:crypto';
import { serviceActor } from '@panel/rpc';
import { waitUntil } from '@panel/kit/testing';
import { Backup_State } from '@panel/protos/files';
import {
  PowerAction,
  PowerState,
  type Schedule,
  ScheduleRun_Cause,
  ScheduleRun_Status,
  Trigger,
  Trigger_Kind,
  UpdateScheduleRequest,
} from '@panel/protos/servers';
import { expect } from 'chai';
import { createFixture, fieldsOf, type Fixture, reasonOf, waitForServer } from '../../support/fixture.js';
import type { Clients } from '../../support/harness.js';
import { backup, command, createSchedule, getSchedule, ScheduleDoubles, untilRuns } from '../../support/schedules.js';

describe('triggers of schedules', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let owner: Clients;
  let gateway: Clients;
  const doubles = new ScheduleDoubles();
  doubles.freeze();
  before(async () => {
    fixture = await createFixture({ ports: ['31900-31949'], overrides: doubles.overrides() });
    ({ owner } = fixture);
    gateway = fixture.harness.clients(serviceActor('gateway'), fixture.harness.address);
  });
  after(() => fixture.stop());

  const installed = async () => {
    const { id } = await fixture.installed({ featureLimits: { databases: 0, backups: 2, allocations: 1 } });
    return id;
  };
  const start = async (serverId: string) => {
    await owner.console.sendPowerAction({ serverId, action: PowerAction.START });
    await waitUntil('a running game', async () => {
      const { resources } = await owner.console.getResources({ serverId });
      return resources?.state === PowerState.RUNNING;
    });
  };
  const say = async (serverId: string, text: string) => owner.console.sendCommand({ serverId, command: text });
  const withTrigger = async (serverId: string, trigger: Partial<Trigger>, changes = {}) =>
    createSchedule(owner, serverId, { trigger: Trigger.create(trigger), tasks: [backup()], ...changes });
  const backupsOf = (serverId: string) => doubles.backups.filter(({ server }) => server.id === serverId).length;
  const untilDue = async (schedule: Schedule) =>
    waitUntil('a time of the next run', async () => (await getSchedule(owner, schedule)).nextRunTime);

  it('runs a schedule when the server has started, and not at a time', async () => {
    const serverId = await installed();
    const schedule = await withTrigger(serverId, { kind: Trigger_Kind.SERVER_STARTED }, { tasks: [command('hello')] });
    expect(schedule.nextRunTime).to.equal(undefined);
    doubles.advance(120);
    await start(serverId);
    const { runs } = await untilRuns(owner, schedule, 1);
    expect(runs[0]).to.deep.include({ status: ScheduleRun_Status.SUCCEEDED, cause: ScheduleRun_Cause.TRIGGER });
    expect(runs).to.have.length(1);
  });

  it('runs a schedule when the game crashes, and not when it is stopped', async () => {
    const serverId = await installed();
    const schedule = await withTrigger(serverId, { kind: Trigger_Kind.SERVER_CRASHED });
    await start(serverId);
    await say(serverId, 'crash');
    await untilRuns(owner, schedule, 1);
    expect(backupsOf(serverId)).to.equal(1);
  });

  it('runs a schedule when a backup has failed, and not when one is completed', async () => {
    const serverId = await installed();
    const schedule = await withTrigger(serverId, { kind: Trigger_Kind.BACKUP_FAILED });
    const { backups } = fixture.harness.fakes;
    const begin = async () => {
      const request = { serverId, name: '', ignoredFiles: [], rotate: false, databases: false };
      return (await owner.backups.createBackup(request)).backup?.id ?? '';
    };
    await begin();
    await waitForServer(owner, serverId, ({ operation }) => operation === undefined);
    backups.isHolding = true;
    const failing = await begin();
    await waitForServer(owner, serverId, ({ operation }) => operation?.step === 'archive');
    expect(await getSchedule(owner, schedule)).to.deep.include({ nextRunTime: undefined, runs: [] });
    const record = backups.records.get(failing);
    if (record) record.state = Backup_State.FAILED;
    backups.release();
    await untilRuns(owner, schedule, 1);
    expect(backupsOf(serverId)).to.equal(1);
  });

  it('runs a schedule when the last player has left for a while, and nobody has joined since', async () => {
    const serverId = await installed();
    const schedule = await withTrigger(serverId, { kind: Trigger_Kind.PLAYERS_EMPTY, emptyMinutes: 10 });
    await start(serverId);
    for (const text of ['Ann joined the game', 'Bob joined the game', 'Ann left the game', 'Bob left the game'])
      await say(serverId, text);
    await untilDue(schedule);
    await say(serverId, 'Cem joined the game');
    await waitUntil('nothing to be due', async () => (await getSchedule(owner, schedule)).nextRunTime === undefined);
    await say(serverId, 'Cem left the game');
    const dueAt = await untilDue(schedule);
    expect(dueAt.getTime() - doubles.now().getTime()).to.be.within(595_000, 600_000);
    expect(backupsOf(serverId)).to.equal(0);
    doubles.advance(601);
    await untilRuns(owner, schedule, 1);
    expect(backupsOf(serverId)).to.equal(1);
  });

  it('refuses patterns that are no expressions, and durations outside their bounds', async () => {
    const serverId = await installed();
    const players = { kind: Trigger_Kind.PLAYERS_EMPTY, emptyMinutes: 10 };
    const fields = async (trigger: Partial<Trigger>) => fieldsOf(withTrigger(serverId, { ...players, ...trigger }));
    expect(await fields({ joinPattern: 'regex:(' })).to.deep.equal(['trigger.join_pattern']);
    expect(await fields({ emptyMinutes: 1441 })).to.deep.equal(['trigger.empty_minutes']);
    expect(await fields({ kind: Trigger_Kind.UNSPECIFIED })).to.deep.equal(['trigger.kind']);
  });

  describe('by web address', () => {
    const call = async (scheduleId: string, signature: string) =>
      gateway.schedules.triggerSchedule({ scheduleId, signature });
    const webhook = async (changes = {}) => withTrigger(await installed(), { kind: Trigger_Kind.WEBHOOK }, changes);

    it('runs a schedule once for fifty calls', async () => {
      const schedule = await webhook();
      await Promise.all(Array.from({ length: 50 }, async () => call(schedule.id, schedule.webhookSignature)));
      await untilRuns(owner, schedule, 1);
      expect(backupsOf(schedule.serverId)).to.equal(1);
      await call(schedule.id, schedule.webhookSignature);
      doubles.advance(61);
      await call(schedule.id, schedule.webhookSignature);
      await untilRuns(owner, schedule, 2);
      expect(backupsOf(schedule.serverId)).to.equal(2);
    });

    it('answers the same to every wrong call, and runs nothing', async () => {
      const [schedule, other, inactive] = [await webhook(), await webhook(), await webhook({ active: false })];
      const cron = await createSchedule(owner, schedule.serverId);
      const { webhookSignature: signature } = schedule;
      const answers = await Promise.all([
        call(schedule.id, other.webhookSignature),
        call(schedule.id, `${signature.slice(0, -2)}AA`),
        call(schedule.id, ''),
        call(schedule.id, 'x'.repeat(128)),
        call(inactive.id, inactive.webhookSignature),
        call(cron.id, signature),
        call(randomUUID(), signature),
      ]);
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).to.deep.equal(new Set(['{}']));
      // The valid call's schedule runs; the others would have run by then.
      await call(other.id, other.webhookSignature);
      await untilRuns(owner, other, 1);
      expect((await getSchedule(owner, schedule)).runs).to.deep.equal([]);
      expect((await getSchedule(owner, inactive)).runs).to.deep.equal([]);
    });

    it('rotates the web address of a schedule', async () => {
      const schedule = await webhook();
      const ids = { serverId: schedule.serverId, scheduleId: schedule.id };
      const { schedule: rotated } = await owner.schedules.rotateScheduleWebhook(ids);
      expect(rotated?.webhookSignature).not.to.equal(schedule.webhookSignature);
      await call(schedule.id, schedule.webhookSignature);
      const marker = await webhook();
      await call(marker.id, marker.webhookSignature);
      await untilRuns(owner, marker, 1);
      expect((await getSchedule(owner, schedule)).runs).to.deep.equal([]);
      await call(schedule.id, rotated?.webhookSignature ?? '');
      await untilRuns(owner, schedule, 1);
    });

    it('opens triggers to the gateway only, and only with the right trigger', async () => {
      const schedule = await webhook();
      const request = { scheduleId: schedule.id, signature: schedule.webhookSignature };
      expect(await reasonOf(owner.schedules.triggerSchedule(request))).to.equal('SERVICE_REQUIRED');
      const { schedule: changed } = await owner.schedules.updateSchedule(
        UpdateScheduleRequest.create({
          serverId: schedule.serverId,
          scheduleId: schedule.id,
          trigger: Trigger.create({ kind: Trigger_Kind.CRON }),
        }),
      );
      expect(changed?.webhookSignature).to.equal('');
      expect(changed?.nextRunTime).not.to.equal(undefined);
    });
  });
});
