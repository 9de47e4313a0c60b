import { expect } from 'chai';
import { realClock, TestClock } from '../../src/process/index.js';

const hourMs = 3_600_000;
const near = (date: Date, ms: number) => expect(date.getTime()).to.be.closeTo(ms, 1_000);

describe('the clock of an installation', () => {
  it('shows real time and its offset', () => {
    near(new TestClock(hourMs).now(), Date.now() + hourMs);
    near(realClock.now(), Date.now());
  });

  it('moves forward only', () => {
    const clock = new TestClock(hourMs);
    clock.moveTo(2 * hourMs);
    clock.moveTo(hourMs);
    expect(clock.offsetMs).to.equal(2 * hourMs);
    near(clock.now(), Date.now() + 2 * hourMs);
  });

  it('counts what a move skipped from its end, and nothing else', () => {
    const clock = new TestClock(0);
    const at = clock.now().getTime();
    clock.moveTo(24 * hourMs);
    near(clock.reached(new Date(at + hourMs)), at + 24 * hourMs);
    const before = new Date(at - hourMs);
    const after = new Date(at + 25 * hourMs);
    expect([clock.reached(before), clock.reached(after)]).to.deep.equal([before, after]);
    expect(realClock.reached(before)).to.equal(before);
  });
});
