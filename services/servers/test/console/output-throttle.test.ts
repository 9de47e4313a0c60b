import { expect } from 'chai';
import { OutputThrottle } from '../../src/console/output-throttle.js';

describe('output throttle', () => {
  let now = 0;
  let areBehind = false;
  const guard = () =>
    new OutputThrottle(
      () => areBehind,
      () => now,
    );
  beforeEach(() => {
    now = 0;
    areBehind = false;
  });

  it('passes 10,000 lines a second indefinitely with hardly a pause', () => {
    const flood = guard();
    let refused = 0;
    let paused = 0;
    for (let ms = 0; ms < 60_000; ms += 10, now += 10) {
      for (let line = 0; line < 100; line++) if (!flood.admit(100)) refused++;
      paused += flood.pauseMs();
    }
    expect({ refused, paused }).to.deep.equal({ refused: 0, paused: 0 });
  });

  it('passes a burst of 100,000 lines completely, spread over seconds', () => {
    const flood = guard();
    let paused = 0;
    for (let line = 0; line < 100_000; line++) {
      expect(flood.admit(10)).to.equal(true);
      if (line % 1000 === 999) {
        const ms = flood.pauseMs();
        paused += ms;
        now += ms;
      }
    }
    expect(paused).to.be.within(1_900, 5_000);
    expect(flood.takeNotice()).to.equal(0);
  });

  it('limits a continuous flood to its rate with one notice a second', () => {
    const flood = guard();
    let admitted = 0;
    let notices = 0;
    let dropped = 0;
    for (let ms = 0; ms < 100_000; ms += 10, now += 10) {
      for (let line = 0; line < 1000; line++) {
        if (flood.admit(10)) admitted++;
        else flood.lost(1);
      }
      const notice = flood.takeNotice();
      if (notice > 0) notices++;
      dropped += notice;
    }
    expect(admitted).to.be.within(1_600_000, 1_750_000);
    expect(notices).to.be.within(90, 101);
    expect(admitted + dropped).to.be.closeTo(10_000_000, 100_000);
  });

  it('counts bytes besides lines', () => {
    const flood = guard();
    let admitted = 0;
    for (let line = 0; line < 100_000; line++) if (flood.admit(8192)) admitted++;
    expect(admitted).to.equal(4096);
  });

  it('limits the processor time spent on output, whatever its line lengths', () => {
    const flood = guard();
    for (let piece = 0; piece < 1_000; piece++) flood.read(64 * 1024, 0);
    expect(flood.pauseMs()).to.be.within(1_000, 1_500);
  });

  describe('output throttle with late reads', () => {
    /** Reads `lines` per second of age `ageMs`; returns the admitted count. */
    const readFor = (flood: OutputThrottle, seconds: number, lines: number, ageMs: number) => {
      let admitted = 0;
      for (const until = now + seconds * 1000; now < until; now += 100) {
        flood.read(1, ageMs);
        for (let line = 0; line < lines / 10; line++) if (flood.admit(10)) admitted++;
        flood.pauseMs();
      }
      return admitted;
    };

    it('drops a flood only after reads have been late for a while, and until they are in time', () => {
      const flood = guard();
      expect(readFor(flood, 10, 10_000, 50)).to.equal(100_000);
      expect(readFor(flood, 20, 10_000, 6_000)).to.equal(200_000);
      expect(readFor(flood, 1, 10_000, 4_000)).to.equal(0);
      expect(readFor(flood, 1, 10_000, 500)).to.equal(10_000);
      expect(readFor(flood, 2, 10_000, 2_000), 'late again, and its time is spent').to.be.below(4_000);
    });

    it('drops nothing when a reader starts late or clocks differ', () => {
      const flood = guard();
      let admitted = 0;
      for (let age = 90_000; age >= 60_000; age -= 1_000) admitted += readFor(flood, 1, 10_000, age);
      expect(admitted).to.equal(310_000);
      expect(readFor(flood, 60, 10_000, 60_000)).to.equal(600_000);
    });

    it('drops nothing without a flood, and adapts to a changed clock after a while', () => {
      const quiet = guard();
      expect(readFor(quiet, 10, 100, 0) + readFor(quiet, 120, 100, 3_600_000)).to.equal(13_000);
      const busy = guard();
      readFor(busy, 10, 10_000, 0);
      readFor(busy, 30, 10_000, 3_600_000);
      expect(readFor(busy, 30, 10_000, 3_600_000)).to.equal(300_000);
    });
  });

  it('waits for slow readers and drops nothing meanwhile', () => {
    const flood = guard();
    areBehind = true;
    for (; now < 19_000; now += 10) {
      expect(flood.admit(10)).to.equal(true);
      expect(flood.pauseMs()).to.equal(10);
    }
    areBehind = false;
    expect(flood.pauseMs()).to.equal(0);
  });

  it('stops waiting for readers that stay slow, and waits again once they keep up', () => {
    const flood = guard();
    areBehind = true;
    for (; now <= 20_000; now += 10) flood.pauseMs();
    expect([flood.pauseMs(), flood.admit(10)]).to.deep.equal([0, false]);
    areBehind = false;
    expect(flood.admit(10)).to.equal(true);
    for (; now <= 50_000; now += 10) flood.pauseMs();
    areBehind = true;
    expect([flood.pauseMs(), flood.admit(10)]).to.deep.equal([10, true]);
    for (; now <= 54_000; now += 10) flood.pauseMs();
    expect([flood.pauseMs(), flood.admit(10)]).to.deep.equal([0, false]);
  });
});
