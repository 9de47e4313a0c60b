import { expect } from 'chai';
import { endOfPeriod, type RecurringInterval } from '../../src/domain/calendar.js';

const end = (anchor: string, interval: RecurringInterval, periods: number, timezone = 'UTC', intervalCount = 1) =>
  endOfPeriod(new Date(anchor), { interval, intervalCount }, periods, timezone).toISOString();

describe('periods of a plan', () => {
  it('ends a period on the last day of shorter months, and on the 31st again after them', () => {
    const ends = [1, 2, 3, 4].map((periods) => end('2026-01-31T10:00:00Z', 'month', periods).slice(0, 10));
    expect(ends).to.deep.equal(['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']);
  });

  it('ends a period on 29 February in leap years only', () => {
    expect(end('2028-01-31T00:00:00Z', 'month', 1)).to.equal('2028-02-29T00:00:00.000Z');
    expect(end('2028-02-29T00:00:00Z', 'year', 1)).to.equal('2029-02-28T00:00:00.000Z');
    expect(end('2028-02-29T00:00:00Z', 'year', 4)).to.equal('2032-02-29T00:00:00.000Z');
  });

  it('cross the end of a year', () => {
    expect(end('2026-11-30T00:00:00Z', 'month', 3)).to.equal('2027-02-28T00:00:00.000Z');
    expect(end('2026-12-31T23:59:59.999Z', 'month', 2, 'UTC', 2)).to.equal('2027-04-30T23:59:59.999Z');
  });

  it('keeps the time of day of a period in its time zone when the clocks change', () => {
    expect(end('2026-03-15T09:00:00Z', 'month', 1, 'Europe/Berlin')).to.equal('2026-04-15T08:00:00.000Z');
    expect(end('2026-03-28T09:00:00Z', 'day', 1, 'Europe/Berlin')).to.equal('2026-03-29T08:00:00.000Z');
    expect(end('2026-10-24T08:00:00Z', 'week', 1, 'Europe/Berlin')).to.equal('2026-10-31T09:00:00.000Z');
  });

  it('counts days by the calendar of their time zone', () => {
    // 31 January in Auckland is still 30 January in UTC.
    expect(end('2026-01-30T12:00:00Z', 'month', 1, 'Pacific/Auckland')).to.equal('2026-02-27T12:00:00.000Z');
  });

  it('ends a period an hour later where the clock skips its time', () => {
    expect(end('2026-02-28T01:30:00Z', 'day', 29, 'Europe/Berlin')).to.equal('2026-03-29T01:30:00.000Z');
  });
});
