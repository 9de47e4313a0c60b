import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { LastAnswer, withRetries } from '../src/call-options.js';

describe('repeated calls', () => {
  const unreachable = () => new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'the connection is gone');

  it('gives a second try what the first one has left of the time of the call', async () => {
    const timeouts: number[] = [];
    const answer = await withRetries(
      'getServer',
      { timeoutMs: 60_000 },
      new LastAnswer(),
      async ({ timeoutMs = 0 }) => {
        timeouts.push(timeoutMs);
        await wait(200);
        if (timeouts.length === 1) throw unreachable();
        return 'answer';
      },
    );
    const [first = 0, second = 0] = timeouts;
    expect([answer, timeouts.length]).to.deep.equal(['answer', 2]);
    expect(first).to.be.within(1, 60_000);
    expect(second).to.be.within(1, 60_000 - 150);
  });

  it('repeats no call whose time is over', async () => {
    let tries = 0;
    const failing = withRetries('getServer', { timeoutMs: 50 }, new LastAnswer(), async () => {
      tries += 1;
      await wait(60);
      throw unreachable();
    });
    expect(await failing.catch((error: unknown) => error)).to.have.property('reason', 'SERVICE_UNAVAILABLE');
    expect(tries).to.equal(1);
  });
});
