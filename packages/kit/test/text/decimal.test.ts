import { expect } from 'chai';
import { decimalOf } from '@panel/kit/text';

describe('decimalOf', () => {
  it('places the point by the digits, and keeps zeros and signs', () => {
    expect([decimalOf(1_234, 2), decimalOf(1_230, 2), decimalOf(0, 2)]).to.deep.equal(['12.34', '12.30', '0.00']);
    expect([decimalOf(-5, 2), decimalOf(7, 0), decimalOf(7, 3)]).to.deep.equal(['-0.05', '7', '0.007']);
    expect(decimalOf(9_007_199_254_740_991, 2)).to.equal('90071992547409.91');
  });
});
