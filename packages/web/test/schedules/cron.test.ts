import { expect } from 'chai';
import { type CronFields, cronOf, cronProblems, nextRuns, planOf, planOfKind } from '../../src/schedules/cron.js';

const cron = (text: string): CronFields => {
  const [minute = '*', hour = '*', day_of_month = '*', month = '*', day_of_week = '*'] = text.split(' ');
  return { minute, hour, day_of_month, month, day_of_week };
};

describe('the times of a schedule', () => {
  it('shows a cron expression as the plan that it is, and writes it back the same', () => {
    const kinds = {
      '* * * * *': 'minutes',
      '*/10 * * * *': 'minutes',
      '5 * * * *': 'hourly',
      '30 4 * * *': 'daily',
      '30 4 * * 1,5': 'weekly',
      '0 0 15 * *': 'monthly',
      '0 0 L * *': 'expression',
      '0 8-18 * * *': 'expression',
      '0 4 * JAN *': 'expression',
      '0 4 1 * 1': 'expression',
      '0 4 * * FRI#2': 'expression',
    };
    for (const [text, kind] of Object.entries(kinds)) {
      const plan = planOf(cron(text));
      expect(plan.kind, text).to.equal(kind);
      expect(cronOf(plan), text).to.deep.equal(cron(text));
    }
  });

  it('keeps the time of day when the kind changes', () => {
    const daily = planOf(cron('30 6 * * *'));
    expect(cronOf(planOfKind('weekly', daily))).to.deep.equal(cron('30 6 * * 1'));
    expect(cronOf(planOfKind('expression', daily))).to.deep.equal(cron('30 6 * * *'));
  });

  it('computes times in the time zone of the schedule, also where clocks change', () => {
    const from = new Date('2026-03-28T12:00:00Z');
    const runs = nextRuns(cron('30 2 * * *'), 'Europe/Berlin', from, 3).map((at) => at.toISOString());
    expect(runs).to.deep.equal(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z', '2026-03-31T00:30:00.000Z']);
  });

  it('names the field that is wrong', () => {
    expect(Object.keys(cronProblems(cron('61 25 * * *')))).to.deep.equal(['cron.minute', 'cron.hour']);
    expect(Object.keys(cronProblems(cron('? * * * *')))).to.deep.equal(['cron.minute']);
    expect(cronProblems(cron('15W * * * *'))).to.have.property('cron.minute');
    expect(cronProblems(cron('0 0 15W JAN MON'))).to.deep.equal({});
  });

  it('takes what the panel takes: ? for any day, and ranges that wrap around', () => {
    const from = new Date('2026-01-01T00:00:00Z');
    const same = {
      '0 0 ? * MON': '0 0 * * 1',
      '0 0 15 * ?': '0 0 15 * *',
      '0 22-2 * * *': '0 22,23,0,1,2 * * *',
      '50-10/15 * * * *': '50,5 * * * *',
      '0 0 * * FRI-MON': '0 0 * * 5,6,0,1',
      '0 0 1 NOV-FEB *': '0 0 1 11,12,1,2 *',
    };
    for (const [text, plain] of Object.entries(same)) {
      expect(cronProblems(cron(text)), text).to.deep.equal({});
      expect(nextRuns(cron(text), 'UTC', from, 12), text).to.deep.equal(nextRuns(cron(plain), 'UTC', from, 12));
      expect(nextRuns(cron(text), 'UTC', from, 12), text).to.have.length(12);
    }
  });

  it('explains lines, nicknames and question marks that stand where they cannot', () => {
    const explain = (minute: string) => cronProblems({ ...cron('* * * * *'), minute })['cron.minute'];
    expect(explain('30 4 * * MON')).to.deep.equal([
      'is a whole cron line: put 30 in minute, 4 in hour, * in day_of_month, * in month, MON in day_of_week',
    ]);
    expect(explain('@daily')).to.deep.equal([
      'has no nicknames: put 0 in minute, 0 in hour, * in day_of_month, * in month, * in day_of_week',
    ]);
    expect(explain('?')).to.deep.equal(['may be ? in day fields only']);
    expect(explain('x'.repeat(101))).to.deep.equal(['must be 1 to 100 characters of a cron field']);
  });

  it('shows no times for a day that never comes and for a wrong zone', () => {
    const from = new Date('2026-01-01T00:00:00Z');
    expect(nextRuns(cron('0 0 31 2 *'), 'UTC', from, 3)).to.deep.equal([]);
    expect(nextRuns(cron('0 0 * * *'), 'No/Where', from, 3)).to.deep.equal([]);
  });
});
