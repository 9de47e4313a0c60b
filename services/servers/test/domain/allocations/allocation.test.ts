import type { AppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { canonicalIp, foreignAddressProblem, parseAllocations } from '../../../src/domain/allocations/allocation.js';

const fieldsOf = (request: { ip?: string; alias?: string; ports?: string[] }) => {
  try {
    parseAllocations({ ip: '10.0.0.1', alias: '', ports: ['25565'], ...request });
    return [];
  } catch (error) {
    return Object.keys((error as AppError).metadata.fields ?? {});
  }
};

describe('parseAllocations', () => {
  it('expands ports and ranges, sorted and without duplicates', () => {
    const { ports } = parseAllocations({ ip: '::1', alias: '', ports: ['25570-25572', '1024', '25571', '65535'] });
    expect(ports).to.deep.equal([1024, 25570, 25571, 25572, 65535]);
  });

  const bad = [
    '80',
    '1023',
    '65536',
    '-1',
    '25565-25560',
    '25565; drop',
    '',
    'a',
    '1-65535',
    '2000-3001',
    '1e4',
    '025565',
    '99999999999',
  ];
  for (const ports of bad) {
    it(`refuses ${JSON.stringify(ports)}`, () => expect(fieldsOf({ ports: [ports] })).to.deep.equal(['ports']));
  }

  it('accepts at most 1000 ports in one request', () => {
    expect(fieldsOf({ ports: ['2000-2999'] })).to.deep.equal([]);
    expect(fieldsOf({ ports: ['2000-2999', '3000'] })).to.deep.equal(['ports']);
    expect(fieldsOf({ ports: [] })).to.deep.equal(['ports']);
    expect(fieldsOf({ ports: Array.from({ length: 100 }, () => '2000-2999') })).to.deep.equal([]);
  });

  it('normalises the spelling of an address', () => {
    expect(canonicalIp('2001:DB8:0:0::1')).to.equal('2001:db8::1');
    expect(canonicalIp('10.0.0.1')).to.equal('10.0.0.1');
    for (const ip of [
      '0.0.0.1',
      '255.255.255.255',
      '224.0.0.1',
      'ff02::1',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      'host',
      '10.1',
      '',
    ]) {
      expect(canonicalIp(ip), ip).to.equal(null);
      expect(fieldsOf({ ip })).to.deep.equal(['ip']);
    }
  });
});

describe('addresses of a node', () => {
  const own = ['127.0.0.1', '10.0.0.5', '2001:db8::1'];

  it('takes all addresses in one spelling, with the alias that players enter', () => {
    for (const ip of ['0.0.0.0', '::', '0:0::0']) {
      expect(fieldsOf({ ip }), ip).to.deep.equal(['alias']);
      expect(fieldsOf({ ip, alias: 'play.example.com' }), ip).to.deep.equal([]);
    }
    expect(canonicalIp('0:0::0')).to.equal('::');
  });

  it('refuses one that the node lacks, unless it has not said which it has', () => {
    for (const ip of [...own, '127.9.9.9', '0.0.0.0', '::']) expect(foreignAddressProblem(ip, own), ip).to.equal(null);
    expect(foreignAddressProblem('203.0.113.7', undefined)).to.equal(null);
    expect(foreignAddressProblem('203.0.113.7', own)).to.include('is no address of the node (10.0.0.5, 2001:db8::1)');
  });
});

describe('aliases of allocations', () => {
  it('accepts host names and addresses, with a port of their own or without', () => {
    const wanted = ['play.example.com', 'play.example.com:443', 'bücher.example', '192.0.2.7', '192.0.2.7:25570'];
    for (const alias of ['', ...wanted, '2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443', 'survival-1']) {
      expect(fieldsOf({ alias }), alias).to.deep.equal([]);
    }
  });

  it('refuses every other alias', () => {
    const refused = [
      'play.example.com:0',
      'play.example.com:70000',
      'a:b',
      'a b',
      '-a',
      'a.',
      'http://a.example',
      'a/b',
    ];
    for (const alias of [...refused, '[::1', '[192.0.2.7]:1', ':25565', 'a\nb', 'x'.repeat(192), '<b>', 'a@b']) {
      expect(fieldsOf({ alias }), alias).to.deep.equal(['alias']);
    }
  });
});
