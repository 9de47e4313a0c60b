import { expect } from 'chai';
import { createAddressGuard } from '../../src/net/address-guard.js';

const metadata = [
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fd00:ec2::254',
  '100.100.100.200',
  'fe80::1',
  '0.0.0.0',
  '::',
];
const loopback = ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'];
const outside = ['10.0.0.5', '192.168.1.2', '203.0.113.9', '2001:db8::1', 'fd12::1'];

describe('address guard', () => {
  it('refuses link-local, metadata, unspecified and loopback addresses by default', () => {
    const guard = createAddressGuard('deny');
    for (const ip of [...metadata, ...loopback]) expect(guard.isAllowed(ip), ip).to.equal(false);
    for (const ip of outside) expect(guard.isAllowed(ip), ip).to.equal(true);
  });

  it('allows loopback, or everything, by configuration', () => {
    for (const ip of loopback) expect(createAddressGuard('loopback').isAllowed(ip), ip).to.equal(true);
    for (const ip of metadata) expect(createAddressGuard('loopback').isAllowed(ip), ip).to.equal(false);
    for (const ip of metadata) expect(createAddressGuard('allow').isAllowed(ip), ip).to.equal(true);
  });

  it('refuses a name by its resolved address', async () => {
    const guard = createAddressGuard('deny');
    const error: unknown = await guard.assertHost('localhost').catch((thrown: unknown) => thrown);
    expect(error).to.have.property('reason', 'ADDRESS_FORBIDDEN');
    const found = await new Promise((resolve) => {
      guard.lookup('localhost', {}, (failure) => resolve(failure));
    });
    expect(found).to.have.property('reason', 'ADDRESS_FORBIDDEN');
  });
});
