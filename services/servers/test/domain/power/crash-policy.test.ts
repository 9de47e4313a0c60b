import { expect } from 'chai';
import { type CrashPolicy, judgeExit } from '../../../src/domain/power/crash-policy.js';
import type { CrashState } from '../../../src/domain/servers/server.js';

const policy: CrashPolicy = { maxRestarts: 3, windowMs: 600_000, backoffMs: 2_000, isCleanExitCrash: true };
const crashed = { exitCode: 1, outOfMemory: false, isEndedFromOutside: false };
const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

describe('the crash policy', () => {
  it('restarts with doubling delays, then gives up', () => {
    let state: CrashState = { times: [], restartAt: null };
    const delays: (number | string)[] = [];
    for (let crash = 0; crash < 5; crash++) {
      const verdict = judgeExit(state, crashed, policy, after(crash * 10_000));
      if (verdict.kind !== 'ended') state = verdict.state;
      delays.push(verdict.kind === 'restart' ? verdict.delayMs : verdict.kind);
    }
    expect(delays).to.deep.equal([2_000, 4_000, 8_000, 'give_up', 'give_up']);
    expect(state.restartAt).to.equal(null);
  });

  it('forgets crashes older than the window', () => {
    const state: CrashState = { times: [after(0), after(1), after(2)], restartAt: null };
    expect(judgeExit(state, crashed, policy, after(500_000)).kind).to.equal('give_up');
    const verdict = judgeExit(state, crashed, policy, after(700_000));
    expect(verdict).to.deep.include({ kind: 'restart', delayMs: 2_000 });
  });

  it('keeps a bounded number of times', () => {
    const times = Array.from({ length: 4 }, (_, at) => after(at));
    const verdict = judgeExit({ times, restartAt: null }, crashed, policy, after(10));
    expect(verdict.kind === 'give_up' && verdict.state.times).to.have.length(4);
  });

  it('takes a clean exit for a crash or not, as configured; out of memory always', () => {
    const clean = { exitCode: 0, outOfMemory: false, isEndedFromOutside: false };
    const none: CrashState = { times: [], restartAt: null };
    const lenient = { ...policy, isCleanExitCrash: false };
    expect(judgeExit(none, clean, policy, start).kind).to.equal('restart');
    expect(judgeExit(none, clean, lenient, start)).to.deep.equal({ kind: 'ended' });
    expect(
      judgeExit(none, { exitCode: 0, outOfMemory: true, isEndedFromOutside: false }, lenient, start).kind,
    ).to.equal('restart');
  });

  it('runs again what was ended from outside, and counts nothing', () => {
    const state: CrashState = { times: [after(0), after(1), after(2)], restartAt: null };
    const ended = { exitCode: 0, outOfMemory: false, isEndedFromOutside: true };
    const verdict = judgeExit(state, ended, { ...policy, isCleanExitCrash: false }, after(1_000));
    expect(verdict).to.deep.equal({
      kind: 'restart',
      delayMs: 10_000,
      state: { times: state.times, restartAt: after(11_000) },
    });
  });

  it('never restarts when no restarts are allowed', () => {
    expect(judgeExit({ times: [], restartAt: null }, crashed, { ...policy, maxRestarts: 0 }, start).kind).to.equal(
      'give_up',
    );
  });
});
