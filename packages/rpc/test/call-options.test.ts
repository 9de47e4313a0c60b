import { mock } from 'node:test';
import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { LastAnswer, mayRepeat, withRetries } from '../src/call-options.js';

describe('repeated calls', () => {
  beforeEach(() => mock.timers.enable({ apis: ['Date'] }));
  afterEach(() => mock.timers.reset());
  const unreachable = () => new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the connection is gone');

  it('gives a second try what the first one has left of the time of the call', async () => {
    const timeouts: number[] = [];
    const answer = await withRetries(
      mayRepeat('getServer'),
      { timeoutMs: 60_000 },
      new LastAnswer(),
      async (within) => {
        const { timeoutMs = 0 } = within();
        timeouts.push(timeoutMs);
        mock.timers.tick(200);
        if (timeouts.length === 1) throw unreachable();
        return 'answer';
      },
    );
    const [first = 0, second = 0] = timeouts;
    expect([answer, timeouts.length]).to.deep.equal(['answer', 2]);
    expect([first, second]).to.deep.equal([60_000, 60_000 - 200]);
  });

  it('repeats no call whose time is over', async () => {
    let tries = 0;
    const failing = withRetries(mayRepeat('getServer'), { timeoutMs: 50 }, new LastAnswer(), async () => {
      tries += 1;
      mock.timers.tick(60);
      throw unreachable();
    });
    expect(await failing.catch((error: unknown) => error)).to.have.property('reason', 'SERVICE_UNAVAILABLE');
    expect(tries).to.equal(1);
  });
});
