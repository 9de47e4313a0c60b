import { expect } from 'chai';
import { type CrashPolicy, evaluateExit } from '../../../src/domain/power/crash-policy.js';
import type { CrashState } from '../../../src/domain/servers/server.js';

const policy: CrashPolicy = { maxRestarts: 3, windowMs: 600_000, backoffMs: 2_000, isCleanExitCrash: true };
const crashed = { exitCode: 1, outOfMemory: false, isEndedFromOutside: false };
const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

describe('crash policy', () => {
  it('restarts with doubling delays and then gives up', () => {
    let state: CrashState = { times: [], restartAt: null };
    const delays: (number | string)[] = [];
    for (let crash = 0; crash < 5; crash++) {
      const decision = evaluateExit(state, crashed, policy, after(crash * 10_000));
      if (decision.kind !== 'ended') state = decision.state;
      delays.push(decision.kind === 'restart' ? decision.delayMs : decision.kind);
    }
    expect(delays).to.deep.equal([2_000, 4_000, 8_000, 'give_up', 'give_up']);
    expect(state.restartAt).to.equal(null);
  });

  it('leaves a server offline that ended with its engine and is never started by itself', () => {
    const state: CrashState = { times: [after(0)], restartAt: null };
    const ended = { ...crashed, isEndedFromOutside: true };
    expect(evaluateExit(state, { ...ended, isNeverStarted: true }, policy, after(1))).to.deep.equal({
      kind: 'left_offline',
      state,
    });
    expect(evaluateExit(state, ended, policy, after(1)).kind).to.equal('restart');
    expect(evaluateExit(state, { ...crashed, isNeverStarted: true }, policy, after(1)).kind).to.equal('restart');
  });

  it('ignores crashes older than its window', () => {
    const state: CrashState = { times: [after(0), after(1), after(2)], restartAt: null };
    expect(evaluateExit(state, crashed, policy, after(500_000)).kind).to.equal('give_up');
    const decision = evaluateExit(state, crashed, policy, after(700_000));
    expect(decision).to.deep.include({ kind: 'restart', delayMs: 2_000 });
  });

  it('stores a bounded number of crash times', () => {
    const times = Array.from({ length: 4 }, (_, at) => after(at));
    const decision = evaluateExit({ times, restartAt: null }, crashed, policy, after(10));
    expect(decision.kind === 'give_up' && decision.state.times).to.have.length(4);
  });

  it('treats a clean exit as a crash only when configured, and an out-of-memory kill always', () => {
    const clean = { exitCode: 0, outOfMemory: false, isEndedFromOutside: false };
    const none: CrashState = { times: [], restartAt: null };
    const lenient = { ...policy, isCleanExitCrash: false };
    expect(evaluateExit(none, clean, policy, start).kind).to.equal('restart');
    expect(evaluateExit(none, clean, lenient, start)).to.deep.equal({ kind: 'ended' });
    expect(
      evaluateExit(none, { exitCode: 0, outOfMemory: true, isEndedFromOutside: false }, lenient, start).kind,
    ).to.equal('restart');
  });

  it('restarts a game that was stopped from outside without counting a crash', () => {
    const state: CrashState = { times: [after(0), after(1), after(2)], restartAt: null };
    const ended = { exitCode: 0, outOfMemory: false, isEndedFromOutside: true };
    const decision = evaluateExit(state, ended, { ...policy, isCleanExitCrash: false }, after(1_000));
    expect(decision).to.deep.equal({
      kind: 'restart',
      delayMs: 10_000,
      state: { times: state.times, restartAt: after(11_000) },
    });
  });

  it('restarts no game when no restarts are allowed', () => {
    expect(evaluateExit({ times: [], restartAt: null }, crashed, { ...policy, maxRestarts: 0 }, start).kind).to.equal(
      'give_up',
    );
  });
});
