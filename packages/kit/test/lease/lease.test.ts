import { expect } from 'chai';
import { acquireLease, holdLease, type LeaseOptions } from '../../src/lease/index.js';
import { createLogger } from '../../src/process/index.js';
import { deferred, ManualClock, reasonOf } from '../../src/testing/index.js';

const log = createLogger({ service: 'test', level: 'silent' });
const ttlMs = 3_000;

describe('lease', () => {
  let clock: ManualClock;
  let renewals: number[];
  let ends: string[];
  let answer: () => Promise<boolean>;
  beforeEach(() => {
    clock = new ManualClock();
    renewals = [];
    ends = [];
    answer = async () => true;
  });
  const options = (): LeaseOptions => ({
    name: 'test',
    ttlMs,
    log,
    clock,
    renew: async () => {
      renewals.push(clock.now());
      return answer();
    },
    release: async () => void ends.push('released'),
  });
  const hold = (more: Partial<LeaseOptions> = {}) => holdLease({ ...options(), ...more });
  const noPrimary = async () => Promise.reject(new Error('no primary'));

  it('renews at each third of its time, and holds as long as that succeeds', async () => {
    const lease = hold();
    await clock.advance(10 * ttlMs);
    expect(renewals.slice(0, 4)).to.deep.equal([1_000, 2_000, 3_000, 4_000]);
    expect(renewals).to.have.length(30);
    expect(lease.isHeld).to.equal(true);
    await lease.release();
  });

  it('counts as lost when the store refuses a renewal, and asks no more', async () => {
    const lease = hold();
    answer = async () => false;
    await clock.advance(1_000);
    expect(lease.isHeld).to.equal(false);
    expect(lease.signal.reason).to.include({ reason: 'LEASE_LOST', kind: 'aborted' });
    answer = async () => true;
    await clock.advance(10_000);
    expect(renewals).to.deep.equal([1_000]);
    expect(await reasonOf(lease.renew())).to.equal('LEASE_LOST');
  });

  it('survives failed renewals, which are repeated sooner', async () => {
    const lease = hold();
    answer = noPrimary;
    await clock.advance(2_000);
    expect(renewals).to.deep.equal([1_000, 1_300, 1_600, 1_900]);
    answer = async () => true;
    await clock.advance(1_500);
    expect(lease.isHeld).to.equal(true);
    await lease.release();
  });

  it('counts as lost a margin before its end while the store is unavailable', async () => {
    const lease = hold();
    answer = noPrimary;
    await clock.advance(2_699);
    expect(lease.signal.aborted).to.equal(false);
    await clock.advance(1);
    expect(lease.signal.aborted).to.equal(true);
    expect(clock.pending).to.equal(0);
  });

  it('counts as lost in time while the store does not respond', async () => {
    const lease = hold({ marginMs: 1_000 });
    answer = async () => deferred<boolean>().promise;
    await clock.advance(2_000);
    expect(lease.signal.aborted).to.equal(true);
  });

  it('counts from the request and not from its response', async () => {
    const lease = hold();
    answer = async () => {
      const slow = deferred<boolean>();
      clock.after(900, () => slow.resolve(true));
      return slow.promise;
    };
    await clock.advance(2_000);
    answer = async () => deferred<boolean>().promise;
    // The response to the request at second 1 is valid until 3.7.
    await clock.advance(1_699);
    expect(lease.isHeld).to.equal(true);
    await clock.advance(250);
    answer = noPrimary;
    await clock.advance(3_000);
    expect(lease.isHeld).to.equal(false);
  });

  it('survives a lost response when a later renewal succeeds', async () => {
    const lease = hold();
    const lost = deferred<boolean>();
    answer = async () => (renewals.length === 1 ? lost.promise : true);
    await clock.advance(5_000);
    expect(lease.isHeld).to.equal(true);
    expect(renewals).to.deep.equal([1_000, 2_000, 3_000, 4_000, 5_000]);
    lost.resolve(true);
    await lease.release();
  });

  it('stays lost although a late response says that it was renewed', async () => {
    const late = deferred<boolean>();
    const lease = hold();
    answer = async () => late.promise;
    await clock.advance(2_700);
    late.resolve(true);
    await clock.advance(10_000);
    expect(lease.isHeld).to.equal(false);
    expect(await reasonOf(lease.ensure(0))).to.equal('LEASE_LOST');
  });

  it('counts as lost after the process was paused for longer than its time, before any timer has run', async () => {
    const lease = hold();
    clock.pause(ttlMs);
    expect(lease.isHeld).to.equal(false);
    expect(lease.signal.aborted).to.equal(true);
    await clock.advance(ttlMs);
    expect(renewals).to.deep.equal([]);
  });

  it('renews nothing after a pause, even when the timer of the renewal is the first to run', async () => {
    const lease = hold();
    clock.pause(ttlMs);
    await clock.advance(0);
    expect(renewals).to.deep.equal([]);
    expect(lease.signal.aborted).to.equal(true);
  });

  it('releases once the renewal in progress has ended, and never renews again', async () => {
    const slow = deferred<boolean>();
    const lease = hold();
    answer = async () => slow.promise.finally(() => ends.push('renewed'));
    await clock.advance(1_000);
    const done = lease.release();
    await clock.advance(100);
    expect(ends).to.deep.equal([]);
    slow.resolve(true);
    await done;
    expect(ends).to.deep.equal(['renewed', 'released']);
    await clock.advance(10_000);
    expect(renewals).to.deep.equal([1_000]);
    expect(clock.pending).to.equal(0);
    expect(lease.signal.aborted).to.equal(false);
  });

  it('releases although a renewal never ends', async () => {
    const lease = hold();
    answer = async () => deferred<boolean>().promise;
    await clock.advance(1_000);
    const done = lease.release();
    await clock.advance(5_000);
    await done;
    expect(ends).to.deep.equal(['released']);
  });

  it('releases once, and a release that fails is no error', async () => {
    const lease = hold({ release: async () => Promise.reject(new Error('no primary')) });
    await lease.release();
    const other = hold();
    await Promise.all([other.release(), other.release()]);
    await other.release();
    expect(ends).to.deep.equal(['released']);
    expect(other.isHeld).to.equal(false);
  });

  it('releases after its loss too: a response may have been lost', async () => {
    const lease = hold();
    answer = noPrimary;
    await clock.advance(ttlMs);
    await lease.release();
    expect(ends).to.deep.equal(['released']);
  });

  it('runs out in the store when it is only stopped', async () => {
    const lease = hold();
    await lease.stop();
    await clock.advance(10_000);
    expect(renewals).to.deep.equal([]);
    expect(ends).to.deep.equal([]);
  });

  it('passes on the signal of its process, and is renewed until its holder ends it', async () => {
    const process = new AbortController();
    const lease = hold({ signal: process.signal });
    process.abort(new Error('stopping'));
    expect(lease.signal.aborted).to.equal(true);
    await clock.advance(2 * ttlMs);
    expect(lease.isHeld).to.equal(true);
    expect(renewals).to.have.length(6);
    await lease.release();
  });

  it('renews on demand only where its remaining time is too short', async () => {
    const lease = hold({ ttlMs: 30_000 });
    await lease.ensure(20_000);
    expect(renewals).to.deep.equal([]);
    clock.pause(8_000);
    await lease.ensure(20_000);
    expect(renewals).to.deep.equal([8_000]);
    answer = noPrimary;
    expect(await reasonOf(lease.ensure(28_000))).to.equal('no primary');
    expect(lease.isHeld).to.equal(true);
    await lease.release();
  });

  it('ends with the error of its holder', async () => {
    const lease = hold({ lossError: (loss) => new Error(`it was ${loss}`) });
    lease.revoke();
    expect(lease.signal.reason.message).to.equal('it was revoked');
    await clock.advance(ttlMs);
    expect(renewals).to.deep.equal([]);
  });

  describe('that is acquired', () => {
    it('counts from before the request', async () => {
      const slow = async () => {
        clock.pause(2_000);
        return true;
      };
      const lease = await acquireLease({ ...options(), acquire: slow });
      answer = noPrimary;
      await clock.advance(699);
      expect(lease?.isHeld).to.equal(true);
      await clock.advance(1);
      expect(lease?.isHeld).to.equal(false);
    });

    it('returns null when another holder has it, and releases when the response came too late', async () => {
      expect(await acquireLease({ ...options(), acquire: async () => false })).to.equal(null);
      expect(ends).to.deep.equal([]);
      const late = async () => {
        clock.pause(ttlMs);
        return true;
      };
      expect(await acquireLease({ ...options(), acquire: late })).to.equal(null);
      expect(ends).to.deep.equal(['released']);
      expect(clock.pending).to.equal(0);
    });
  });
});
