import { expect } from 'chai';
import { FloodGuard } from '../../src/console/flood-guard.js';

describe('the flood guard', () => {
  let now = 0;
  const guard = () => new FloodGuard(() => now);
  beforeEach(() => {
    now = 0;
  });

  it('lets 10,000 lines a second through for ever, with hardly a pause', () => {
    const flood = guard();
    let refused = 0;
    let paused = 0;
    for (let ms = 0; ms < 60_000; ms += 10, now += 10) {
      for (let line = 0; line < 100; line++) if (!flood.admit(100)) refused++;
      paused += flood.pauseMs();
    }
    expect({ refused, paused }).to.deep.equal({ refused: 0, paused: 0 });
  });

  it('lets a burst of 100,000 lines through whole, spread over seconds', () => {
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
    expect(paused).to.be.within(2_000, 5_000);
    expect(flood.takeNotice()).to.equal(0);
  });

  it('cuts a lasting flood down to its rate and says so once a second', () => {
    const flood = guard();
    let admitted = 0;
    let notices = 0;
    let dropped = 0;
    for (let ms = 0; ms < 100_000; ms += 10, now += 10) {
      for (let line = 0; line < 1000; line++) if (flood.admit(10)) admitted++;
      const notice = flood.takeNotice();
      if (notice > 0) notices++;
      dropped += notice;
    }
    expect(admitted).to.be.within(1_600_000, 1_750_000);
    expect(notices).to.be.within(90, 101);
    expect(admitted + dropped).to.be.closeTo(10_000_000, 100_000);
  });

  it('counts bytes too', () => {
    const flood = guard();
    let admitted = 0;
    for (let line = 0; line < 100_000; line++) if (flood.admit(8192)) admitted++;
    expect(admitted).to.equal(4096);
  });
});
