import { expect } from 'chai';
import { createMemoryCounters } from '../../src/limits/counters.js';
import { RateLimiter } from '../../src/limits/limiter.js';
import { QuotaRules } from '../../src/limits/rules.js';
import { rateHeaders } from '../../src/middleware/response-headers.js';
import { given, serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

describe('rate headers', () => {
  const limits = { general: 60, auth: 10, upload: 10, backup: 5 };
  const limiter = new RateLimiter(new QuotaRules(limits), createMemoryCounters());

  it('shows the quota that was counted and never less than zero', async () => {
    const rate = { limit: 10, used: 12, resetsAt: 1_700_000_000_500 };
    const { url, stop } = await serveMiddleware(given({ rate }), rateHeaders(limiter), showState);
    const { headers } = await send(url, '/');
    expect(headers).to.include({
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1700000001',
      'retry-after': '0',
    });
    await stop();
  });

  it('shows the quota of the address when nothing was counted, and counts nothing', async () => {
    const { url, stop } = await serveMiddleware(given({}), rateHeaders(limiter), showState);
    for (let i = 0; i < 2; i++) {
      expect((await send(url, '/')).headers).to.include({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '60' });
    }
    await stop();
  });
});
