import { expect } from 'chai';
import { metricsQuery } from '../../src/routes/servers/metrics-schema.js';

describe('range of metrics', () => {
  it('accepts only times that an answer can show', () => {
    const isFine = (to: string) => metricsQuery.safeParse({ to }).success;
    for (const to of ['2026-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00'])
      expect(isFine(to), to).to.equal(true);
    for (const to of ['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '2026-13-01T00:00:00Z', 'now', ''])
      expect(isFine(to), to).to.equal(false);
  });
});
