import { expect } from 'chai';
import { type CronFields, findCronProblems, parseCron } from '../../src/cron/index.js';
import { processorMs } from '../../src/testing/index.js';

const cronOf = (text: string): CronFields => {
  const [minute = '', hour = '', day_of_month = '', month = '', day_of_week = ''] = text.split(' ');
  return { minute, hour, day_of_month, month, day_of_week };
};

/** In UTC without seconds. */
function timesOf(text: string, timezone: string, after: string, count: number): string[] {
  const times = parseCron(cronOf(text), timezone).nextRuns(count, new Date(`${after}Z`));
  return times.map((at) => at.toISOString().slice(0, 16));
}

describe('cron expressions', () => {
  it('parses numbers, names, steps, ranges, lists, the last and the nth day', () => {
    const from = '2026-01-01T00:00';
    expect(timesOf('*/20 * * * *', 'UTC', from, 3)).to.deep.equal([
      '2026-01-01T00:20',
      '2026-01-01T00:40',
      '2026-01-01T01:00',
    ]);
    expect(timesOf('5 4,16 * * *', 'UTC', from, 2)).to.deep.equal(['2026-01-01T04:05', '2026-01-01T16:05']);
    expect(timesOf('0 0 * FEB MON-WED', 'UTC', from, 3)).to.deep.equal([
      '2026-02-02T00:00',
      '2026-02-03T00:00',
      '2026-02-04T00:00',
    ]);
    expect(timesOf('0 8-12/2 1 1 *', 'UTC', from, 3)).to.deep.equal([
      '2026-01-01T08:00',
      '2026-01-01T10:00',
      '2026-01-01T12:00',
    ]);
    expect(timesOf('0 0 L * *', 'UTC', from, 2)).to.deep.equal(['2026-01-31T00:00', '2026-02-28T00:00']);
    expect(timesOf('0 0 * * FRI#2', 'UTC', from, 2)).to.deep.equal(['2026-01-09T00:00', '2026-02-13T00:00']);
    expect(timesOf('0 0 29 2 *', 'UTC', from, 1)).to.deep.equal(['2028-02-29T00:00']);
  });

  it('takes ranges that wrap around, and ? for any day', () => {
    const from = '2026-01-01T00:00';
    const same = (text: string, plain: string) =>
      expect(timesOf(text, 'UTC', from, 12), text).to.deep.equal(timesOf(plain, 'UTC', from, 12));
    same('0 22-2 * * *', '0 22,23,0,1,2 * * *');
    same('0 22-5/3 * * *', '0 22,1,4 * * *');
    same('50-10/15 * * * *', '50,5 * * * *');
    same('0 0 * * FRI-MON', '0 0 * * 5,6,0,1');
    same('0 0 * * SAT-SUN,3', '0 0 * * 6,0,3');
    same('0 0 30-2 * *', '0 0 30,31,1,2 * *');
    same('0 0 1 NOV-FEB *', '0 0 1 11,12,1,2 *');
    same('0 0 ? * MON', '0 0 * * 1');
    same('0 0 15 * ?', '0 0 15 * *');
  });

  it('explains lines, nicknames and question marks that stand where they cannot', () => {
    const explain = (minute: string) => findCronProblems({ ...cronOf('* * * * *'), minute }).minute;
    expect(explain('30 4 * * MON')).to.equal(
      'is a whole cron line: put 30 in minute, 4 in hour, * in day_of_month, * in month, MON in day_of_week',
    );
    expect(explain('@Daily')).to.equal(
      'has no nicknames: put 0 in minute, 0 in hour, * in day_of_month, * in month, * in day_of_week',
    );
    expect(explain('@reboot')).to.include('server_started');
    expect(explain('@fortnightly')).to.include('five fields');
    expect(explain('?')).to.equal('may be ? in day fields only');
    expect(explain('1 2')).to.equal('must be one field, without blanks');
    expect(explain('70-10')).to.match(/^is no cron field/);
    expect(explain('50-10/0')).to.match(/^is no cron field/);
  });

  const transitions = [
    // 02:00 → 03:00 on 29 March; 03:00 → 02:00 on 25 October.
    {
      zone: 'Europe/Berlin',
      skipped: { cron: '30 2 * * *', after: '2026-03-28T12:00', times: ['2026-03-29T01:00', '2026-03-30T00:30'] },
      doubled: { cron: '30 2 * * *', after: '2026-10-24T12:00', times: ['2026-10-25T00:30', '2026-10-26T01:30'] },
      hourly: { after: '2026-10-24T23:45', times: ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-25T02:30'] },
    },
    // 02:00 → 03:00 on 8 March; 02:00 → 01:00 on 1 November.
    {
      zone: 'America/New_York',
      skipped: { cron: '30 2 * * *', after: '2026-03-07T12:00', times: ['2026-03-08T07:00', '2026-03-09T06:30'] },
      doubled: { cron: '30 1 * * *', after: '2026-10-31T12:00', times: ['2026-11-01T05:30', '2026-11-02T06:30'] },
      hourly: { after: '2026-11-01T04:45', times: ['2026-11-01T05:30', '2026-11-01T06:30', '2026-11-01T07:30'] },
    },
    // By half an hour: 02:00 → 02:30 on 4 October; 02:00 → 01:30 on 5 April.
    {
      zone: 'Australia/Lord_Howe',
      skipped: { cron: '15 2 * * *', after: '2026-10-03T00:00', times: ['2026-10-03T15:30', '2026-10-04T15:15'] },
      doubled: { cron: '45 1 * * *', after: '2026-04-04T00:00', times: ['2026-04-04T14:45', '2026-04-05T15:15'] },
      hourly: { after: '2026-04-04T14:15', times: ['2026-04-04T14:30', '2026-04-04T15:00', '2026-04-04T16:00'] },
    },
  ];
  for (const { zone, skipped, doubled, hourly } of transitions) {
    it(`runs a skipped time after the gap, a doubled time once and an hourly one every hour in ${zone}`, () => {
      expect(timesOf(skipped.cron, zone, skipped.after, 2)).to.deep.equal(skipped.times);
      expect(timesOf(doubled.cron, zone, doubled.after, 2)).to.deep.equal(doubled.times);
      expect(timesOf('30 * * * *', zone, hourly.after, 3)).to.deep.equal(hourly.times);
    });
  }

  it('runs lists and ranges of hours once when the clock is set back', () => {
    expect(timesOf('30 1-2 * * *', 'Europe/Berlin', '2026-10-24T12:00', 3)).to.deep.equal([
      '2026-10-24T23:30',
      '2026-10-25T00:30',
      '2026-10-26T00:30',
    ]);
  });

  const refused = [
    '*/0 * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '1-99999999 * * * *',
    '*/1e9 * * * *',
    '5/5 * * * *',
    '1,,2 * * * *',
    '@reboot * * * *',
    '? * * * *',
    'FOO * * * *',
    ' * * * *',
  ];
  for (const text of refused) {
    it(`refuses the cron expression ${JSON.stringify(text)}`, () => {
      expect(Object.keys(findCronProblems(cronOf(text)))).to.have.length.at.least(1);
    });
  }

  it('refuses six fields in one, and ten kilobytes, at once', () => {
    const every = cronOf('* * * * *');
    const startedAt = processorMs();
    expect(findCronProblems({ ...every, minute: '* *' })).to.have.property('minute');
    expect(findCronProblems({ ...every, hour: '1,'.repeat(5_000) })).to.have.property('hour');
    expect(processorMs() - startedAt).to.be.lessThan(50);
  });

  it('finds no next time for a day that never comes', () => {
    expect(parseCron(cronOf('0 0 31 2 *'), 'UTC').nextRun(new Date())).to.equal(null);
  });
});
