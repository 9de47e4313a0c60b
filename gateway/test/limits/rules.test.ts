import { expect } from 'chai';
import { isExceeded, remaining, scaleQuota, tightest } from '../../src/limits/rules.js';

describe('quotas', () => {
  const at = (limit: number, used: number) => ({ limit, used, resetsAt: 0 });

  it('exceeds a quota above the limit, not at it', () => {
    expect(isExceeded(at(10, 10))).to.equal(false);
    expect(isExceeded(at(10, 11))).to.equal(true);
    expect(remaining(at(10, 99))).to.equal(0);
  });

  it('multiplies a quota by the role, and keeps it at one or more', () => {
    const limitOf = (limit: number, multiplier: number) =>
      scaleQuota({ name: 'general', key: 'k', limit }, multiplier).limit;
    expect([limitOf(60, 1.5), limitOf(60, 2), limitOf(60, 0.001), limitOf(5, 1 / 3)]).to.deep.equal([90, 120, 1, 1]);
  });

  it('shows the quota with the least remaining', () => {
    expect(tightest(at(60, 10), at(30, 10))).to.deep.equal(at(30, 10));
    expect(tightest(at(60, 55), at(30, 10))).to.deep.equal(at(60, 55));
    expect(tightest(null, at(1, 0))).to.deep.equal(at(1, 0));
  });
});
