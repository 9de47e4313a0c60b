import { once } from 'node:events';
import type { FollowTestClockRequest, FollowTestClockResponse } from '@panel/protos/admin';
import { AppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { deferred, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { FollowedClock } from '../src/index.js';

const dayMs = 86_400_000;

/** Answers at another round, as the admin service does. */
class FakeSource {
  readonly reports: FollowTestClockRequest[] = [];
  readonly #moves = new EventTarget();
  failures: Error[] = [];
  answer: FollowTestClockResponse = { offsetMs: dayMs, round: 5 };

  async follow(report: FollowTestClockRequest, signal: AbortSignal): Promise<FollowTestClockResponse> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.reports.push(report);
    if (report.knownRound === this.answer.round && report.waitMs > 0) {
      await Promise.race([once(this.#moves, 'move'), once(signal, 'abort')]);
    }
    return this.answer;
  }

  move(answer: FollowTestClockResponse): void {
    this.answer = answer;
    this.#moves.dispatchEvent(new Event('move'));
  }

  get settled(): number {
    return Math.max(...this.reports.map(({ settledRound }) => settledRound));
  }
}

describe('the test clock in a process', () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  let source: FakeSource;
  let followed: FollowedClock;
  const start = async () => (followed = await FollowedClock.start({ name: 'billing', source, log }));

  beforeEach(() => (source = new FakeSource()));
  afterEach(async () => followed?.stop());

  it('reads the time of the installation before anything else runs', async () => {
    source.failures = [new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'not yet')];
    const { clock } = await start();
    expect(clock.offsetMs).to.equal(dayMs);
    expect(source.reports[0]).to.include({ service: 'billing', settledRound: 0 });
  });

  it('refuses to start where the admin service has no test clock', async () => {
    source.failures = [new AppError('failed_precondition', 'TEST_CLOCK_OFF', 'off')];
    const error = await FollowedClock.start({ name: 'billing', source, log }).catch((refusal: unknown) => refusal);
    expect(error).to.have.property('reason', 'TEST_CLOCK_OFF');
  });

  it('settles a round only when what it made due has run, by the new time', async () => {
    await start();
    const ran = deferred();
    const offsets: number[] = [];
    followed.settleBy(async () => {
      offsets.push(followed.clock.offsetMs);
      if (offsets.length === 2) await ran.promise;
    });
    await waitUntil('the first round', async () => source.settled === 5);
    source.move({ offsetMs: 2 * dayMs, round: 6 });
    await waitUntil('the move', async () => offsets.length === 2);
    expect([offsets, source.settled]).to.deep.equal([[dayMs, 2 * dayMs], 5]);
    ran.resolve();
    await waitUntil('the next round', async () => source.settled === 6);
  });

  it('goes on after a failure of the admin service', async () => {
    await start();
    followed.settleBy(async () => undefined);
    source.failures = [new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'gone')];
    source.move({ offsetMs: 3 * dayMs, round: 7 });
    await waitUntil('the round', async () => source.settled === 7);
    expect(followed.clock.offsetMs).to.equal(3 * dayMs);
  });
});
