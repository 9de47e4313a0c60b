import { expect } from 'chai';
import { createClientIpFinder, normalizeIp, rateKeyOfIp } from '../../src/net/client-ip.js';

describe('client address', () => {
  const find = createClientIpFinder(['10.0.0.0/8', '192.0.2.1', 'fd00::/8']);

  const cases: [string, string | undefined, string | undefined, string][] = [
    ['is the socket without proxies', '203.0.113.9', undefined, '203.0.113.9'],
    ['ignores the header of a stranger', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is what the proxy says', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['is counted from the right', '10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['passes further proxies of ours', '10.1.2.3', '1.1.1.1, 198.51.100.1, 192.0.2.1, 10.9.9.9', '198.51.100.1'],
    ['is the outermost proxy when all are ours', '10.1.2.3', '10.0.0.7, 10.0.0.8', '10.0.0.7'],
    ['stops at what is no address', '10.1.2.3', '198.51.100.1, nonsense', '10.1.2.3'],
    ['understands IPv6 proxies', 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['takes off the IPv6 dress of an IPv4 address', '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['takes it off in hexadecimal, too', '10.1.2.3', '::FFFF:C633:6401', '198.51.100.1'],
    ['has one spelling', '10.1.2.3', '2001:0DB8:0:0::0005', '2001:db8::5'],
    ['takes off ports and brackets', '10.1.2.3', '[2001:db8::5]:443', '2001:db8::5'],
    ['takes off a port of IPv4', '10.1.2.3', '198.51.100.1:5050', '198.51.100.1'],
    ['is never empty', undefined, undefined, '0.0.0.0'],
  ];
  for (const [fact, socket, header, expected] of cases) {
    it(fact, () => expect(find(socket, header)).to.equal(expected));
  }

  it('refuses a malformed client address', () => {
    for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '::g', '1.2.3.4, 5.6.7.8']) {
      expect(normalizeIp(text), text).to.equal(null);
    }
  });

  it('counts an IPv4 address alone and an IPv6 address as a /64', () => {
    expect(rateKeyOfIp('198.51.100.1')).to.equal('198.51.100.1');
    const network = rateKeyOfIp('2001:db8:1:2::1');
    for (const ip of ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::', '2001:db8:1:2::']) {
      expect(rateKeyOfIp(ip), ip).to.equal(network);
    }
    expect(rateKeyOfIp('2001:db8:1:3::1')).not.to.equal(network);
    expect(rateKeyOfIp('::1')).to.equal('0:0:0:0::/64');
  });
});
