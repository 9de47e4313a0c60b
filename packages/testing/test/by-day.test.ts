import { expect } from 'chai';
import { byDay } from '../src/by-day.js';

describe('cases by day', () => {
  const all = Array.from({ length: 15 }, (_, at) => at);
  const isLong = process.env['TEST_LONG'];
  afterEach(() => {
    if (isLong === undefined) delete process.env['TEST_LONG'];
    else process.env['TEST_LONG'] = isLong;
  });

  it('draws some by day, with the first and the last, and all of a short list', () => {
    process.env['TEST_LONG'] = 'false';
    expect(byDay(all, 5)).to.deep.equal([0, 4, 7, 11, 14]);
    expect(byDay(all, 2)).to.deep.equal([0, 14]);
    expect(byDay(all.slice(0, 3), 5)).to.deep.equal([0, 1, 2]);
  });

  it('draws all by night', () => {
    process.env['TEST_LONG'] = 'true';
    expect(byDay(all, 5)).to.deep.equal(all);
  });
});
