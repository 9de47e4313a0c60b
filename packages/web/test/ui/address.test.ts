import { expect } from 'chai';
import { hostPort, playerAddress } from '../../src/ui/address.js';

describe('addresses', () => {
  it('puts IPv6 addresses in brackets', () => {
    expect(hostPort('2001:db8::1', 25565)).to.equal('[2001:db8::1]:25565');
    expect(hostPort('[2001:db8::1]', 25565)).to.equal('[2001:db8::1]:25565');
    expect(hostPort('192.0.2.1', 25565)).to.equal('192.0.2.1:25565');
  });

  it('shows players the alias, with its own port where it has one', () => {
    const at = (alias: string | null, ip = '192.0.2.1') => playerAddress({ ip, alias, port: 25565 });
    expect(at(null)).to.equal('192.0.2.1:25565');
    expect(at(null, '2001:db8::1')).to.equal('[2001:db8::1]:25565');
    expect(at('play.example.com')).to.equal('play.example.com:25565');
    expect(at('play.example.com:443')).to.equal('play.example.com:443');
    expect(at('2001:db8::2')).to.equal('[2001:db8::2]:25565');
    expect(at('[2001:db8::2]:443')).to.equal('[2001:db8::2]:443');
  });
});
