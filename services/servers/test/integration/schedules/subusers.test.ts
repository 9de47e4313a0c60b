import { waitUntil } from '@panel/kit/testing';
import { PowerAction, PowerState, ScheduleRun_Status, UpdateScheduleRequest } from '@panel/protos/servers';
import { expect } from 'chai';
import { newAccount } from '../../support/fake-services.js';
import { createFixture, type Fixture, reasonOf } from '../../support/fixture.js';
import { userActor } from '../../support/harness.js';
import { command, createSchedule, power, ScheduleDoubles, untilRuns } from '../../support/schedules.js';

describe('schedules of subusers', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let serverId: string;
  const doubles = new ScheduleDoubles();
  doubles.freeze();
  before(async () => {
    // Real permissions of the service.
    const { holdsPermission: _holdsPermission, ...overrides } = doubles.overrides();
    fixture = await createFixture({ ports: ['32000-32049'], overrides });
    ({ id: serverId } = await fixture.installed());
    await fixture.owner.console.sendPowerAction({ serverId, action: PowerAction.START });
    await waitUntil('a running game', async () => {
      const { resources } = await fixture.owner.console.getResources({ serverId });
      return resources?.state === PowerState.RUNNING;
    });
  });
  after(() => fixture.stop());

  let number = 0;
  const subuser = async (...permissions: string[]) => {
    number += 1;
    const account = newAccount(fixture.harness.fakes, `author${number}`);
    const { subuser: created } = await fixture.owner.subusers.createSubuser({
      serverId,
      email: account.email,
      permissions,
      roleId: '',
      pathRules: [],
      expireTime: undefined,
    });
    const clients = fixture.harness.clients(userActor(account.id), fixture.harness.address);
    return { clients, subuserId: created?.id ?? '' };
  };

  it('runs a schedule with the permissions of its author, and ends it when the author is removed', async () => {
    const { clients, subuserId } = await subuser('schedule.create', 'schedule.read', 'control.console');
    const schedule = await createSchedule(clients, serverId, { tasks: [command('by a subuser')] });
    doubles.advance(60);
    const { runs } = await untilRuns(fixture.owner, schedule, 1);
    expect(runs[0]?.status).to.equal(ScheduleRun_Status.SUCCEEDED);
    await fixture.owner.subusers.deleteSubuser({ serverId, subuserId, withInvited: false });
    doubles.advance(60);
    const after = await untilRuns(fixture.owner, schedule, 2);
    expect(after.active).to.equal(false);
    expect(after.runs[0]?.status).to.equal(ScheduleRun_Status.FAILED);
    expect(after.runs[0]?.error).to.contain('no longer holds control.console');
  });

  it('refuses a schedule that gives a subuser what they lack', async () => {
    const { clients } = await subuser('schedule.create', 'schedule.read', 'schedule.update', 'control.console');
    const own = await createSchedule(fixture.owner, serverId, { active: false, tasks: [power('kill')] });
    const ids = { serverId, scheduleId: own.id };
    expect(await reasonOf(createSchedule(clients, serverId, { tasks: [power('kill')] }))).to.equal('SERVER_FORBIDDEN');
    expect(await reasonOf(clients.schedules.executeSchedule(ids))).to.equal('SERVER_FORBIDDEN');
    const change = UpdateScheduleRequest.create({ ...ids, active: true });
    expect(await reasonOf(clients.schedules.updateSchedule(change))).to.equal('SERVER_FORBIDDEN');
    const { schedule } = await clients.schedules.updateSchedule(
      UpdateScheduleRequest.create({ ...ids, tasks: { tasks: [command('say hi')] } }),
    );
    expect(schedule?.tasks.map(({ payload }) => payload)).to.deep.equal(['say hi']);
    expect(await reasonOf(clients.schedules.deleteSchedule(ids))).to.equal('SERVER_FORBIDDEN');
  });
});
