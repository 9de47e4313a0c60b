import { expect } from 'chai';
import { clockOffsetMs, describeClocks } from '../../../src/domain/nodes/clock-offset.js';

describe('clocks of a node', () => {
  it('counts as an offset only what question and answer leave no doubt about', () => {
    const [sentAt, receivedAt] = [10_000, 12_000];
    const offset = (theirs: number) => clockOffsetMs(new Date(theirs), sentAt, receivedAt);
    expect([10_000, 11_000, 12_000].map(offset)).to.deep.equal([0, 0, 0]);
    expect(offset(15_000)).to.equal(3_000);
    expect(offset(9_000)).to.equal(-1_000);
  });

  it('says offsets of more than five seconds', () => {
    expect(describeClocks(null, null)).to.equal(null);
    expect(describeClocks(5_000, -5_000)).to.equal(null);
    expect(describeClocks(5_001, null)).to.equal("the clock of its files service is 5 s ahead of the panel's");
    expect(describeClocks(60_000, -7_000)).to.equal(
      "the clock of its files service is 60 s ahead of the panel's; the clock of its engine is 7 s behind the panel's",
    );
  });
});
