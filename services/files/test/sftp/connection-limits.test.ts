import { expect } from 'chai';
import { ConnectionCounts, type ConnectionPlace, connectionLimits } from '../../src/sftp/connection-limits.js';

describe('connection limits of SFTP', () => {
  it('counts the addresses of one IPv6 network as one', () => {
    const counts = new ConnectionCounts();
    const { failuresPerAddress, perAddress } = connectionLimits;
    const enter = (address: string) => counts.enter(address, () => undefined);
    const places = Array.from({ length: perAddress }, (_, i) => enter(`2001:db8:0:1::${i.toString(16)}`));
    expect(places).not.to.include(null);
    expect(enter('2001:db8:0:1:ffff::1')).to.equal(null);
    expect(enter('2001:db8:0:2::1')).not.to.equal(null);
    places[0]?.leave();
    places[0]?.leave();
    expect(enter('2001:db8:0:1:ffff::1')).not.to.equal(null);
    expect(enter('2001:db8:0:1:ffff::2')).to.equal(null);
    for (let i = 0; i < failuresPerAddress; i += 1) counts.recordFailure(`2001:db8:0:3::${i.toString(16)}`);
    expect(enter('2001:db8:0:3:ffff::1')).to.equal(null);
    expect(enter('192.0.2.1')).not.to.equal(null);
  });

  it('closes the oldest idle connection of the address with most of them for a new one, and no other', () => {
    const counts = new ConnectionCounts({ ...connectionLimits, total: 6 });
    const closed: string[] = [];
    const enter = (address: string, name: string): ConnectionPlace | null =>
      counts.enter(address, () => closed.push(name));
    const signedIn = enter('192.0.2.1', 'signed in');
    signedIn?.hold();
    for (const name of ['a1', 'a2', 'a3']) enter('198.51.100.1', name);
    const other = enter('198.51.100.2', 'b1');
    enter('198.51.100.2', 'b2');
    expect(enter('203.0.113.1', 'c1')).not.to.equal(null);
    expect(closed).to.deep.equal(['a1']);
    expect(enter('198.51.100.1', 'a4'), 'an address with as many as any').to.equal(null);
    expect(enter('203.0.113.2', 'd1')).not.to.equal(null);
    expect(closed).to.have.length(2);
    other?.hold();
    for (const name of ['e1', 'f1', 'g1', 'h1']) enter(`203.0.113.${name.charCodeAt(0)}`, name);
    expect(closed).not.to.include.members(['signed in']);
    other?.release();
    signedIn?.leave();
    expect(enter('192.0.2.1', 'again')).not.to.equal(null);
  });
});
