import { expect } from 'chai';
import { bearerProtocolToken } from '../../src/auth/bearer-protocol.js';

describe('bearer sub-protocol', () => {
  it('accepts a single token after the word bearer', () => {
    expect(bearerProtocolToken('bearer, abc.def')).to.equal('abc.def');
    expect(bearerProtocolToken('Bearer,abc')).to.equal('abc');
    for (const header of ['', 'bearer', 'bearer,', 'abc', 'chat, abc', 'bearer, abc, def']) {
      expect(bearerProtocolToken(header), header).to.equal(null);
    }
  });
});
