import { expect } from 'chai';
import { reasonOf } from '../../src/testing/index.js';
import { isInternalAddress, isPublicAddress, parseAddressRanges, resolveOutboundHost } from '../../src/net/index.js';

describe('outbound addresses', () => {
  const internal = [
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '169.254.169.254',
    '169.254.1.1',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::169.254.169.254',
    '::127.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
    'fe80::1%eth0',
    '::1%1',
    'fd20:ce::254',
    '192.0.0.192',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001:0:7f00:1::',
    '2001:0:4136:e378:8000:63bf:80ff:fffe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::7f00:1',
    '64:ff9b:1:7f00:1::',
    '::ffff:0:127.0.0.1',
    '::a9fe:a9fe',
  ];
  for (const address of internal) {
    it(`treats ${address} as internal`, () => expect(isInternalAddress(address)).to.equal(true));
  }
  for (const address of [
    '192.0.2.1',
    '10.0.0.5',
    '192.168.1.1',
    '172.17.0.1',
    '2001:db8::1',
    'fd12::1',
    'example.org',
  ]) {
    it(`does not treat ${address} as internal`, () => expect(isInternalAddress(address)).to.equal(false));
  }

  it('treats every internal address as not public', () => {
    for (const address of internal) expect(isPublicAddress(address), address).to.equal(false);
  });
  const reserved = [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    'fd00::1',
    'fc00::1',
    'fec0::1',
    '100::1',
    '2001:db8::1',
    '2001:10::1',
    '3fff::1',
    '4000::1',
    'localhost',
    '',
  ];
  for (const address of reserved) {
    it(`does not treat ${address || 'no text'} as public`, () => expect(isPublicAddress(address)).to.equal(false));
  }
  for (const address of [
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ]) {
    it(`treats ${address} as public`, () => expect(isPublicAddress(address)).to.equal(true));
  }

  const none = parseAddressRanges([]);
  it('refuses a name that resolves to internal addresses only', async () => {
    const resolve = async () => ['169.254.169.254', '::1'];
    expect(await reasonOf(resolveOutboundHost('mail.example.org', none, resolve))).to.equal('ADDRESS_NOT_ALLOWED');
  });

  it('returns the first address that is not internal', async () => {
    const resolve = async () => ['127.0.0.1', '192.0.2.7'];
    expect(await resolveOutboundHost('mail.example.org', none, resolve)).to.equal('192.0.2.7');
  });

  it('accepts internal addresses that the configuration allows', async () => {
    const allowed = parseAddressRanges(['127.0.0.0/8', '::1']);
    expect(await resolveOutboundHost('127.0.0.1', allowed)).to.equal('127.0.0.1');
    expect(await resolveOutboundHost('[::1]', allowed)).to.equal('::1');
    expect(await reasonOf(resolveOutboundHost('169.254.169.254', allowed))).to.equal('ADDRESS_NOT_ALLOWED');
  });

  it('refuses other spellings of a loopback address', async () => {
    for (const host of ['127.1', '2130706433', '0x7f000001', 'localhost']) {
      expect(await reasonOf(resolveOutboundHost(host, none)), host).to.be.oneOf([
        'ADDRESS_NOT_ALLOWED',
        'HOST_UNRESOLVED',
      ]);
    }
  });

  it('refuses malformed address ranges', () => {
    for (const range of ['localhost', '1.2.3.4/33', '::/129', '']) expect(() => parseAddressRanges([range])).to.throw();
  });
});
