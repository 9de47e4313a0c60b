import { expect } from 'chai';
import { checkCron, nextRunTime, nextTime } from '../../../src/domain/schedules/cron.js';

const every = { minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' };

describe('times of schedules', () => {
  it('names wrong fields as the API does', () => {
    expect(checkCron(every)).to.deep.equal({});
    expect(Object.keys(checkCron({ ...every, dayOfMonth: '32', dayOfWeek: '@daily' }))).to.deep.equal([
      'cron.day_of_month',
      'cron.day_of_week',
    ]);
  });

  it('reads each field of a schedule in its place', () => {
    const after = new Date('2026-01-01T00:00:00Z');
    const cron = { minute: '5', hour: '4', dayOfMonth: '?', month: '3', dayOfWeek: 'SUN' };
    expect(nextTime(cron, 'UTC', after)?.toISOString()).to.equal('2026-03-01T04:05:00.000Z');
  });

  it('finds no next time of a schedule that is inactive or runs at events', () => {
    const schedule = { cron: every, timezone: 'UTC', isActive: true, trigger: { kind: 'cron' } };
    const at = new Date('2026-01-01T00:00:30Z');
    expect(nextRunTime(schedule, at)?.toISOString()).to.equal('2026-01-01T00:01:00.000Z');
    expect(nextRunTime({ ...schedule, isActive: false }, at)).to.equal(null);
    expect(nextRunTime({ ...schedule, trigger: { kind: 'webhook' } }, at)).to.equal(null);
  });
});
