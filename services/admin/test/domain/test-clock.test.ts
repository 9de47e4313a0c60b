import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { checkAdvance, type ClockRecord, newClock, nextStep, waitingFor } from '../../src/domain/test-clock.js';

const dayMs = 86_400_000;

describe('the steps of a test clock', () => {
  const stepsTo = (targetMs: number, from: ClockRecord = newClock): ClockRecord[] => {
    const steps: ClockRecord[] = [];
    let step = nextStep({ ...from, targetMs });
    for (; step !== null; step = nextStep(step)) steps.push(step);
    return steps;
  };

  it('moves by at most a day with two passes each, and ends at the target', () => {
    const steps = stepsTo(2.5 * dayMs);
    expect(steps.map(({ offsetMs }) => offsetMs / dayMs)).to.deep.equal([1, 1, 2, 2, 2.5, 2.5, 2.5]);
    expect(steps.map(({ round }) => round)).to.deep.equal([2, 3, 4, 5, 6, 7, 7]);
    expect(steps.at(-1)?.targetMs).to.equal(null);
  });

  it('begins after the passes of the step before', () => {
    const [first] = stepsTo(3 * dayMs, { offsetMs: dayMs, targetMs: null, round: 9, pass: 1 });
    expect(first).to.include({ offsetMs: dayMs, round: 10, pass: 2 });
  });

  it('makes no step without a target', () => {
    expect(nextStep(newClock)).to.equal(null);
  });
});

describe('what a test clock waits for', () => {
  const process = (service: string, settledRound: number, silentMs: number) => ({ service, settledRound, silentMs });

  it('names services with a live process behind, once each', () => {
    const processes = [
      process('billing', 4, 10),
      process('billing', 3, 10),
      process('admin', 4, 10),
      process('a', 0, 0),
    ];
    expect(waitingFor(processes, 4)).to.deep.equal(['a', 'billing']);
  });

  it('forgets a dead process beside a live one at once, and a service without any after a minute', () => {
    expect(waitingFor([process('billing', 1, 3_001), process('billing', 4, 10)], 4)).to.deep.equal([]);
    expect(waitingFor([process('billing', 4, 3_001)], 4)).to.deep.equal(['billing']);
    expect(waitingFor([process('billing', 1, 60_001)], 4)).to.deep.equal([]);
  });
});

describe('the length of a move', () => {
  const reasonOf = (advanceMs: number) => {
    try {
      return checkAdvance('to', advanceMs);
    } catch (error) {
      return isAppError(error) ? error.metadata['reasons'] : error;
    }
  };

  it('accepts a second to 400 days', () => {
    expect([reasonOf(1_000), reasonOf(400 * dayMs)]).to.deep.equal([1_000, 400 * dayMs]);
    expect(reasonOf(999)).to.deep.equal({ to: ['in_past'] });
    expect(reasonOf(-dayMs)).to.deep.equal({ to: ['in_past'] });
    expect(reasonOf(400 * dayMs + 1)).to.deep.equal({ to: ['out_of_range'] });
  });
});
