import { expect } from 'chai';
import { ConnectionCounts, connectionLimits } from '../../src/sftp/connection-limits.js';

describe('connection limits of SFTP', () => {
  it('counts the addresses of one IPv6 network as one', () => {
    const counts = new ConnectionCounts();
    const { failuresPerAddress, perAddress } = connectionLimits;
    for (let i = 0; i < perAddress; i += 1) expect(counts.enter(`2001:db8:0:1::${i.toString(16)}`)).to.equal(true);
    expect(counts.enter('2001:db8:0:1:ffff::1')).to.equal(false);
    expect(counts.enter('2001:db8:0:2::1')).to.equal(true);
    counts.leave('2001:db8:0:1::1');
    expect(counts.enter('2001:db8:0:1:ffff::1')).to.equal(true);
    for (let i = 0; i < failuresPerAddress; i += 1) counts.recordFailure(`2001:db8:0:3::${i.toString(16)}`);
    expect(counts.enter('2001:db8:0:3:ffff::1')).to.equal(false);
    expect(counts.enter('192.0.2.1')).to.equal(true);
  });
});
