import { expect } from 'chai';
import { lastMonth, reportTotals } from '../../src/staff/billing/report-totals.js';

describe('the totals of reports', () => {
  const rows = [
    { month: '2026-01', currency: 'EUR', earned: 100, deferred: 70 },
    { month: '2026-01', currency: 'USD', earned: 5, deferred: 4 },
    { month: '2026-02', currency: 'EUR', earned: 30, deferred: 40 },
    { month: '2026-02', currency: 'EUR', earned: -10, deferred: 1 },
  ];
  const sums = [
    { amount: ({ earned }: (typeof rows)[number]) => earned },
    { amount: ({ deferred }: (typeof rows)[number]) => deferred, isState: true },
  ];

  it('sum what came in all months, and states of the last month only, by currency', () => {
    expect(reportTotals(rows, sums, ({ month }) => month)).to.deep.equal([
      { currency: 'EUR', amounts: [120, 41] },
      { currency: 'USD', amounts: [5, 0] },
    ]);
    expect(reportTotals([], sums, () => '')).to.deep.equal([]);
  });

  it('begin with the month before', () => {
    expect(lastMonth(new Date(2026, 0, 31))).to.equal('2025-12');
    expect(lastMonth(new Date(2026, 9, 31))).to.equal('2026-09');
  });
});
