import { expect } from 'chai';
import fc from 'fast-check';
import { taxFor, type TaxTreatment } from '../../src/domain/tax.js';
import type { TaxedCustomer, VatCheck } from '../../src/domain/profile.js';
import { parseTaxRates } from '../../src/domain/tax-rates.js';
import { testSettings } from '../fakes.js';

const at = new Date('2026-03-01T12:00:00Z');
const french = 'FR40303265045';
const greek = 'EL023456780';
const eu = {
  ...testSettings,
  ...parseTaxRates('FR=20,EL=24,AT=20,CH=8.1', 'UTC'),
  taxScheme: 'eu' as const,
  taxRateBasisPoints: 1900,
  sellerCountry: 'DE',
};

function customer(country: string, vatNumber = '', more: Partial<TaxedCustomer> = {}): TaxedCustomer {
  return { country, vatNumber, ...more };
}

function checked(number: string, state: VatCheck['state']): VatCheck {
  const answeredAt = state === 'unanswered' ? null : at;
  return { number, state, consultation: 'WAPIAAAA', answeredAt, attempts: 0, nextAt: at };
}

describe('tax by the scheme', () => {
  const rows: readonly (readonly [string, TaxedCustomer, object, number, TaxTreatment])[] = [
    ['none takes no tax', customer('DE'), { taxScheme: 'none' }, 0, 'none'],
    ['fixed takes the rate of the country', customer('FR'), { taxScheme: 'fixed' }, 2000, 'standard'],
    ['fixed takes the rate of the settings for others', customer('US'), { taxScheme: 'fixed' }, 1900, 'standard'],
    ['fixed finds no rate in names of objects', customer('constructor'), { taxScheme: 'fixed' }, 1900, 'standard'],
    ['fixed taxes a business too', customer('FR', french), { taxScheme: 'fixed' }, 2000, 'standard'],
    ['eu taxes a consumer at home', customer('DE'), {}, 1900, 'standard'],
    ['eu taxes a business at home', customer('DE', 'DE136695976'), {}, 1900, 'standard'],
    ['eu taxes a customer without a country as at home', customer(''), { isOss: true }, 1900, 'standard'],
    ['eu without OSS takes the rate of the seller', customer('FR'), {}, 1900, 'standard'],
    ['eu with OSS takes the rate of the place', customer('FR'), { isOss: true }, 2000, 'standard'],
    ['eu takes the rate of a registration', customer('FR'), { registeredCountries: ['FR'] }, 2000, 'standard'],
    ['eu with OSS finds Greece as GR', customer('GR'), { isOss: true }, 2400, 'standard'],
    ['eu with OSS finds Greece as EL', customer('EL'), { isOss: true }, 2400, 'standard'],
    ['eu leaves the tax to a business elsewhere', customer('FR', french), { isOss: true }, 0, 'reverse_charge'],
    ['eu knows a Greek number', customer('GR', greek), {}, 0, 'reverse_charge'],
    [
      'eu taxes a business with the number of another country',
      customer('AT', french),
      { isOss: true },
      2000,
      'standard',
    ],
    ['eu taxes a business whose number is malformed', customer('FR', 'FR40303265046'), {}, 1900, 'standard'],
    ['eu does not tax outside of the EU', customer('US'), {}, 0, 'outside_scope'],
    ['eu takes a rate that is configured outside of the EU', customer('CH'), {}, 810, 'standard'],
    ['eu is outside in Great Britain', customer('GB', 'GB980780684'), {}, 0, 'outside_scope'],
    ['eu is outside in Northern Ireland', customer('GB', 'XI980780684'), {}, 0, 'outside_scope'],
    ['eu is outside in Northern Ireland as a country', customer('XI', 'XI980780684'), {}, 0, 'outside_scope'],
    ['eu exempts by staff', customer('DE', '', { taxExemption: 'embassy' }), {}, 0, 'exempt'],
    ['fixed exempts by staff', customer('DE', '', { taxExemption: 'embassy' }), { taxScheme: 'fixed' }, 0, 'exempt'],
    ['none has nothing to exempt', customer('DE', '', { taxExemption: 'embassy' }), { taxScheme: 'none' }, 0, 'none'],
  ];
  for (const [what, who, change, basisPoints, treatment] of rows) {
    it(what, () => {
      expect(taxFor(who, { ...eu, ...change }, at)).to.include({ basisPoints, treatment });
    });
  }

  for (const [vatCheck, state, treatment] of [
    ['off', 'invalid', 'reverse_charge'],
    ['accept', 'unanswered', 'reverse_charge'],
    ['accept', 'valid', 'reverse_charge'],
    ['accept', 'invalid', 'standard'],
    ['tax', 'unanswered', 'standard'],
    ['tax', 'valid', 'reverse_charge'],
    ['tax', 'invalid', 'standard'],
  ] as const) {
    it(`decides ${treatment} for a number that is ${state} with the check ${vatCheck}`, () => {
      const who = customer('FR', french, { vatCheck: checked(french, state) });
      expect(taxFor(who, { ...eu, vatCheck }, at).treatment).to.equal(treatment);
    });
  }

  it('does not trust the check of an earlier number', () => {
    const who = customer('FR', french, { vatCheck: checked('FR23334175221', 'valid') });
    expect(taxFor(who, { ...eu, vatCheck: 'tax' }, at).treatment).to.equal('standard');
  });

  it('keeps the proof of the check with the treatment', () => {
    const who = customer('FR', french, { vatCheck: checked(french, 'valid') });
    const { consultation, checkedAt } = taxFor(who, { ...eu, vatCheck: 'tax' }, at);
    expect([consultation, checkedAt]).to.deep.equal(['WAPIAAAA', at]);
  });

  it('takes tax only with a rate, and only of consumers, businesses at home and configured places', () => {
    const countries = fc.constantFrom('', 'DE', 'FR', 'GR', 'AT', 'IT', 'US', 'CH', 'GB', 'XI');
    const numbers = fc.constantFrom('', french, greek, 'DE136695976', 'XI980780684', 'FR1', 'CHE123456789');
    const states = fc.constantFrom<VatCheck['state'] | 'none'>('none', 'unanswered', 'valid', 'invalid');
    const schemes = fc.constantFrom('none' as const, 'fixed' as const, 'eu' as const);
    const checks = fc.constantFrom('off' as const, 'accept' as const, 'tax' as const);
    fc.assert(
      fc.property(countries, numbers, states, schemes, checks, fc.boolean(), (country, number, state, ...rest) => {
        const [taxScheme, vatCheck, isOss] = rest;
        const facts = state === 'none' || number === '' ? {} : { vatCheck: checked(number, state) };
        const tax = taxFor(customer(country, number, facts), { ...eu, taxScheme, vatCheck, isOss }, at);
        const isTaxed = tax.treatment === 'standard';
        expect(tax.basisPoints > 0).to.equal(isTaxed);
        if (tax.treatment !== 'reverse_charge') return;
        expect(taxScheme).to.equal('eu');
        expect(country).to.equal(number.startsWith('EL') ? 'GR' : number.slice(0, 2));
        expect(country).not.to.equal('DE');
        expect(vatCheck === 'off' || state === 'valid' || (vatCheck === 'accept' && state !== 'invalid')).to.equal(
          true,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('rates with dates', () => {
  const rates = parseTaxRates('EE=22,EE=24@2025-07-01,FI=25.5@2024-09-01', 'Europe/Tallinn');
  const settings = { ...eu, ...rates, taxScheme: 'fixed' as const };
  for (const [day, estonia, finland] of [
    ['2024-08-31T20:59:59Z', 2200, 1900],
    ['2024-08-31T21:00:00Z', 2200, 2550],
    ['2025-06-30T20:59:59Z', 2200, 2550],
    ['2025-06-30T21:00:00Z', 2400, 2550],
  ] as const) {
    it(`holds those of ${day}`, () => {
      const rateOf = (country: string) => taxFor(customer(country), settings, new Date(day)).basisPoints;
      expect([rateOf('EE'), rateOf('FI')]).to.deep.equal([estonia, finland]);
    });
  }

  it('ignores entries that cannot be read', () => {
    expect(parseTaxRates('DE=19, ,FR,IT=22@2026-02-30,AT=20@soon', 'UTC')).to.deep.equal({
      taxRatesByCountry: { DE: 1900 },
      taxRateChanges: [],
    });
  });
});
