import { expect } from 'chai';
import {
  closeHour,
  countSample,
  openHour,
  type UsageHour,
  type UsageSample,
} from '../../../src/domain/usage/usage-hour.js';

const at = (time: string) => new Date(`2026-03-01T${time}Z`);
const off = { isOn: false, generation: 1, networkBytes: 0 };
const on = { isOn: true, generation: 2, networkBytes: 100 };

const sample = (time: string, changes: Partial<UsageSample> = {}): UsageSample => ({
  at: at(time),
  isOn: true,
  changedAt: at('09:00:00'),
  generation: 2,
  memoryMb: 1_024,
  diskMb: 10,
  networkBytes: 100,
  ...changes,
});

describe('the usage of an hour', () => {
  it('counts the time between two samples of one run, with its memory and disk', () => {
    const hour = countSample(openHour('s', at('10:00:00'), on), sample('10:01:00', { networkBytes: 350 }));
    expect(hour).to.include({ runningMs: 60_000, memoryMbMs: 60_000 * 1_024, diskMbMs: 600_000, trafficBytes: 250 });
    expect(hour.sampledAt).to.deep.equal(at('10:01:00'));
  });

  it('counts a run from its start and up to its end', () => {
    const started = countSample(openHour('s', at('10:00:00'), off), sample('10:01:00', { changedAt: at('10:00:40') }));
    expect(started.runningMs).to.equal(20_000);
    expect(started.trafficBytes).to.equal(100);
    const ended = countSample(
      started,
      sample('10:02:00', { isOn: false, changedAt: at('10:01:15'), networkBytes: null }),
    );
    expect(ended.runningMs).to.equal(35_000);
    expect(countSample(ended, sample('10:03:00', { isOn: false, changedAt: at('10:01:15') })).runningMs).to.equal(
      35_000,
    );
  });

  it('counts the traffic of a new run from zero', () => {
    const hour = countSample(
      openHour('s', at('10:00:00'), on),
      sample('10:01:00', { generation: 3, networkBytes: 30 }),
    );
    expect(hour.trafficBytes).to.equal(30);
  });

  it('splits what falls on both sides of the hour', () => {
    const before = openHour('s', at('10:59:30'), on);
    const later = sample('11:00:30', { networkBytes: 160 });
    const closed = closeHour(before, later);
    expect(closed).to.include({ runningMs: 30_000, trafficBytes: 0 });
    const next = countSample(openHour('s', at('11:00:00'), closed), later);
    expect(next).to.include({ runningMs: 30_000, trafficBytes: 60 });
  });

  it('costs nothing for a pause in which nobody knew', () => {
    const hour: UsageHour = openHour('s', at('10:00:00'), on);
    expect(countSample(hour, sample('10:31:00'))).to.include({ runningMs: 0, diskMbMs: 0 });
  });
});
