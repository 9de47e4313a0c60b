import { expect } from 'chai';
import { isAddressAllowed, isAddressRange } from '../../src/domain/allowed-addresses.js';

describe('allowed addresses', () => {
  const good = [
    '192.0.2.1',
    '10.0.0.0/8',
    '10.1.2.3/8',
    '0.0.0.0/0',
    '::1',
    '2001:db8::/32',
    '::/0',
    '::ffff:192.0.2.1',
  ];
  const bad = ['', '300.1.1.1', '1.2.3', '1.2.3.4/33', '::1/129', '1.2.3.4/', '/8', '1.2.3.4/-1', 'fe80::1%eth0'];
  const worse = ['example.org', '1.2.3.4 ', '1.2.3.4\n', '01.2.3.4', '1.2.3.4/8/8', '0x7f.1', '::1/1e1', ':::', '*'];
  for (const text of good) it(`takes ${text}`, () => expect(isAddressRange(text)).to.be.true);
  for (const text of [...bad, ...worse])
    it(`refuses ${JSON.stringify(text)}`, () => expect(isAddressRange(text)).to.be.false);

  const cases: [string[], string, boolean][] = [
    [[], '203.0.113.9', true],
    [['192.0.2.1'], '192.0.2.1', true],
    [['192.0.2.1'], '192.0.2.10', false],
    [['192.0.2.1'], '192.0.2.100', false],
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.77/24'], '192.0.2.1', true],
    [['192.0.2.1'], '::ffff:192.0.2.1', true],
    [['192.0.2.1'], '::ffff:c000:201', true],
    [['::ffff:192.0.2.1'], '192.0.2.1', true],
    [['::ffff:192.0.2.0/120'], '192.0.2.200', true],
    [['::ffff:192.0.2.0/120'], '192.0.3.1', false],
    [['0:0:0:0:0:ffff:c000:0201'], '192.0.2.1', true],
    [['2001:db8::1'], '2001:DB8:0:0::1', true],
    [['2001:db8::/32'], '2001:db8:ffff::9', true],
    [['2001:db8::/32'], '2001:db9::', false],
    [['::1'], '127.0.0.1', false],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['::/0'], '2001:db8::1', true],
    [['10.0.0.0/8', '2001:db8::/32'], '10.9.9.9', true],
    [['192.0.2.0/24'], '192.0.2.0/24', false],
    [['0.0.0.0/0'], '', false],
    [['0.0.0.0/0'], 'unknown', false],
  ];
  for (const [ranges, address, isAllowed] of cases)
    it(`${isAllowed ? 'lets' : 'does not let'} ${address || 'nothing'} into [${ranges.join(', ')}]`, () =>
      expect(isAddressAllowed(ranges, address)).to.equal(isAllowed));
});
