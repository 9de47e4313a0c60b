import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createCountryFinder, type CountryFinder } from '../../src/http/caller-country.js';

function countryOf(find: CountryFinder, remoteAddress: string, headers: Record<string, string>): string {
  return find({ headers, socket: { remoteAddress } as IncomingMessage['socket'] });
}

describe('the country of a caller', () => {
  const find = createCountryFinder('cf-ipcountry', ['10.0.0.0/8']);

  it('takes what a trusted proxy says', () => {
    expect(countryOf(find, '10.1.2.3', { 'cf-ipcountry': 'FR' })).to.equal('FR');
    expect(countryOf(find, '::ffff:10.1.2.3', { 'cf-ipcountry': 'FR' })).to.equal('FR');
  });

  it('ignores what a caller names without a proxy', () => {
    expect(countryOf(find, '192.0.2.1', { 'cf-ipcountry': 'FR' })).to.equal('');
  });

  it('stays unknown without the header, and where the proxy does not know it', () => {
    expect(countryOf(find, '10.1.2.3', {})).to.equal('');
    expect(countryOf(find, '10.1.2.3', { 'x-country': 'FR' })).to.equal('');
    for (const value of ['XX', 'T1', 'fr', 'FRA', 'FR, DE']) {
      expect(countryOf(find, '10.1.2.3', { 'cf-ipcountry': value })).to.equal('');
    }
  });

  it('stays unknown where no header is configured', () => {
    expect(countryOf(createCountryFinder('', ['10.0.0.0/8']), '10.1.2.3', { '': 'FR' })).to.equal('');
  });
});
